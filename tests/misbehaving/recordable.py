"""A driver that behaves, and whose sessions can be recorded: its board sends three lines, and nothing after them."""

from __future__ import annotations

import itertools

from inkeek.drivers.base import ByteStream, Environment
from inkeek.drivers.boards.counts import CountsBoard


class RecordableDriver(CountsBoard):
    name = "recordable"
    title = "Board with three lines"

    def check_url(self, url: str) -> None: ...

    def environment(self, url: str) -> Environment:
        return _Script()


class _Script:
    def __init__(self) -> None:
        self._times = itertools.count()
        self._lines = [b"4 4 4 4\n", b"0 4 4 4\n", b"0 5 5 5\n"]

    def open(self) -> ByteStream:
        return self  # type: ignore[return-value]

    def clock(self) -> float:
        return next(self._times) / 100

    def wait(self, seconds: float) -> None: ...

    def token(self) -> str:
        return "0000000a"

    def read(self) -> bytes:
        return self._lines.pop(0) if self._lines else b""

    def write(self, data: bytes) -> None: ...

    def close(self) -> None: ...
