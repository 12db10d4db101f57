"""A light HTTP client for benchmarks of the service: it runs on the same machine and must not take its time."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field


@dataclass
class Connection:
    """A connection that stays open."""

    port: int
    headers: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._open()
        self._head = "".join(f"{name}: {value}\r\n" for name, value in self.headers.items())

    def _open(self) -> None:
        self._socket = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._rest = b""

    def ask(self, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
        """Send a request; return the status and the body of the answer."""
        kind = "Content-Type: application/json\r\n" if body else ""
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n{self._head}{kind}"
        self._socket.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        head = self._until(b"\r\n\r\n").decode("latin-1").lower()
        length = int(head.split("content-length:")[1].split("\r\n")[0])
        answer = self._read(length)
        if "connection: close" in head:
            self.close()
            self._open()
        return int(head.split()[1]), answer

    def _until(self, mark: bytes) -> bytes:
        while mark not in self._rest:
            self._more()
        part, _, self._rest = self._rest.partition(mark)
        return part

    def _read(self, length: int) -> bytes:
        while len(self._rest) < length:
            self._more()
        part, self._rest = self._rest[:length], self._rest[length:]
        return part

    def _more(self) -> None:
        more = self._socket.recv(65536)
        if not more:
            raise ConnectionError("the service closed the connection within an answer")
        self._rest += more

    def close(self) -> None:
        self._socket.close()


Step = Callable[[Connection], None]


def rate(
    port: int, headers: dict[str, str], clients: list[Iterator[Step]], seconds: float
) -> tuple[float, list[float]]:
    """Run all clients for so many seconds, each for at least one step; return their steps per second together, and the
    time of each step."""
    took: list[list[float]] = [[] for _ in clients]
    failed: list[BaseException] = []
    until = time.perf_counter() + seconds

    def run(steps: Iterator[Step], times: list[float]) -> None:
        connection = Connection(port, headers)
        try:
            for step in steps:
                began = time.perf_counter()
                step(connection)
                ended = time.perf_counter()
                times.append(ended - began)
                if ended > until:
                    return
        except BaseException as error:
            failed.append(error)
            raise
        finally:
            connection.close()

    began = time.perf_counter()
    threads = [threading.Thread(target=run, args=pair) for pair in zip(clients, took, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    passed = time.perf_counter() - began
    if failed:
        raise failed[0]
    times = sorted(seconds for each in took for seconds in each)
    return len(times) / passed, times
