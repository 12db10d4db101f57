"""The file of a recorded session with a board (`docs/recordings.md`).

Lines of JSON: first the header, then one for each thing that happened, with its time in seconds since the start. Bytes
are stored as text, one character a byte.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from inkeek.drivers.base import Resume
from inkeek.drivers.errors import RecordingError
from inkeek.records.json_codec import JsonError, field_names, from_json, to_json

FORMAT = 1
MAX_SIZE = 64 << 20  # bytes of one recording; an idle board produces about 8 MB a day
MIN_SIZE = 4096
MAX_LINE = 64 << 10  # bytes of a line: the 4096 bytes of one read, each of them escaped, are 24 kB

# The kinds of items: the type of the value, what it is, and what happened.
KINDS: dict[str, tuple[type, str, str]] = {
    "open": (bool, "true", "the port was opened, first or again"),
    "board": (str, "text", "bytes came from the board"),
    "host": (str, "text", "bytes were sent to it"),
    "lost": (str, "text", "the port was lost, for this reason; `unsent`, if given, has the bytes that were being sent"),
    "close": (bool, "true", "the host closed the port, at the end or because the board was silent"),
    "ack": (list, "`[boot id, number]`", "the host acknowledged this event: its consequences are stored"),
    "show": (
        dict,
        "object",
        "the host showed `to_move` (`South`, `North`, null), `errors` (pits), `refused`, `over`, …",
    ),
    "calibrate": (list, "`[pit or null, seeds]`", "the host requested a calibration step; null: tare"),
    "challenge": (list, "list", "a host of an earlier version had the board prove its serial number: passed over"),
    "token": (str, "text", "a boot id was generated for a board that has none"),
    "end": (bool, "true", "the host closed the board; its last bytes and `close` may follow"),
    "full": (int, "bytes", "the file reached its limit"),
}


@dataclass(frozen=True, slots=True)
class Header:
    """What was recorded. `started`: UTC, ISO 8601. `host`: program and version. `resume`: as for `Driver.open`."""

    driver: str
    port: str
    started: str
    host: str
    resume: Resume | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """Something that happened at `t` seconds: one of `KINDS` and its value. `unsent`: see ``lost``."""

    t: float
    kind: str
    value: Any
    unsent: bytes | None = None

    @property
    def data(self) -> bytes:
        """The bytes of ``board`` and ``host``."""
        return str(self.value).encode("latin-1")


class RecordingWriter:
    """Writes a recording. Each item is written at once, so that a process that is killed loses at most one.

    When the file cannot be written or has reached `max_size` bytes, it is closed and `stopped` says why. Nothing is
    raised then: a recording must not stop a game.
    """

    def __init__(self, path: Path, header: Header, max_size: int = MAX_SIZE) -> None:
        """:raises RecordingError: the file exists already, or cannot be created."""
        self.path = path
        self.stopped: str | None = None
        self._max_size = max_size
        self._size = 0
        try:
            self._file: IO[bytes] = open(path, "xb", buffering=0)  # noqa: SIM115 - closed by `close`
        except OSError as error:
            raise RecordingError(f"cannot record to {path}: {error.strerror}") from error
        self._write(_line({"inkeek-recording": FORMAT, **to_json(header)}))

    def add(self, item: Item) -> None:
        """Append an item."""
        if self.stopped is not None:
            return
        data: dict[str, Any] = {"t": item.t, item.kind: item.value}
        if item.unsent is not None:
            data["unsent"] = item.unsent.decode("latin-1")
        line = _line(data)
        if self._size + len(line) > self._max_size:
            self._write(_line({"t": item.t, "full": self._max_size}))
            self._stop(f"the recording has reached its limit of {self._max_size} bytes")
        else:
            self._write(line)

    def close(self) -> None:
        """Close the file. May be called twice."""
        if self.stopped is None:
            self._stop("closed")

    def _write(self, line: bytes) -> None:
        try:
            written = self._file.write(line)
            if written != len(line):
                raise OSError(0, "only part of a line could be written")
            self._size += written
        except OSError as error:
            self._stop(error.strerror or str(error))

    def _stop(self, reason: str) -> None:
        self.stopped = reason
        with suppress(OSError):
            self._file.close()


class Recording:
    """Reads a recording once, from start to end. `cut` then says where and why it breaks off, if it does."""

    def __init__(self, path: Path) -> None:
        """:raises RecordingError: the file cannot be read, or is not a recording."""
        self.path = path
        self.cut: str | None = None
        try:
            self._file: IO[bytes] = open(path, "rb")  # noqa: SIM115 - closed by `close`
        except OSError as error:
            raise RecordingError(f"cannot read {path}: {error.strerror}") from error
        try:
            if os.fstat(self._file.fileno()).st_size > 2 * MAX_SIZE:
                raise RecordingError(f"{path} is larger than any recording: more than {2 * MAX_SIZE} bytes")
            line = self._file.readline(MAX_LINE)
            self.header = _header(path, line)
        except OSError as error:
            self._file.close()
            raise RecordingError(f"cannot read {path}: {error.strerror}") from error
        except RecordingError:
            self._file.close()
            raise
        self._at = len(line)

    def items(self) -> Iterator[Item]:
        """Return the items in order, up to the end or to where the file is cut or damaged."""
        number, ended, last = 1, False, 0.0
        while line := self._file.readline(MAX_LINE):
            number += 1
            where = f"line {number} (byte {self._at})"
            if not line.endswith(b"\n"):
                self.cut = f"{where} is incomplete"
                return
            try:
                item = _item(line, last)
            except (ValueError, RecursionError) as error:
                self.cut = f"{where} is not an item of a recording: {error}"
                return
            self._at += len(line)
            last = item.t
            ended = ended or item.kind in ("end", "full")
            yield item
        if not ended:
            self.cut = f"the end is missing after line {number} (byte {self._at})"

    def close(self) -> None:
        """Close the file. May be called twice."""
        self._file.close()


def _line(data: dict[str, Any]) -> bytes:
    return json.dumps(data, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"


def _header(path: Path, line: bytes) -> Header:
    """Read the first line. The error does not quote it: a file that is not a recording may be confidential."""
    try:
        data = json.loads(line.decode("utf-8"))
        version = data["inkeek-recording"]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise RecordingError(f"{path} is not a recording: its first line is not the header of one") from error
    if version != FORMAT:
        raise RecordingError(f"{path} is a recording of format {str(version)[:20]}; this version reads format {FORMAT}")
    try:
        return from_json({name: data[name] for name in field_names(Header) if name in data}, Header)
    except JsonError as error:
        raise RecordingError(f"{path}: expected driver, port, started, host and resume in the first line") from error


def _item(line: bytes, last: float) -> Item:
    """:raises ValueError: the line is not an item; says what is wrong."""
    data = json.loads(line.decode("utf-8"))
    if not isinstance(data, dict):
        raise ValueError("expected an object")
    t = data.get("t")
    if isinstance(t, bool) or not isinstance(t, int | float) or not last <= t < 1e9:
        raise ValueError(f"t is {t!r}: expected seconds, {last:g} or more")
    kinds = [kind for kind in KINDS if kind in data]
    if len(kinds) != 1 or not isinstance(data[kinds[0]], KINDS[kinds[0]][0]):
        raise ValueError(f"expected one of {', '.join(KINDS)}")
    kind, value, unsent = kinds[0], data[kinds[0]], data.get("unsent")
    if not isinstance(unsent, str | None):
        raise ValueError(f"unsent is {unsent!r}: expected text")
    if kind == "ack" and list(map(type, value)) != [str, int]:
        raise ValueError(f"ack is {value!r}: expected [boot id, number]")
    if kind in ("board", "host"):
        value.encode("latin-1")  # a ValueError if the text is not bytes
    return Item(float(t), kind, value, None if unsent is None else unsent.encode("latin-1"))
