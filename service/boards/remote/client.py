"""Asking a service elsewhere: JSON over HTTP on a connection that is kept, with bounded waits."""

from __future__ import annotations

import http.client
import json
import ssl
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from service.errors import ServiceError, SettingError

TIMEOUT = 10.0  # seconds for a connection, and for each piece of an answer
MAX_ANSWER = 4 << 20  # bytes
MAX_RETRY_AFTER = 3600.0  # seconds that are waited because a service asks for it
PREFIX = "/api/v1"
PASSING = (408, 425, 429)  # of 4xx: refused now, perhaps not soon


class Unreachable(ServiceError):
    """The service did not answer, or could not: try again. `wait`: after how many seconds, when it said so."""

    slug = "unreachable"
    title = "The service cannot be reached"

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


class Refusal(ServiceError):
    """The service answered that it will not. `status` and `problem` (its type) say why, `body` holds all of it."""

    title = "The service refuses"

    def __init__(self, status: int, problem: str, message: str, body: dict[str, Any]) -> None:
        super().__init__(message)
        self.status = status
        self.slug = problem
        self.body = body


class Client:
    """Asks the service at `url` with `token`. One thread uses it. `ca`: a file of certificates to trust besides the
    system's.

    :raises SettingError: the URL is none of a service, or the file cannot be read.
    """

    def __init__(self, url: str, token: str, ca: str | None = None, timeout: float = TIMEOUT) -> None:
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError as error:
            raise SettingError(f"--to is {url[:200]!r}: {error}") from error
        if parts.scheme not in ("http", "https") or not host or parts.username or parts.query or parts.fragment:
            raise SettingError("--to is no address of a service: expected one as https://games.example.org")
        self.url = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
        self.host = host
        self.encrypted = parts.scheme == "https"
        self._path = parts.path.rstrip("/") + PREFIX
        self._headers = {"Accept": "application/json", "User-Agent": "inkeek-attach"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        if self.encrypted:
            self._connection: http.client.HTTPConnection = http.client.HTTPSConnection(
                host, port, timeout=timeout, context=_trust(ca)
            )
        else:
            self._connection = http.client.HTTPConnection(host, port, timeout=timeout)

    def ask(self, method: str, path: str, body: object = None, timeout: float = 0.0) -> dict[str, Any]:
        """The answer to a request, an object. `path` is below the API's root; `timeout`: how long the service may
        think about it, besides the usual.

        :raises Unreachable: there was none, or not now. :raises Refusal: the service will not.
        """
        data = None if body is None else json.dumps(body, allow_nan=False).encode()
        headers = self._headers if data is None else {**self._headers, "Content-Type": "application/json"}
        for kept in (self._connection.sock is not None, False):
            try:
                return self._ask(method, self._path + path, data, headers, timeout)
            except (http.client.RemoteDisconnected, ConnectionError) as error:
                self.close()
                if not kept:  # else the service let go of a connection that was not used for a while
                    raise Unreachable(f"{self.url} hangs up: {_said(error)}") from error
            except (OSError, http.client.HTTPException, ValueError) as error:
                self.close()
                raise Unreachable(f"{self.url}: {_said(error)}") from error
        raise AssertionError("the second try answers or raises")

    def close(self) -> None:
        with suppress(OSError):
            self._connection.close()

    def _ask(
        self, method: str, path: str, data: bytes | None, headers: dict[str, str], timeout: float
    ) -> dict[str, Any]:
        connection = self._connection
        if connection.sock is None:
            connection.connect()
        usual = connection.timeout or TIMEOUT
        connection.sock.settimeout(usual + timeout)
        connection.request(method, path, data, headers)
        with connection.getresponse() as answer:
            text = answer.read(MAX_ANSWER + 1)
            if len(text) > MAX_ANSWER:
                raise ValueError(f"an answer of more than {MAX_ANSWER} bytes")
            if answer.length:  # of a body that was cut off, which may read as a shorter one
                raise http.client.IncompleteRead(text, answer.length)
            if 200 <= answer.status < 300:
                told = json.loads(text)
                if not isinstance(told, dict):
                    raise ValueError(f"it answers {text[:60]!r}: expected an object")
                return told
            raise _trouble(self.url, answer.status, answer.headers, text)


def _trouble(url: str, status: int, headers: http.client.HTTPMessage, text: bytes) -> ServiceError:
    """What an answer that brings nothing means."""
    try:
        body = json.loads(text)
    except ValueError:
        body = {}
    if not isinstance(body, dict):
        body = {}
    said = str(body.get("detail") or body.get("title") or http.client.responses.get(status, "no reason"))[:1000]
    if status >= 500 or status in PASSING:
        return Unreachable(f"{url} answers {status}: {said}", _seconds(headers.get("Retry-After")))
    if 300 <= status < 400:
        said = f"it is elsewhere, at {str(headers.get('Location'))[:200]}: give --to that address"
    slug = str(body.get("type", "")).rpartition("/")[2] or str(status)
    return Refusal(status, slug, f"{url} answers {status}: {said}", body)


def _seconds(text: str | None) -> float | None:
    return min(float(text), MAX_RETRY_AFTER) if text and text.isascii() and text.isdigit() else None


def _trust(ca: str | None) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context()
        if ca:
            context.load_verify_locations(ca)
    except (OSError, ssl.SSLError) as error:
        raise SettingError(f"--ca is {ca!r}: {error}") from error
    return context


def _said(error: Exception) -> str:
    """What went wrong, in words without the noise of its class where there are any."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not to be trusted: {error.verify_message}; --ca names a file with one's own"
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
