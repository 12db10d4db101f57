"""The web server under slow clients: they hold no thread, and they are given up after a time."""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from service.demo.client import ServiceClient
from service.processes.web_worker import BUSY_FOR, MAX_REST, ClientSocket, WebWorker
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
    """Import games, so that an export is longer than all buffers."""
    client.post("/api/v1/games", {"game": "enkeshui", "tags": {"Event": "x" * 900}})
    record = client.text("/api/v1/games/export.ndjson")
    headers = {**client._headers, "Content-Type": "application/x-ndjson"}
    url = f"{client.url}/api/v1/games/import"
    assert httpx.post(url, content=record * games, headers=headers, timeout=60, trust_env=False).is_success


HALF = "GET /api/v1/games HTTP/1.1\r\nHo"
BODY = "POST /api/v1/games HTTP/1.1\r\n{head}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"
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


def test_slow_clients_are_given_up(tmp_path: Path) -> None:
    with service(tmp_path, client_timeout=TIMEOUT, stream_heartbeat=0.1) as (client, child):
        fill(client, 600)
        game = client.post("/api/v1/games", {"game": "bof"})["id"]
        with (
            connected(client, HALF) as half,
            connected(client, "G") as head,
            connected(client, BODY) as body,
            connected(client, BODY) as dripping,
            connected(client, EXPORT) as unread,
            connected(client, STREAM.replace("{game}", game)) as stream,
        ):
            assert answer(half) == b""
            assert answer(body) == b""
            until(closes(head, b"E"))
            until(closes(dripping, b" "))
            until(closes(unread, b"\r\n"))
            read_until(stream, b"id: 1\n")  # a stream is not slow, however long it lasts
            read_until(stream, b": still here")
        assert client.get("/api/v1/games")["items"]
        assert "Traceback" not in child.errors()


def test_a_client_that_reads_a_byte_now_and_then_is_given_up(tmp_path: Path) -> None:
    with service(tmp_path, client_timeout=TIMEOUT) as (client, _):
        fill(client, 600)
        with connected(client, EXPORT) as connection:

            def ended() -> bool:
                try:
                    return connection.recv(1) == b"" or closes(connection, b"\r\n")()
                except OSError:
                    return True

            until(ended, 60)


def test_bodies_of_every_kind_arrive(tmp_path: Path) -> None:
    with service(tmp_path, max_body=1 << 17, max_import=1 << 18) as (client, _):
        game = json.dumps({"game": "bof", "tags": {"Event": "x" * 100_000}}).encode()
        url, headers = f"{client.url}/api/v1/games", {**client._headers, "Content-Type": "application/json"}
        with httpx.Client(headers=headers, timeout=30, trust_env=False) as http:
            parts = [game[at : at + 1000] for at in range(0, len(game), 1000)]
            statuses = [
                http.post(url, content=game).status_code,
                http.post(url, content=iter(parts)).status_code,
                http.post(url, content=b'{"game": "bof"}', headers={"Expect": "100-continue"}).status_code,
            ]
            assert statuses == [422, 422, 201]  # a tag is not as long; but the body was read
            for content in (b" " * (1 << 20), iter([b" " * 1000] * 1000)):
                with contextlib.suppress(httpx.WriteError):
                    refused = http.post(url, content=content)
                    assert (refused.status_code, refused.headers["Connection"]) == (413, "close")
            assert http.get(url).json()["items"][0]["game"] == "bof"


def test_two_requests_may_be_sent_at_once(tmp_path: Path) -> None:
    with service(tmp_path) as (client, _):
        again = "GET /healthz HTTP/1.1\r\n{head}\r\n\r\n"
        with connected(client, again + again.replace("{head}", "{head}\r\nConnection: close")) as connection:
            assert answer(connection).count(b"HTTP/1.1 200") == 2


def test_the_service_stops_soon_with_clients_that_are_slow(tmp_path: Path) -> None:
    with service(tmp_path, client_timeout=600) as (client, child), contextlib.ExitStack() as stack:
        for text in (HALF, "", "GET /healthz HTTP/1.1\r\n{head}\r\n\r\n"):
            stack.enter_context(connected(client, text))
        child._process.terminate()
        assert child._process.wait(60) == 0
        assert "Cut" not in child.errors()  # so many connections, whose requests did not end


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


def test_a_long_response_makes_room_for_requests_that_run_and_for_no_others(monkeypatch):
    rested: list[float] = []
    monkeypatch.setattr("service.processes.web_worker.time.sleep", rested.append)
    worker = WebWorker.__new__(WebWorker)
    worker._running, worker._last_call = 0, time.monotonic()
    worker._rest(0.004)
    worker._running, worker._last_call = 1, time.monotonic() - 2 * BUSY_FOR  # it waits for something
    worker._rest(0.004)
    assert rested == []
    worker._last_call = time.monotonic() + 60  # now, however slow this machine is
    worker._rest(0.004)
    worker._rest(9.0)
    assert rested == [0.004, MAX_REST]


def test_between_the_beginnings_of_two_long_responses_there_is_room_for_requests(monkeypatch):
    rested: list[float] = []
    monkeypatch.setattr("service.processes.web_worker.time.sleep", rested.append)
    worker = WebWorker.__new__(WebWorker)
    worker._running, worker._last_call, worker._opened_for = 1, time.monotonic() + 60, 0.004
    assert worker._open(pow, 2, 3) == 8
    assert worker._opened_for != 0.004
    worker._opened_for = 9.0
    worker._open(pow, 2, 3)
    assert rested == [0.004, MAX_REST]


class Sent:
    """A socket that keeps what is sent at each step. It takes so many bytes at once."""

    def __init__(self, room: int) -> None:
        self.steps: list[bytes] = []
        self._room = room

    def send(self, data: bytes, flags: int, timeout: float) -> int:
        if not self._room:
            raise BlockingIOError
        self.steps.append(data[: self._room])
        return len(self.steps[-1])

    def sendall(self, data: bytes) -> None:
        self.steps.append(data)


@pytest.mark.parametrize(
    ("room", "steps"),
    [(0, [b"headbody", b"rest"]), (8, [b"headbody", b"rest"]), (5, [b"headb", b"ody", b"rest"])],
)
def test_headers_and_body_are_sent_in_one_step(room: int, steps: list[bytes]) -> None:
    sent = Sent(room)
    client = ClientSocket(sent, 1.0)
    with client.together():
        client.sendall(b"head")
        client.sendall(b"body")
    client.sendall(b"rest")
    assert sent.steps == steps
