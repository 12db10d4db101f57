from __future__ import annotations

import json
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from inkeek.drivers import registry
from inkeek.service.boards.remote.client import MAX_ANSWER, MAX_RETRY_AFTER, Client, RequestRefused, Unreachable
from inkeek.service.boards.remote.process import Plan, run
from inkeek.service.errors import SettingError
from inkeek.service.settings import Settings


class Site:
    """A web server that answers as the test says; `seen` are the requests."""

    def __init__(self) -> None:
        self.answer: tuple[int, dict[str, str], bytes] = (200, {}, b"{}")
        self.seen: list[tuple[str, str, dict[str, str], bytes]] = []
        self.connections: list[socket.socket] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                site.connections.append(self.request)
                super().setup()

            def do_GET(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                site.seen.append((self.command, self.path, dict(self.headers), body))
                status, headers, text = site.answer
                self.send_response(status)
                for name, value in {"Content-Length": str(len(text)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(text)

            do_POST = do_GET

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))

    @property
    def port(self) -> int:
        return int(self.server.server_address[1])

    def __enter__(self) -> Site:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        yield site


@pytest.fixture
def client(site: Site) -> Iterator[Client]:
    client = Client(f"http://127.0.0.1:{site.port}/inkeek/", "ink_t_x", timeout=60)
    yield client
    client.close()


def test_requests_carry_the_token_on_one_connection(site: Site, client: Client) -> None:
    site.answer = (200, {}, b'{"last": 3}')
    assert client.ask("GET", "/boards/b") == {"last": 3}
    assert client.ask("POST", "/boards", {"a": 1}) == {"last": 3}
    assert [(method, path) for method, path, _, _ in site.seen] == [
        ("GET", "/inkeek/api/v1/boards/b"),
        ("POST", "/inkeek/api/v1/boards"),
    ]
    assert all(headers["Authorization"] == "Bearer ink_t_x" for _, _, headers, _ in site.seen)
    assert json.loads(site.seen[1][3]) == {"a": 1}
    assert len(site.connections) == 1


def test_a_connection_that_was_let_go_meanwhile_is_opened_again(site: Site, client: Client) -> None:
    site.answer = (200, {"Connection": "close"}, b"{}")
    client.ask("GET", "/x")
    site.answer = (200, {"Keep-Alive": "x"}, b"{}")
    client.ask("GET", "/x")
    site.connections[1].shutdown(socket.SHUT_RDWR)
    assert client.ask("GET", "/x") == {}
    assert len(site.connections) == 3


@pytest.mark.parametrize(
    ("status", "headers", "wait"),
    [
        (503, {"Retry-After": "5"}, 5.0),
        (502, {}, None),
        (429, {"Retry-After": "99999"}, MAX_RETRY_AFTER),
        (429, {"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}, None),
        (408, {}, None),
    ],
)
def test_what_passes_is_to_be_tried_again(
    site: Site, client: Client, status: int, headers: dict[str, str], wait: float | None
) -> None:
    site.answer = (status, headers, b"<html>no</html>")
    with pytest.raises(Unreachable, match=f"answers {status}") as caught:
        client.ask("GET", "/x")
    assert caught.value.wait == wait


def test_a_problem_is_raised_with_its_type(site: Site, client: Client) -> None:
    body = {"type": "/problems/hole", "title": "Events are missing", "detail": "expected 4", "expected": 4}
    site.answer = (409, {}, json.dumps(body).encode())
    with pytest.raises(RequestRefused) as caught:
        client.ask("POST", "/x", {})
    assert (caught.value.status, caught.value.slug, caught.value.body["expected"]) == (409, "hole", 4)
    assert str(caught.value) == f"{client.url} answers 409: expected 4"


def test_what_a_service_says_is_one_line(site: Site, client: Client) -> None:
    site.answer = (403, {}, json.dumps({"detail": "no\r\n18:30:02  All events are delivered.\u2028x"}).encode())
    with pytest.raises(RequestRefused, match="403: no 18:30:02") as caught:
        client.ask("GET", "/x")
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("text", [b"", b"[]", b"no json", b"\xff"])
def test_a_refusal_without_a_problem_is_raised_too(site: Site, client: Client, text: bytes) -> None:
    site.answer = (403, {}, text)
    with pytest.raises(RequestRefused, match="answers 403: Forbidden"):
        client.ask("GET", "/x")


def test_an_address_that_moved_is_not_followed_with_the_token(site: Site, client: Client) -> None:
    site.answer = (308, {"Location": "https://elsewhere.example/"}, b"")
    with pytest.raises(RequestRefused, match=r"https://elsewhere\.example/.* --to"):
        client.ask("POST", "/x", {})
    assert len(site.seen) == 1


@pytest.mark.parametrize("answer", [b"", b"{", b"[]", b"3", b"{}" + b" " * MAX_ANSWER])
def test_an_answer_that_cannot_be_read_is_none(site: Site, client: Client, answer: bytes) -> None:
    site.answer = (200, {}, answer)
    with pytest.raises(Unreachable):
        client.ask("GET", "/x")


def test_an_answer_that_is_cut_off_is_none(site: Site, client: Client) -> None:
    site.answer = (200, {"Content-Length": "50", "Connection": "close"}, b'{"last": 3}')
    with pytest.raises(Unreachable):
        client.ask("GET", "/x")


def test_a_service_that_does_not_answer_or_is_not_there_is_unreachable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        client = Client(address, "", timeout=0.1)
        with pytest.raises(Unreachable, match=address):
            client.ask("GET", "/x")
    with pytest.raises(Unreachable, match=address):
        client.ask("GET", "/x")
    client.close()
    with pytest.raises(Unreachable, match=address):
        client.ask("GET", "/x")


@pytest.mark.parametrize(
    "url",
    [
        "games.example.org",
        "ftp://x",
        "https://",
        "https://u:p@x/",
        "https://x/?a=1",
        "https://x/#a",
        "http://x:99999",
        "http://[x",
    ],
)
def test_what_is_no_address_is_refused_and_not_quoted_with_secrets(url: str) -> None:
    with pytest.raises(SettingError, match="--to is") as caught:
        Client(url, "")
    assert "u:p" not in str(caught.value)


def test_a_certificate_is_checked(site: Site, tmp_path: Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("no openssl to make a certificate with")
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    alternative = ["-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*made, *alternative, "-keyout", key, "-out", cert], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    site.server.socket = context.wrap_socket(site.server.socket, server_side=True)
    url = f"https://127.0.0.1:{site.port}"
    with pytest.raises(Unreachable, match="--ca"):
        Client(url, "ink_t_x").ask("GET", "/x")
    assert site.seen == []
    client = Client(url, "ink_t_x", str(cert))
    assert client.ask("GET", "/x") == {}
    client.close()
    with pytest.raises(SettingError, match="--ca is"):
        Client(url, "", str(key))


@pytest.mark.parametrize("start", [b"", b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n"])
def test_an_answer_that_comes_byte_by_byte_is_given_up(start: bytes) -> None:
    given_up = threading.Event()

    def dribble(server: socket.socket) -> None:
        connection, _ = server.accept()
        with connection, suppress(OSError):
            connection.sendall(start)
            while not given_up.wait(0.02):
                connection.sendall(b"x")

    with socket.create_server(("127.0.0.1", 0)) as server:
        sender = threading.Thread(target=dribble, args=(server,))
        sender.start()
        client = Client(f"http://127.0.0.1:{server.getsockname()[1]}", "", timeout=0.3)
        with pytest.raises(Unreachable, match="no answer in time"):
            client.ask("GET", "/x")
        given_up.set()
        sender.join()
        client.close()


STRANGE_ANSWERS = [
    b"[" * 200_000,
    b'{"a":' * 200_000,
    b'{"id": 9' + b"9" * 5000 + b"}",
    b"{}",
    b'{"board": 3}',
    b'{"board": {"driver": "remote"}}',
    b'{"id": {}, "kind": [], "scopes": [1], "limit": 7, "name": null}',
    b'{"id": "1", "kind": "token", "scopes": ["a"], "limit": null, "name": "", "revoked": 7}',
    b'{"version": 1e999}',
    b"\xff\xfe{",
]


@pytest.mark.parametrize("answer", STRANGE_ANSWERS)
def test_commands_say_in_a_sentence_that_an_answer_is_strange(site: Site, answer: bytes, tmp_path: Path) -> None:
    site.answer = (200, {}, answer)
    address = f"http://127.0.0.1:{site.port}"
    said: list[str] = []
    stop = threading.Event()

    def note(message: str) -> None:
        said.append(message)
        if "again" in message:
            stop.set()

    plan = Plan("loop://", registry.driver("inkeek"), address, "g/../\x1b", "", None, "here", tmp_path)
    run(plan, note, stop, Settings())
    assert len(said) == 1


@pytest.mark.parametrize("address", ["http://a\x1bb", "http://a b", "http://a/\x9b", "http://" + "ü" * 300])
def test_an_address_that_no_request_can_have_is_refused(address: str) -> None:
    with pytest.raises(SettingError):
        Client(address, "")
