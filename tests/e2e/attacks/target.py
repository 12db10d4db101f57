"""What an attack is given, and how it sends requests."""

import json
import random
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import httpx

API = "/api/v1"
STRANGER = {"X-Forwarded-For": "203.0.113.9"}  # has a request count as one of another machine
PATIENCE = 30.0  # seconds for an answer


@dataclass
class Target:
    """A service. `token` is good for all; `seen` counts answers by what was asked; `faults` are what may not be."""

    port: int
    token: str
    game: str  # that the bystander plays and streams
    seconds: float
    chance: random.Random
    seen: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.until = time.monotonic() + self.seconds
        url, limits = f"http://127.0.0.1:{self.port}", httpx.Limits(max_connections=None)
        self._client = httpx.Client(base_url=url, timeout=PATIENCE, trust_env=False, limits=limits)

    @property
    def is_over(self) -> bool:
        return time.monotonic() > self.until

    @property
    def key(self) -> dict[str, str]:
        return bearer(self.token)

    def ask(
        self, method: str, path: str, headers: Mapping[str, str] = {}, body: Any = None, content: str | bytes = b""
    ) -> httpx.Response:
        """An answer; one that reports a failure of the service is a fault."""
        given: dict[str, Any] = {"json": body} if body is not None else {"content": content} if content else {}
        answer = self._client.request(method, path, headers=headers, **given)
        self.count(f"{answer.status_code}")
        if answer.status_code >= 500 and answer.status_code not in (503, 507):
            self.fault(f"{method} {path[:100]}: {answer.status_code} {answer.text[:200]}")
        return answer

    def made(self, method: str, path: str, headers: Mapping[str, str], body: Any) -> Any:
        """The JSON of an answer to a request that must succeed."""
        answer = self.ask(method, path, headers, body)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text[:500]}"
        return answer.json()

    def expect(self, what: str, answer: httpx.Response, *statuses: int) -> None:
        """Note a fault unless the answer has one of these statuses."""
        if answer.status_code not in statuses:
            self.fault(f"{what}: {answer.status_code}, expected {statuses}: {answer.text[:200]}")

    def new_token(self, *scopes: str, limit: dict[str, str] | None = None) -> dict[str, Any]:
        name = f"attacker {self.chance.getrandbits(32):08x}"
        made: dict[str, Any] = self.made(
            "POST", f"{API}/tokens", self.key, {"name": name, "scopes": list(scopes), "limit": limit}
        )
        return made

    def new_game(self, **tags: str) -> str:
        made = self.made("POST", f"{API}/games", self.key, {"game": "oware", "tags": tags})
        return str(made["id"])

    def count(self, what: str, number: int = 1) -> None:
        with self.lock:
            self.seen[what] += number

    def fault(self, text: str) -> None:
        """Note what may not be, once for each beginning of a sentence."""
        with self.lock:
            if all(text[:40] != fault[:40] for fault in self.faults):
                self.faults.append(text)

    def open(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def head(self, method: str, path: str, **headers: object) -> bytes:
        """The head of a request, to send by hand; ``_`` in a name stands for ``-``."""
        lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        return "\r\n".join([*lines, "", ""]).encode()

    def at_once(self, count: int, act: Callable[[int], None]) -> None:
        """Have so many clients act again and again until the time is over."""

        def run(number: int) -> None:
            while not self.is_over:
                try:
                    act(number)
                except (OSError, httpx.HTTPError) as error:
                    self.count(type(error).__name__)

        threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(self.seconds + PATIENCE)

    def report(self) -> str:
        return json.dumps({"seen": self.seen, "faults": self.faults})


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def status_of(connection: socket.socket) -> str:
    """The status of the answer on a connection, or ``closed``, or ``none`` if nothing came in time."""
    with suppress(TimeoutError):
        first = connection.recv(64)
        return first.split(b" ")[1].decode() if first.startswith(b"HTTP/") else "closed"
    return "none"
