"""The HTTP client of the demonstration: JSON and Server-Sent Events, with timeouts."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any, Protocol

import httpx

TIMEOUT = 20.0  # seconds; streams send something every few seconds
RETRY_AFTER = 0.1  # seconds between two looks whether the service is ready
MAX_QUOTED = 2000  # characters of an answer in an error message


class DemoFailed(Exception):
    """The demonstration cannot go on; the message says why."""


class Watched(Protocol):
    """The process of the service."""

    def ended(self, wait: float) -> bool: ...

    def errors(self) -> str: ...


class ServiceClient:
    """Sends requests with `token` to the service at `url`, whose process is `child`. It uses no proxy."""

    def __init__(self, url: str, child: Watched, token: str = "") -> None:
        self.url = url
        self.child = child
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def wait_ready(self, timeout: float) -> None:
        """:raises DemoFailed: the service is not ready in time."""
        deadline = time.monotonic() + timeout
        while True:
            try:
                self.get("/readyz")
            except DemoFailed as error:
                if time.monotonic() > deadline:
                    raise DemoFailed(f"the service is not ready after {timeout:g} seconds: {error}") from error
                if self.child.ended(RETRY_AFTER):
                    raise DemoFailed(f"the service ended\n{self.child.errors()}") from error
            else:
                return

    def get(self, path: str) -> Any:
        return json.loads(self.text(path))

    def text(self, path: str) -> str:
        return self._send("GET", path).text

    def post(self, path: str, body: object) -> Any:
        return self._send("POST", path, json=body).json()

    def delete(self, path: str) -> None:
        self._send("DELETE", path)

    def events(self, path: str) -> Iterator[tuple[str, Any]]:
        """Yield kind and data of Server-Sent Events; ``("", None)`` for a heartbeat."""
        kind, data = "", ""
        try:
            with httpx.stream("GET", self.url + path, **self._options()) as stream:
                stream.raise_for_status()
                for line in stream.iter_lines():
                    name, _, value = line.partition(": ")
                    if name == "event":
                        kind = value
                    elif name == "data":
                        data = value
                    elif not line:
                        yield kind, json.loads(data) if data else None
                        kind, data = "", ""
        except (httpx.HTTPError, ValueError) as error:
            raise DemoFailed(f"the live stream broke: {error}") from error

    def _send(self, method: str, path: str, **more: Any) -> httpx.Response:
        try:
            answer = httpx.request(method, self.url + path, **self._options(), **more)
        except httpx.HTTPError as error:
            raise DemoFailed(f"{self.url}{path}: {error}") from error
        if not answer.is_success:
            raise DemoFailed(f"{method} {answer.url}: {answer.status_code} {answer.text[:MAX_QUOTED]}")
        return answer

    def _options(self) -> dict[str, Any]:
        return {"headers": self._headers, "timeout": TIMEOUT, "trust_env": False}
