"""The file of a recorded session with a board (`docs/recordings.md`): written line by line, read as far as it is whole.

Lines of JSON. The first is the header; each further one is something that happened, with the time in seconds since the
first. Bytes stand as text, one character a byte.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from drivers.base import Resume
from drivers.errors import RecordingError

FORMAT = 1
MAX_SIZE = 64 << 20  # bytes of one recording; an idle board says about 8 MB a day
MIN_SIZE = 4096
MAX_ITEM = 64 << 10  # bytes of a line: the 4096 bytes of one read, each of them escaped, are 24 kB

# What an item may be, and the type of what it says.
KINDS: dict[str, type] = {
    "open": bool,  # the port was opened
    "board": str,  # bytes that came from the board
    "host": str,  # bytes that were sent to it
    "lost": str,  # the port went away, and why; with `unsent` while these bytes were being sent
    "close": bool,  # the host closed the port, to open it again
    "ack": list,  # the caller acknowledged the event [boot, seq]
    "show": dict,  # the caller had this guidance shown
    "calibrate": list,  # the caller had the board calibrated: [pit or null, seeds]
    "token": str,  # a boot id that was drawn for a board that has none
    "end": bool,  # the caller closed the connection; at most its last words and `close` follow
    "full": int,  # the file has this many bytes and may not grow: what came then is not in it
}


@dataclass(frozen=True, slots=True)
class Header:
    """What a recording is of. `started`: UTC, ISO 8601. `resume`: the event the session went on after. `host`: who."""

    driver: str
    port: str
    started: str
    host: str
    resume: Resume | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """Something that happened at `t` seconds: one of `KINDS`, and what it says. `unsent`: see ``lost``."""

    t: float
    kind: str
    value: Any
    unsent: bytes | None = None

    @property
    def data(self) -> bytes:
        """The bytes of ``board`` and ``host``."""
        return str(self.value).encode("latin-1")


class RecordingWriter:
    """Writes a recording; each item goes to the system at once, so that a process that is killed loses at most one.

    A file that cannot be written any more, or has grown to `max_size` bytes, is closed and `stopped` says why: a
    recording never stops a game.
    """

    def __init__(self, path: Path, header: Header, max_size: int = MAX_SIZE) -> None:
        """:raises RecordingError: there is such a file already, or it cannot be made."""
        self.path = path
        self.stopped: str | None = None
        self._max_size = max_size
        self._size = 0
        try:
            self._file: IO[bytes] = open(path, "xb", buffering=0)  # noqa: SIM115 - closed by `close`
        except OSError as error:
            raise RecordingError(f"cannot record to {path}: {error.strerror}") from error
        top = {
            "inkeek-recording": FORMAT,
            "driver": header.driver,
            "port": header.port,
            "started": header.started,
            "host": header.host,
            "resume": header.resume,
        }
        self._write(_line(top))

    def add(self, item: Item) -> None:
        """Append an item."""
        if self.stopped is not None:
            return
        told: dict[str, Any] = {"t": item.t, item.kind: item.value}
        if item.unsent is not None:
            told["unsent"] = item.unsent.decode("latin-1")
        line = _line(told)
        if self._size + len(line) > self._max_size:
            self._write(_line({"t": item.t, "full": self._max_size}))
            self._stop(f"it is full: a recording has at most {self._max_size} bytes")
        else:
            self._write(line)

    def close(self) -> None:
        """Close the file. May be called twice."""
        if self.stopped is None:
            self._stop("it was closed")

    def _write(self, line: bytes) -> None:
        try:
            written = self._file.write(line)
            if written != len(line):
                raise OSError(0, "only a part of a line could be written")
            self._size += written
        except OSError as error:
            self._stop(error.strerror or str(error))

    def _stop(self, reason: str) -> None:
        self.stopped = reason
        with suppress(OSError):
            self._file.close()


class Recording:
    """A recording that is being read, in one go. `cut` tells in the end where and why it breaks off, if it does."""

    def __init__(self, path: Path) -> None:
        """:raises RecordingError: the file cannot be read, or is no recording."""
        self.path = path
        self.cut: str | None = None
        try:
            self._file: IO[bytes] = open(path, "rb")  # noqa: SIM115 - closed by `close`
        except OSError as error:
            raise RecordingError(f"cannot read {path}: {error.strerror}") from error
        try:
            if os.fstat(self._file.fileno()).st_size > 2 * MAX_SIZE:
                raise RecordingError(f"{path} has more than {2 * MAX_SIZE} bytes, and no recording has")
            line = self._file.readline(MAX_ITEM)
            self.header = _header(path, line)
        except OSError as error:
            self._file.close()
            raise RecordingError(f"cannot read {path}: {error.strerror}") from error
        except RecordingError:
            self._file.close()
            raise
        self._at = len(line)

    def items(self) -> Iterator[Item]:
        """The items, in order, up to the end or to where the file is cut or damaged."""
        number, ended, last = 1, False, 0.0
        while line := self._file.readline(MAX_ITEM):
            number += 1
            where = f"line {number} (byte {self._at})"
            if not line.endswith(b"\n"):
                self.cut = f"{where} is incomplete"
                return
            try:
                item = _item(line, last)
            except (ValueError, RecursionError) as error:
                self.cut = f"{where} is no item of a recording: {error}"
                return
            self._at += len(line)
            last = item.t
            ended = ended or item.kind in ("end", "full")
            yield item
        if not ended:
            self.cut = f"it breaks off after line {number} (byte {self._at}): the session was not ended"

    def close(self) -> None:
        """Close the file. May be called twice."""
        self._file.close()


def _line(told: dict[str, Any]) -> bytes:
    return json.dumps(told, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"


def _header(path: Path, line: bytes) -> Header:
    """The header in the first line. What stands in a file that is no recording is not quoted: it may be anybody's."""
    try:
        told = json.loads(line.decode("utf-8"))
        version = told["inkeek-recording"]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise RecordingError(f"{path} is no recording: its first line is not the header of one") from error
    if version != FORMAT:
        raise RecordingError(f"{path} is a recording of format {str(version)[:20]}: known is {FORMAT}")
    resume = told.get("resume")
    texts = [told.get(name) for name in ("driver", "port", "started", "host")]
    if not all(isinstance(text, str) for text in texts) or not (resume is None or _is_event(resume)):
        raise RecordingError(f"{path} has a header that does not tell driver, port, started, host and resume")
    driver, port, started, host = map(str, texts)
    return Header(driver, port, started, host, None if resume is None else (resume[0], resume[1]))


def _item(line: bytes, last: float) -> Item:
    """:raises ValueError: it is none; says what is wrong."""
    told = json.loads(line.decode("utf-8"))
    if not isinstance(told, dict):
        raise ValueError("not an object")
    t = told.get("t")
    if isinstance(t, bool) or not isinstance(t, int | float) or not last <= t < 1e9:
        raise ValueError(f"t is {t!r}: expected seconds, {last:g} or more")
    kinds = [kind for kind in KINDS if kind in told]
    if len(kinds) != 1 or not isinstance(told[kinds[0]], KINDS[kinds[0]]):
        raise ValueError(f"expected one of {', '.join(KINDS)}")
    kind, value, unsent = kinds[0], told[kinds[0]], told.get("unsent")
    if not isinstance(unsent, str | None):
        raise ValueError(f"unsent is {unsent!r}: expected text")
    if kind == "ack" and not _is_event(value):
        raise ValueError(f"ack is {value!r}: expected [boot id, number]")
    if kind in ("board", "host"):
        value.encode("latin-1")  # a ValueError when it cannot be bytes
    return Item(float(t), kind, value, None if unsent is None else unsent.encode("latin-1"))


def _is_event(told: object) -> bool:
    """Whether it is [boot, seq]."""
    return (
        isinstance(told, list)
        and len(told) == 2
        and isinstance(told[0], str)
        and isinstance(told[1], int)
        and not isinstance(told[1], bool)
    )
