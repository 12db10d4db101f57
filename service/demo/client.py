"""The demonstration's onlooker: plain HTTP and Server-Sent Events, with bounded waits."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any, Protocol

ANSWER_WITHIN = 20.0  # seconds; streams say something every few seconds
LOOK_EVERY = 0.1
MAX_ANSWER = 16 << 20  # bytes
MAX_LINE = 1 << 20  # bytes of a line of a stream


class DemoFailed(Exception):
    """The demonstration cannot go on; says why."""


class Watched(Protocol):
    """The process that answers."""

    def ended(self, wait: float) -> bool: ...

    def errors(self) -> str: ...


class Client:
    """Asks the service at `url`, which `child` runs, with `token`. Proxies are for other places than this machine."""

    def __init__(self, url: str, child: Watched, token: str = "") -> None:
        self.url = url
        self.child = child
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def wait_ready(self, timeout: float) -> None:
        """:raises DemoFailed: the service is not ready in time."""
        deadline = time.monotonic() + timeout
        while True:
            try:
                self.get("/readyz")
            except DemoFailed as error:
                if time.monotonic() > deadline:
                    raise DemoFailed(f"the service is not ready after {timeout:g} seconds: {error}") from error
                if self.child.ended(LOOK_EVERY):
                    raise DemoFailed(f"the service ended\n{self.child.errors()}") from error
            else:
                return

    def get(self, path: str) -> Any:
        return json.loads(self.text(path))

    def text(self, path: str) -> str:
        return self._ask(urllib.request.Request(self.url + path, headers=self._headers))

    def post(self, path: str, body: object) -> Any:
        data = json.dumps(body).encode()
        headers = {"Content-Type": "application/json", **self._headers}
        return json.loads(self._ask(urllib.request.Request(self.url + path, data, headers)))

    def delete(self, path: str) -> None:
        self._ask(urllib.request.Request(self.url + path, headers=self._headers, method="DELETE"))

    def events(self, path: str) -> Iterator[tuple[str, Any]]:
        """The (kind, data) of Server-Sent Events; ``("", None)`` when the stream only says that it is there."""
        request = urllib.request.Request(self.url + path, headers=self._headers)
        try:
            with self._opener.open(request, timeout=ANSWER_WITHIN) as stream:
                kind, data = "", ""
                while line := stream.readline(MAX_LINE):
                    text = line.decode("utf-8").rstrip("\n")
                    name, _, value = text.partition(": ")
                    if name == "event":
                        kind = value
                    elif name == "data":
                        data = value
                    elif not text:
                        yield kind, json.loads(data) if data else None
                        kind, data = "", ""
        except (OSError, ValueError) as error:
            raise DemoFailed(f"the live stream broke: {error}") from error

    def _ask(self, request: urllib.request.Request) -> str:
        try:
            with self._opener.open(request, timeout=ANSWER_WITHIN) as answer:
                body: bytes = answer.read(MAX_ANSWER)
                return body.decode("utf-8")
        except urllib.error.HTTPError as error:
            with error:
                said = error.read(2000).decode("utf-8", "replace")
            raise DemoFailed(f"{request.get_method()} {request.full_url}: {error.code} {said}") from error
        except OSError as error:
            raise DemoFailed(f"{request.full_url}: {error}") from error
