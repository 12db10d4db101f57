"""A client of another service's API: JSON over HTTP with bounded waits and answers."""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from http.client import responses
from typing import Any
from urllib.parse import urlsplit

import httpcore

from inkeek.drivers.errors import MessageError
from inkeek.service.boards.identity import FAR_VERSION
from inkeek.service.errors import ServiceError, SettingError
from inkeek.service.files import MAX_CERTIFICATES, read_bounded

TIMEOUT = 15.0  # seconds for a request, with its connection and its whole answer
KEEP_ALIVE = 60.0  # seconds that an unused connection is kept
MAX_ANSWER = 4 << 20  # bytes
MAX_RETRY_AFTER = 3600.0  # longest wait in seconds that a service can ask for
PREFIX = "/api/v1"
TRANSIENT = (408, 425, 429)  # of 4xx: worth another try
# What code that reads an answer of another form may raise.
STRANGE = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError, MessageError)


class Unreachable(ServiceError):
    """The service gave no answer, or could not: try again, after `wait` seconds if it said so."""

    slug = "unreachable"
    title = "The service cannot be reached"

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


class RequestRefused(ServiceError):
    """The service refused the request. `slug` is the type of its problem document, `body` all of it."""

    title = "The service refuses"

    def __init__(self, status: int, slug: str, message: str, body: dict[str, Any]) -> None:
        super().__init__(message)
        self.status = status
        self.slug = slug
        self.body = body


class Client:
    """Asks the service at `url` with `token`. Any thread may use it.

    `ca` is a file of certificates to trust besides the system's.

    :raises SettingError: the URL is no service's, or the file cannot be read.
    """

    def __init__(self, url: str, token: str, ca: str | None = None, timeout: float = TIMEOUT) -> None:
        try:
            parts = urlsplit(url)
            host, _ = parts.hostname, parts.port
            place = parts.netloc.encode("idna").decode()
        except ValueError as error:
            raise SettingError(f"--to is {url[:200]!r}: {error}") from error
        self.url = f"{parts.scheme}://{place}{parts.path.rstrip('/')}"
        is_plain = self.url.isascii() and self.url.isprintable() and " " not in self.url
        is_bare = not (parts.username or parts.query or parts.fragment)
        if parts.scheme not in ("http", "https") or not host or not is_plain or not is_bare:
            raise SettingError("--to is no address of a service: expected one like https://games.example.org")
        self.host = host
        self.encrypted = parts.scheme == "https"
        self._timeout = timeout
        self._headers: dict[bytes | str, bytes | str] = {
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "Content-Type": "application/json",
            "User-Agent": f"inkeek-attach/{FAR_VERSION}",
        }
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self._is_closed = False
        self._connections = httpcore.ConnectionPool(
            ssl_context=_trust(ca) if self.encrypted else None,
            keepalive_expiry=KEEP_ALIVE,
            network_backend=_DeadlineBackend(),
        )

    def ask(self, method: str, path: str, body: object = None, timeout: float = 0.0) -> dict[str, Any]:
        """Send a request and return the JSON object of its answer.

        `path` is below the API's root. `timeout`: seconds that the service may take besides the usual.

        :raises Unreachable: there was no answer, or it says to try again. :raises RequestRefused: the service refused.
        """
        if self._is_closed:
            raise Unreachable(f"{self.url}: this client is closed")
        seconds = self._timeout + timeout
        deadline = time.monotonic() + seconds
        limits = {"pool": seconds, "connect": deadline, "read": deadline, "write": deadline}
        content = b"" if body is None else json.dumps(body).encode()
        text = b""
        try:
            with self._connections.stream(
                method, self.url + PREFIX + path, headers=self._headers, content=content, extensions={"timeout": limits}
            ) as answer:
                for piece in answer.iter_stream():
                    text += piece
                    if len(text) > MAX_ANSWER:
                        raise Unreachable(f"{self.url}: the answer has more than {MAX_ANSWER} bytes")
        except (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError) as error:
            raise Unreachable(f"{self.url}: {_reason(error)}") from error
        data = _json_object(text)
        if not 200 <= answer.status < 300:
            raise _failure(self.url, answer, data or {})
        if data is None:
            raise Unreachable(f"{self.url} answers {text[:60]!r}: expected a JSON object")
        return data

    def close(self) -> None:
        self._is_closed = True
        self._connections.close()


@contextmanager
def reading(url: str) -> Iterator[None]:
    """Where the fields of an answer of the service at `url` are read: what a strange one leads to is `Unreachable`."""
    try:
        yield
    except STRANGE as error:
        raise Unreachable(f"{url} gives an unexpected answer: {type(error).__name__}: {error!s:.200}") from error


def one_line(value: object) -> str:
    """What a service says as a part of a line, which cannot look like another line of ours."""
    try:
        return " ".join(str(value).splitlines())[:1000]
    except RecursionError:
        return "…"


def _json_object(text: bytes) -> dict[str, Any] | None:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _failure(url: str, answer: httpcore.Response, body: dict[str, Any]) -> Unreachable | RequestRefused:
    status = answer.status
    headers = {name.lower(): value.decode("latin-1") for name, value in answer.headers}
    reason = one_line(body.get("detail") or body.get("title") or responses.get(status, "no reason"))
    if status >= 500 or status in TRANSIENT:
        wait = headers.get(b"retry-after", "")
        seconds = min(float(wait), MAX_RETRY_AFTER) if wait.isascii() and wait.isdigit() else None
        return Unreachable(f"{url} answers {status}: {reason}", seconds)
    if 300 <= status < 400 and b"location" in headers:
        reason = f"the service has moved to {headers[b'location'][:200]}: give --to that address"
    slug = str(body.get("type", "")).rpartition("/")[2] or str(status)
    return RequestRefused(status, slug, f"{url} answers {status}: {reason}", body)


def _trust(ca: str | None) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context()
        if ca:
            read_bounded(ca, MAX_CERTIFICATES)  # a device has no end
            context.load_verify_locations(ca)
    except OSError as error:  # ssl.SSLError too
        raise SettingError(f"--ca is {ca!r}: {error}") from error
    return context


def _reason(error: Exception) -> str:
    if isinstance(error, httpcore.TimeoutException):
        return "no answer in time"
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        return f"its certificate is not trusted ({error}); --ca names a file with further certificates"
    return str(error) or type(error).__name__


class _DeadlineBackend(httpcore.SyncBackend):
    """The network, where a timeout is the moment of `time.monotonic` until which a request may take in all: as seconds
    for each piece it would let an answer come byte by byte for ever."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        return _DeadlineStream(super().connect_tcp(host, port, _left(timeout), local_address, socket_options))


class _DeadlineStream(httpcore.NetworkStream):
    """A connection whose timeouts are moments."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _left(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return _DeadlineStream(self._stream.start_tls(ssl_context, server_hostname, _left(timeout)))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _left(deadline: float | None) -> float | None:
    """The seconds until a moment."""
    if deadline is None:
        return None
    left = deadline - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout
    return left
