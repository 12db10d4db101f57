"""A recorded session in place of a board: the board's side is replayed, while the caller acts live.

A port is ``recorded:FILE``, optionally with ``?speed=20`` or ``?speed=max``. What is sent to the board is
discarded. `recording.playback` repeats a whole session exactly.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from inkeek.drivers.base import ByteStream, Connection, Driver, Guidance, Resume, SupportsRecording
from inkeek.drivers.errors import RecordingError, TransportError, UrlError
from inkeek.drivers.events import Connected, Disconnected, Event, Numbered, Refused
from inkeek.drivers.ports.transport import READ_WAIT
from inkeek.drivers.recording.file import Item, Recording
from inkeek.drivers.registry import driver as find_driver
from inkeek.records.errors import ErrorText

MAX_SPEED = 10_000.0
MAX_URL = 4096  # characters
_URL = re.compile(r"recorded:(?P<path>[^?]+)(?:\?speed=(?P<speed>max|[0-9]{1,5}(?:\.[0-9]{1,3})?))?")
_BY_BOARD = ("open", "board", "lost", "close", "token")  # what the board and its line did


class RecordedBoard:
    """The driver whose port is a file."""

    name = "recorded"
    title: str = ErrorText("Recorded session, played again")

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[float], None] = time.sleep,
        find: Callable[[str], Driver] = find_driver,
    ) -> None:
        self._clock = clock
        self._wait = wait
        self._find = find

    def check_url(self, url: str) -> None:
        """Check that `url` can name a recording; opens nothing.

        :raises UrlError: it cannot; says what is expected.
        """
        _read_url(url)

    def open(self, url: str, resume: Resume | None = None) -> RecordedConnection:
        """See `base.Driver.open`."""
        path, speed = _read_url(url)
        recording = Recording(path)
        try:
            made_by = self._find(recording.header.driver)
            if not isinstance(made_by, SupportsRecording):
                raise RecordingError(f"driver {made_by.name!r} cannot play recordings: it has no method 'connect'")
            environment = _ReplayEnvironment(recording, speed, self._clock, self._wait)
            connection = made_by.connect(environment, recording.header.resume)
            return RecordedConnection(connection, environment, recording, resume)
        except BaseException:
            recording.close()
            raise


class RecordedConnection:
    """The connection of a recorded board: the events after `resume`."""

    def __init__(
        self, connection: Connection, environment: _ReplayEnvironment, recording: Recording, resume: Resume | None
    ) -> None:
        self._connection = connection
        self._environment = environment
        self._recording = recording
        # Events before the recording's own `resume` are not in it.
        self._skip_until = None if resume == recording.header.resume else resume

    @property
    def over(self) -> bool:
        """Whether the whole recording was played."""
        return self._environment.next is None

    def poll(self, timeout: float) -> Sequence[Event]:
        return [event for event in self._connection.poll(timeout) if not self._skips(event)]

    def acknowledge(self, event: Numbered) -> None:
        self._connection.acknowledge(event)

    def show(self, guidance: Guidance) -> None:
        self._connection.show(guidance)

    def close(self) -> None:
        self._connection.close()
        self._recording.close()

    def _skips(self, event: Event) -> bool:
        """Whether the caller had this event before: it resumes in the middle of the recording."""
        if self._skip_until is None or isinstance(event, Connected | Disconnected | Refused):
            return False
        if isinstance(event, Numbered):
            self._connection.acknowledge(event)
            if (event.boot, event.seq) == self._skip_until:
                self._skip_until = None
        return True


class _ReplayEnvironment:
    """An environment whose port sends what the board sent, `speed` times as fast, in the time of the recording."""

    def __init__(
        self, recording: Recording, speed: float, clock: Callable[[], float], wait: Callable[[float], None]
    ) -> None:
        self._recording = recording
        self._items: Iterator[Item] = (item for item in recording.items() if item.kind in _BY_BOARD)
        self.next: Item | None = next(self._items, None)
        self._speed = speed
        self._clock = clock
        self._wait = wait
        self._seen = clock()
        self._time = 0.0
        self.is_open = False

    def open(self) -> ByteStream:
        while self.next is not None and self.next.kind != "open":
            self.take()
        if self.next is None:
            raise TransportError(self.end())
        if not self.is_due(self.next):
            raise TransportError("the recording has the port away for a while")
        self.take()
        self.is_open = True
        return _ReplayStream(self)

    def clock(self) -> float:
        if not self.is_open:
            self._advance()
        return self._time  # as when it was recorded, the clock stands still between two reads of the line

    def wait(self, seconds: float) -> None:
        if self.next is None:
            self._wait(seconds)
        elif self._time >= self.next.t:  # the host does not read it yet
            self._time += seconds
        elif self._speed < math.inf:
            self._wait(min(seconds, self.next.t - self._time) / self._speed)
        else:
            self._time = min(self._time + seconds, self.next.t)

    def token(self) -> str:
        if self.next is not None and self.next.kind == "token":
            return str(self.take().value)
        return "00000000"

    def is_due(self, item: Item) -> bool:
        """Whether the item's time has come; at the highest speed asking makes it come."""
        if self._speed == math.inf:
            self._time = max(self._time, item.t)
        self._advance()
        return self._time >= item.t

    def take(self) -> Item:
        """Return the next item, and go on to the one after it."""
        assert self.next is not None
        item, self.next = self.next, next(self._items, None)
        return item

    def pause(self) -> None:
        """Wait as long as a read of a real port does, or until the next item."""
        assert self.next is not None
        self._wait(min(READ_WAIT, (self.next.t - self._time) / self._speed))

    def end(self) -> str:
        cut = self._recording.cut
        return "the recording is over" + (f": {cut}" if cut else "")

    def _advance(self) -> None:
        """Let time pass, but not beyond the next item: if it came late, the board would seem to have been silent."""
        now = self._clock()
        passed, self._seen = now - self._seen, now
        if self.next is None:
            self._time += passed
        elif self._speed < math.inf:
            self._time = min(self._time + passed * self._speed, max(self._time, self.next.t))


class _ReplayStream:
    """The port of a recording, from one opening to the next."""

    def __init__(self, environment: _ReplayEnvironment) -> None:
        self._environment = environment

    def read(self) -> bytes:
        item = self._environment.next
        if item is None:
            self._environment.is_open = False
            raise TransportError(self._environment.end())
        if not self._environment.is_due(item):
            self._environment.pause()
            return b""
        if item.kind == "board":
            return self._environment.take().data
        if item.kind == "lost":
            raise TransportError(str(self._environment.take().value))
        if item.kind in ("open", "close"):
            raise TransportError("the port was closed or opened again at this time")
        self._environment.take()
        return b""

    def write(self, data: bytes) -> None:
        """Do nothing: the board's side is fixed."""

    def close(self) -> None:
        """From now on the clock advances by itself."""
        self._environment.is_open = False


def _read_url(url: str) -> tuple[Path, float]:
    """:raises UrlError: it names no recording."""
    match = _URL.fullmatch(url) if url.isprintable() and len(url) <= MAX_URL else None
    speed = 1.0 if match is None or match["speed"] is None else float(match["speed"].replace("max", "inf"))
    if match is None or not (0 < speed <= MAX_SPEED or speed == math.inf):
        raise UrlError(
            "%(port)r is not a recording: expected recorded:FILE, perhaps with ?speed=20 (at most %(most)g) or "
            "?speed=max",
            port=url[:100],
            most=MAX_SPEED,
        )
    return Path(match["path"]), speed
