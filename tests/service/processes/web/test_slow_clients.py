"""The web server under slow clients: they hold no thread, and they are given up after a time."""

import contextlib
import re
import socket
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from inkeek.service.demo.client import ServiceClient
from tests.service.processes.test_web_server import service
from tests.service.waiting import until

THREADS = 4
TIMEOUT = 0.5


@contextlib.contextmanager
def connected(client: ServiceClient, text: str = "") -> Iterator[socket.socket]:
    """A connection that has sent `text`, in which {token} stands for the header with the token."""
    host, port = client.url.rpartition("/")[2].split(":")
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(20)
        connection.connect((host, int(port)))
        head = f"Host: {host}:{port}\r\nAuthorization: {client._headers['Authorization']}"
        connection.sendall(text.replace("{head}", head).encode())
        yield connection


def answer(connection: socket.socket) -> bytes:
    """All that comes until the service closes the connection."""
    received = b""
    with contextlib.suppress(ConnectionResetError):
        while part := connection.recv(65536):
            received += part
    return received


def closes(connection: socket.socket, send: bytes) -> Callable[[], bool]:
    """Whether the service has closed the connection, found out by sending a bit more."""

    def closed() -> bool:
        try:
            connection.sendall(send)
        except OSError:
            return True
        return False

    return closed


def fill(client: ServiceClient, games: int) -> None:
    """Import games, all different, so that an export is longer than all buffers."""
    client.post("/api/v1/games", {"game": "enkeshui", "tags": {"Event": "x" * 900, "Round": "first"}})
    record = client.text("/api/v1/games/export.ndjson")
    headers = {**client._headers, "Content-Type": "application/x-ndjson"}
    content = "".join(record.replace('"first"', f'"{number}"') for number in range(games))
    url = f"{client.url}/api/v1/games/import"
    assert httpx.post(url, content=content, headers=headers, timeout=60, trust_env=False).is_success
    assert len(client.text("/api/v1/games/export.ndjson")) > games * 900


HALF = "GET /api/v1/games HTTP/1.1\r\nHo"
BODY = "POST /api/v1/games HTTP/1.1\r\n{head}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"
LIST = "GET /api/v1/games?limit=200 HTTP/1.1\r\n{head}\r\n\r\n"
EXPORT = "GET /api/v1/games/export.ndjson HTTP/1.1\r\n{head}\r\n\r\n"
STREAM = "GET /api/v1/games/{game}/events HTTP/1.1\r\n{head}\r\n\r\n"


def test_slow_clients_and_streams_hold_no_thread(tmp_path: Path) -> None:
    with service(tmp_path, threads=THREADS, client_timeout=600) as (client, _), contextlib.ExitStack() as stack:
        fill(client, 600)
        game = client.post("/api/v1/games", {"game": "bof"})
        slow = (HALF, "", BODY, EXPORT)
        for text in slow:
            for _ in range(5 * THREADS):
                stack.enter_context(connected(client, text))
        path = STREAM.replace("{game}", game["id"])
        streams = [stack.enter_context(connected(client, path)) for _ in range(5 * THREADS)]
        for stream in streams:
            read_until(stream, b"id: 1\n")
        client.post(f"/api/v1/games/{game['id']}/turns", {"move": game["legal"][0]})
        for stream in streams:
            read_until(stream, b"id: 2\n")


def read_until(connection: socket.socket, mark: bytes) -> None:
    received = b""
    while mark not in received:
        part = connection.recv(4096)
        assert part, received
        received += part


@pytest.fixture(scope="module")
def impatient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceClient]:
    """A service with a long list, which soon gives up clients that are silent."""
    folder = tmp_path_factory.mktemp("impatient")
    with service(folder, client_timeout=TIMEOUT, stream_heartbeat=0.1) as (client, child):
        fill(client, 600)
        yield client
        assert "Traceback" not in child.errors()


def test_slow_clients_are_given_up(impatient: ServiceClient) -> None:
    game = impatient.post("/api/v1/games", {"game": "bof"})["id"]
    with (
        connected(impatient, HALF) as half,
        connected(impatient, "G") as head,
        connected(impatient, BODY) as body,
        connected(impatient, BODY) as dripping,
        connected(impatient, EXPORT) as unread,
        connected(impatient, STREAM.replace("{game}", game)) as stream,
    ):
        assert answer(half) == b""
        assert answer(body).startswith(b"HTTP/1.1 408")
        until(closes(head, b"E"))
        until(closes(dripping, b" "))
        until(closes(unread, b"\r\n"))
        read_until(stream, b"id: 1\n")  # a stream is not slow, however long it lasts
        read_until(stream, b": still here")
    assert impatient.get("/api/v1/games")["items"]


def test_a_client_that_reads_a_byte_now_and_then_is_given_up(impatient: ServiceClient) -> None:
    with connected(impatient, EXPORT) as connection:

        def ended() -> bool:
            try:
                return connection.recv(1) == b"" or closes(connection, b"\r\n")()
            except OSError:
                return True

        until(ended, 60)


def test_a_client_that_reads_slowly_gets_all_of_a_long_answer(impatient: ServiceClient) -> None:
    """It takes longer than a client may be silent, and less than an answer may take."""
    begun = time.monotonic()
    with connected(impatient, LIST) as connection:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += connection.recv(1)
        length = re.search(rb"content-length: ([0-9]+)", head, re.IGNORECASE)
        assert length is not None
        until(lambda: time.monotonic() - begun > 4 * TIMEOUT)
        left = int(length[1])
        while left:
            part = connection.recv(65536)
            assert part, left
            left -= len(part)


def test_the_service_stops_soon_with_clients_that_are_slow(tmp_path: Path) -> None:
    with service(tmp_path, client_timeout=600) as (client, child), contextlib.ExitStack() as stack:
        for text in (HALF, "", "GET /healthz HTTP/1.1\r\n{head}\r\n\r\n"):
            stack.enter_context(connected(client, text))
        child._process.terminate()
        assert child._process.wait(60) == 0
        assert "Cancel" not in child.errors()  # so many requests that did not end


def test_a_stalled_tls_handshake_stops_nobody(tmp_path: Path) -> None:
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    alternative = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    try:
        subprocess.run([*made, *alternative, "-keyout", key, "-out", cert], check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("no openssl to make a certificate with")
    settings = {"tls_cert": str(cert), "tls_key": str(key), "threads": THREADS, "client_timeout": 5}
    with service(tmp_path, **settings) as (client, _), contextlib.ExitStack() as stack:
        stalled = [stack.enter_context(connected(client)) for _ in range(5 * THREADS)]
        context = ssl.create_default_context(cafile=str(cert))
        with httpx.Client(verify=context, timeout=20, trust_env=False, headers=client._headers) as http:
            game = http.post(f"{client.url}/api/v1/games", json={"game": "bof"}).json()["id"]
            with http.stream("GET", f"{client.url}/api/v1/games/{game}/events") as stream:
                assert any(line == "id: 1" for line in stream.iter_lines())
        with ThreadPoolExecutor(len(stalled)) as pool:
            assert set(pool.map(answer, stalled)) == {b""}
