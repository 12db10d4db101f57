"""A client of another service's API: JSON over HTTP with bounded waits and answers."""

from __future__ import annotations

import json
import ssl
from http.client import responses
from typing import Any
from urllib.parse import urlsplit

import httpx

from service.boards.identity import FAR_VERSION
from service.errors import ServiceError, SettingError

TIMEOUT = 10.0  # seconds for a connection, and for each piece of an answer
KEEP_ALIVE = 60.0  # seconds that an unused connection is kept
MAX_ANSWER = 4 << 20  # bytes
MAX_RETRY_AFTER = 3600.0  # longest wait in seconds that a service can ask for
PREFIX = "/api/v1"
TRANSIENT = (408, 425, 429)  # of 4xx: worth another try


class Unreachable(ServiceError):
    """The service gave no answer, or could not: try again, after `wait` seconds if it said so."""

    slug = "unreachable"
    title = "The service cannot be reached"

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


class Refusal(ServiceError):
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
        except ValueError as error:
            raise SettingError(f"--to is {url[:200]!r}: {error}") from error
        if parts.scheme not in ("http", "https") or not host or parts.username or parts.query or parts.fragment:
            raise SettingError("--to is no address of a service: expected one like https://games.example.org")
        self.url = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
        self.host = host
        self.encrypted = parts.scheme == "https"
        self._timeout = timeout
        headers = {
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": f"inkeek-attach/{FAR_VERSION}",
        }
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self._http = httpx.Client(
            headers=headers,
            verify=_trust(ca) if self.encrypted else False,  # there is nothing to verify without TLS
            trust_env=False,
            limits=httpx.Limits(keepalive_expiry=KEEP_ALIVE),
        )

    def ask(self, method: str, path: str, body: object = None, timeout: float = 0.0) -> dict[str, Any]:
        """Send a request and return the JSON object of its answer.

        `path` is below the API's root. `timeout`: seconds that the service may take besides the usual.

        :raises Unreachable: there was no answer, or it says to try again. :raises Refusal: the service refused.
        """
        if self._http.is_closed:
            raise Unreachable(f"{self.url}: this client is closed")
        wait = httpx.Timeout(self._timeout, read=self._timeout + timeout)
        text = b""
        try:
            with self._http.stream(method, self.url + PREFIX + path, json=body, timeout=wait) as answer:
                for piece in answer.iter_raw():
                    text += piece
                    if len(text) > MAX_ANSWER:
                        raise Unreachable(f"{self.url}: the answer has more than {MAX_ANSWER} bytes")
        except httpx.TransportError as error:
            raise Unreachable(f"{self.url}: {_reason(error)}") from error
        data = _json_object(text)
        if not answer.is_success:
            raise _failure(self.url, answer, data or {})
        if data is None:
            raise Unreachable(f"{self.url} answers {text[:60]!r}: expected a JSON object")
        return data

    def close(self) -> None:
        self._http.close()


def _json_object(text: bytes) -> dict[str, Any] | None:
    try:
        data = json.loads(text)
    except ValueError:
        return None
    return data if isinstance(data, dict) else None


def _failure(url: str, answer: httpx.Response, body: dict[str, Any]) -> Unreachable | Refusal:
    status = answer.status_code
    reason = str(body.get("detail") or body.get("title") or responses.get(status, "no reason"))[:1000]
    if status >= 500 or status in TRANSIENT:
        wait = answer.headers.get("Retry-After", "")
        seconds = min(float(wait), MAX_RETRY_AFTER) if wait.isascii() and wait.isdigit() else None
        return Unreachable(f"{url} answers {status}: {reason}", seconds)
    if answer.has_redirect_location:
        reason = f"the service has moved to {answer.headers['Location'][:200]}: give --to that address"
    slug = str(body.get("type", "")).rpartition("/")[2] or str(status)
    return Refusal(status, slug, f"{url} answers {status}: {reason}", body)


def _trust(ca: str | None) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context()
        if ca:
            context.load_verify_locations(ca)
    except (OSError, ssl.SSLError) as error:
        raise SettingError(f"--ca is {ca!r}: {error}") from error
    return context


def _reason(error: httpx.TransportError) -> str:
    if isinstance(error, httpx.TimeoutException):
        return "no answer in time"
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        return f"its certificate is not trusted ({error}); --ca names a file with further certificates"
    return str(error) or type(error).__name__
