"""Requests on the wire: how bodies arrive, what is refused on the headers alone, and what cannot be smuggled."""

import contextlib
import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from inkeek.service.demo.client import ServiceClient
from tests.service.processes.test_web_server import service
from tests.service.waiting import until

from .test_slow_clients import EXPORT, answer, connected, read_until


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


REMOTE = "X-Forwarded-For: 192.0.2.9"
LENGTH = "Content-Length: 900000"
CHUNKED = "Transfer-Encoding: chunked"
JSON = "Content-Type: application/json"
TEXT = "Content-Type: text/plain"


def begin(path: str, *headers: str) -> str:
    """The headers of a request whose body is not there yet."""
    return "\r\n".join((f"POST {path} HTTP/1.1", *headers, "", ""))


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (401, begin("/api/v1/games", "Host: localhost", JSON, REMOTE, LENGTH)),
        (401, begin("/api/v1/games", "Host: localhost", JSON, REMOTE, CHUNKED)),
        (401, begin("/api/v1/games/import", "Host: localhost", TEXT, LENGTH)),
        (401, begin("/import", "Host: localhost", REMOTE, LENGTH)),
        (401, begin("/api/v1/games", "Host: localhost", JSON, "Authorization: Bearer ink_t_x", LENGTH)),
        (400, begin("/api/v1/games", "Host: evil.example", JSON, LENGTH)),
        (415, begin("/api/v1/games/import", "{head}", "Content-Type: image/png", LENGTH)),
        (413, begin("/api/v1/games", "{head}", JSON, "Content-Length: 1048577")),
        (413, begin("/api/v1/games/import", "{head}", TEXT, "Content-Length: 99999999999")),
        (413, begin("/appearance", "Host: localhost", LENGTH)),
        (404, begin("/api/v1/nothing", "{head}", JSON, LENGTH)),
        (405, begin("/api/v1/games", "{head}", JSON, LENGTH).replace("POST", "PUT")),
    ],
)
def test_a_request_is_refused_on_its_headers(served: ServiceClient, status: int, text: str) -> None:
    """The body is awaited for ten minutes, and nothing asks for it."""
    with connected(served, text.replace("\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n")) as connection:
        assert answer(connection).startswith(f"HTTP/1.1 {status} ".encode())


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceClient]:
    with service(tmp_path_factory.mktemp("served"), client_timeout=600) as (client, _):
        yield client


def test_a_client_that_sends_all_before_it_reads_gets_the_refusal(served: ServiceClient) -> None:
    size = 8 << 20
    with connected(served, begin("/api/v1/games/import", "Host: localhost", f"Content-Length: {size}")) as connection:
        connection.sendall(b" " * size)
        assert answer(connection).startswith(b"HTTP/1.1 401 ")


def test_a_body_is_asked_for_once_its_headers_have_passed(served: ServiceClient) -> None:
    body = b'{"game": "bof"}'
    expect = ("Expect: 100-continue", "Connection: close", f"Content-Length: {len(body)}")
    with connected(served, begin("/api/v1/games", "{head}", JSON, *expect)) as connection:
        read_until(connection, b"HTTP/1.1 100 Continue\r\n\r\n")
        connection.sendall(body)
        assert answer(connection).startswith(b"HTTP/1.1 201 ")


@pytest.mark.parametrize("framing", ["Content-Length: 16777216", CHUNKED])
def test_who_holds_their_share_with_bodies_is_refused_and_nobody_else(served: ServiceClient, framing: str) -> None:
    """Of 40 bodies that never end, those within the share wait; a turn of another key is stored at once."""
    other = served.post("/api/v1/tokens", {"name": "other", "scopes": ["record"]})["token"]
    start = begin("/api/v1/games/import", "{head}", TEXT, framing)
    part = b"" if framing != CHUNKED else b"100000\r\n" + b" " * (1 << 20) + b"\r\n"
    with contextlib.ExitStack() as stack:
        for _ in range(40):
            connection = stack.enter_context(connected(served, start))
            with contextlib.suppress(ConnectionError):
                connection.sendall(part)
        assert connection.recv(12) == b"HTTP/1.1 503"
        headers = {"Authorization": f"Bearer {other}"}
        sent = httpx.post(f"{served.url}/api/v1/games", json={"game": "bof"}, headers=headers, trust_env=False)
        assert sent.status_code == 201
    game = {"game": "bof", "tags": {"Event": "x" * 500}}
    until(lambda: served.post("/api/v1/games", game)["id"])  # the share is free again


def test_who_asks_again_at_once_waits_for_the_refusal(tmp_path: Path) -> None:
    with service(tmp_path, rate=1, rate_burst=1) as (client, _), httpx.Client(trust_env=False) as http:
        headers = {"X-Forwarded-For": "192.0.2.9", "Authorization": client._headers["Authorization"]}
        statuses, began = [], time.monotonic()
        while time.monotonic() - began < 1:
            statuses.append(http.get(f"{client.url}/api/v1/games", headers=headers).status_code)
        assert statuses.count(429) == len(statuses) - statuses.count(200) <= 3


def test_two_requests_may_be_sent_at_once(served: ServiceClient) -> None:
    again = "GET /healthz HTTP/1.1\r\n{head}\r\n\r\n"
    with connected(served, again + again.replace("{head}", "{head}\r\nConnection: close")) as connection:
        assert answer(connection).count(b"HTTP/1.1 200") == 2


GAME = b'{"game": "bof"}'
MADE = begin("/api/v1/games", "{head}", JSON, "Transfer-Encoding: chunked")
BAD_FRAMES = {
    "two lengths": begin("/api/v1/games", "{head}", JSON, "Content-Length: 15", "Content-Length: 16") + "x" * 16,
    "length and chunks": begin("/api/v1/games", "{head}", JSON, "Content-Length: 15", CHUNKED) + "0\r\n\r\n",
    "a negative length": begin("/api/v1/games", "{head}", JSON, "Content-Length: -1"),
    "a length with a sign": begin("/api/v1/games", "{head}", JSON, "Content-Length: +15") + "x" * 15,
    "two codings": begin("/api/v1/games", "{head}", JSON, CHUNKED, CHUNKED) + "0\r\n\r\n",
    "a coding in disguise": begin("/api/v1/games", "{head}", JSON, "Transfer-Encoding: xchunked") + "0\r\n\r\n",
    "a space before the colon": begin("/api/v1/games", "{head}", JSON, "Content-Length : 15") + "x" * 15,
    "a chunk without a size": MADE + "xyz\r\n",
    "two hosts": begin("/api/v1/games", "{head}", "Host: localhost", JSON, "Content-Length: 0"),
    "two keys": begin("/api/v1/games", "{head}", "Authorization: Bearer x", JSON, "Content-Length: 0"),
    "endless trailers": MADE + "0\r\nX: " + "x" * 300_000,
    "an endless extension of a chunk": MADE + "1;" + "x" * 300_000,
}


@pytest.mark.parametrize("what", BAD_FRAMES)
def test_what_can_be_read_in_two_ways_is_refused_and_nothing_behind_it_is_heard(
    served: ServiceClient, what: str
) -> None:
    smuggled = "GET /healthz HTTP/1.1\r\n{head}\r\n\r\n"
    with contextlib.suppress(ConnectionError), connected(served, BAD_FRAMES[what] + smuggled) as connection:
        received = answer(connection)
        assert b"HTTP/1.1 2" not in received
        assert received.count(b"HTTP/1.1 ") <= 1


def test_headers_after_a_body_count_for_nothing(served: ServiceClient) -> None:
    chunks = f"{len(GAME):x}\r\n{GAME.decode()}\r\n0\r\nAuthorization: {served._headers['Authorization']}\r\n\r\n"
    with connected(served, begin("/api/v1/games", "Host: localhost", JSON, REMOTE, CHUNKED) + chunks) as connection:
        assert answer_head(connection).startswith(b"HTTP/1.1 401 ")


def answer_head(connection: socket.socket) -> bytes:
    received = b""
    while b"\r\n\r\n" not in received:
        part = connection.recv(4096)
        assert part, received
        received += part
    return received


def test_an_old_client_gets_no_chunks(served: ServiceClient) -> None:
    """nginx asks so by default; the end of the connection is the end of the answer."""
    served.post("/api/v1/games", {"game": "bof"})
    with connected(served, EXPORT.replace("HTTP/1.1", "HTTP/1.0")) as connection:
        head, _, body = answer(connection).partition(b"\r\n\r\n")
    assert b"chunked" not in head.lower()
    assert [json.loads(line) for line in body.splitlines()]
    with connected(served, "GET /healthz HTTP/1.0\r\n{head}\r\n\r\n") as connection:
        assert json.loads(answer(connection).partition(b"\r\n\r\n")[2])["ok"]


def test_the_head_of_an_answer_has_no_body(served: ServiceClient) -> None:
    for path in ("/healthz", "/api/v1/games/export.ndjson"):
        head = f"HEAD {path} HTTP/1.1\r\n{{head}}\r\nConnection: close\r\n\r\n"
        with connected(served, head) as connection:
            received = answer(connection)
        assert received.startswith(b"HTTP/1.1 200 ")
        assert received.endswith(b"\r\n\r\n")


def test_a_request_behind_one_that_is_refused_is_not_answered(served: ServiceClient) -> None:
    refused = begin("/api/v1/games", "Host: localhost", JSON, REMOTE, "Content-Length: 900000")
    with connected(served, refused + "x" * 70_000 + "GET /healthz HTTP/1.1\r\n{head}\r\n\r\n") as connection:
        assert answer(connection).count(b"HTTP/1.1 ") == 1
