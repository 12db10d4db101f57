"""A recorded session in place of a board: what came from the board comes again, and its caller plays it anew.

A port is ``recorded:FILE``, with ``?speed=20`` or ``?speed=max`` behind it if it is not to take as long as it took.
What is said to the board is not sent anywhere. For playing a session exactly as it was there is `playback`.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from drivers.base import ByteStream, Connection, Guidance, Resume, SupportsRecording
from drivers.errors import RecordingError, TransportError, UrlError
from drivers.events import Connected, Disconnected, Event, Numbered, Refused
from drivers.ports.transport import READ_WAIT
from drivers.recording.file import Item, Recording
from drivers.registry import driver as find_driver

MAX_SPEED = 10_000.0
MAX_URL = 4096  # characters
_URL = re.compile(r"recorded:(?P<path>[^?]+)(?:\?speed=(?P<speed>max|[0-9]{1,5}(?:\.[0-9]{1,3})?))?")
_BOARDS = ("open", "board", "lost", "close", "token")  # what the board and its line did


class RecordedBoard:
    """The driver whose port is a file."""

    name = "recorded"
    title = "Recorded session, played again"

    def __init__(self, clock: Callable[[], float] = time.monotonic, wait: Callable[[float], None] = time.sleep) -> None:
        self._clock = clock
        self._wait = wait

    def check_url(self, url: str) -> None:
        """Whether `url` can name a recording; opens nothing.

        :raises UrlError: it cannot; says what could.
        """
        _read_url(url)

    def open(self, url: str, resume: Resume | None = None) -> RecordedSession:
        """See `base.Driver.open`."""
        path, speed = _read_url(url)
        recording = Recording(path)
        try:
            made_by = find_driver(recording.header.driver)
            if not isinstance(made_by, SupportsRecording):
                raise RecordingError(f"driver {made_by.name!r} cannot play recordings: it has no method 'connect'")
            environment = _ReplayWiring(recording, speed, self._clock, self._wait)
            return RecordedSession(
                made_by.connect(environment, recording.header.resume), environment, recording, resume
            )
        except BaseException:
            recording.close()
            raise


class RecordedSession:
    """The connection that the recorded board gives once more, from the event after `resume` on."""

    def __init__(
        self, connection: Connection, environment: _ReplayWiring, recording: Recording, resume: Resume | None
    ) -> None:
        self._connection = connection
        self._environment = environment
        self._recording = recording
        # What the recording itself resumed from is behind it already.
        self._until = None if resume == recording.header.resume else resume

    @property
    def over(self) -> bool:
        """Whether everything has been said."""
        return self._environment.next is None

    def poll(self, timeout: float) -> Sequence[Event]:
        return [event for event in self._connection.poll(timeout) if not self._had(event)]

    def acknowledge(self, event: Numbered) -> None:
        self._connection.acknowledge(event)

    def show(self, guidance: Guidance) -> None:
        self._connection.show(guidance)

    def close(self) -> None:
        self._connection.close()
        self._recording.close()

    def _had(self, event: Event) -> bool:
        """Whether the caller has had this before: it goes on in the middle of the recording."""
        if self._until is None or isinstance(event, Connected | Disconnected | Refused):
            return False
        if isinstance(event, Numbered):
            self._connection.acknowledge(event)
            if (event.boot, event.seq) == self._until:
                self._until = None
        return True


class _ReplayWiring:
    """A environment whose port says what the board said, `speed` times as fast; the time is that of the recording."""

    def __init__(
        self, recording: Recording, speed: float, clock: Callable[[], float], wait: Callable[[float], None]
    ) -> None:
        self._recording = recording
        self._items: Iterator[Item] = (item for item in recording.items() if item.kind in _BOARDS)
        self._next: Item | None = next(self._items, None)
        self._speed = speed
        self._clock = clock
        self._wait = wait
        self._seen = clock()
        self._time = 0.0
        self.is_open = False

    def open(self) -> ByteStream:
        while self._next is not None and self._next.kind != "open":
            self.take()
        if self._next is None:
            raise TransportError(self.over())
        if not self.due(self._next):
            raise TransportError("the recording has the port away for a while")
        self.take()
        self.is_open = True
        return _ReplayLine(self)

    def clock(self) -> float:
        if not self.is_open:
            self._look()
        return self._time  # as when it was recorded: it stands still between two looks at the line

    def wait(self, seconds: float) -> None:
        if self._next is None:
            self._wait(seconds)
        elif self._time >= self._next.t:  # the host will not have it yet
            self._time += seconds
        elif self._speed < math.inf:
            self._wait(min(seconds, self._next.t - self._time) / self._speed)
        else:
            self._time = min(self._time + seconds, self._next.t)

    def token(self) -> str:
        if self._next is not None and self._next.kind == "token":
            return str(self.take().value)
        return "00000000"

    @property
    def next(self) -> Item | None:
        return self._next

    def due(self, item: Item) -> bool:
        """Whether its time has come; at greatest speed it comes by being asked for."""
        if self._speed == math.inf:
            self._time = max(self._time, item.t)
        self._look()
        return self._time >= item.t

    def _look(self) -> None:
        """Let time pass, up to what comes next: that never comes late, or the board would seem to have been silent."""
        now = self._clock()
        passed, self._seen = now - self._seen, now
        if self._next is None:
            self._time += passed
        elif self._speed < math.inf:
            self._time = min(self._time + passed * self._speed, max(self._time, self._next.t))

    def take(self) -> Item:
        assert self._next is not None
        item, self._next = self._next, next(self._items, None)
        return item

    def pause(self) -> None:
        """Wait as long as a read of a real port does, or until something comes."""
        assert self._next is not None
        self._wait(min(READ_WAIT, (self._next.t - self._time) / self._speed))

    def over(self) -> str:
        cut = self._recording.cut
        return "the recording is over" + (f": {cut}" if cut else "")


class _ReplayLine:
    """The port of a recording, from one opening to the next."""

    def __init__(self, environment: _ReplayWiring) -> None:
        self._environment = environment

    def read(self) -> bytes:
        item = self._environment.next
        if item is None:
            self._environment.is_open = False
            raise TransportError(self._environment.over())
        if not self._environment.due(item):
            self._environment.pause()
            return b""
        if item.kind == "board":
            return self._environment.take().data
        if item.kind == "lost":
            raise TransportError(str(self._environment.take().value))
        if item.kind in ("open", "close"):
            raise TransportError("the port was opened anew then")
        self._environment.take()
        return b""

    def write(self, data: bytes) -> None:
        """It goes nowhere: the board has said its part."""

    def close(self) -> None:
        """From now on time passes whatever comes next."""
        self._environment.is_open = False


def _read_url(url: str) -> tuple[Path, float]:
    """:raises UrlError: it names no recording."""
    match = _URL.fullmatch(url) if url.isprintable() and len(url) <= MAX_URL else None
    speed = 1.0 if match is None or match["speed"] is None else float(match["speed"].replace("max", "inf"))
    if match is None or not (0 < speed <= MAX_SPEED or speed == math.inf):
        raise UrlError(
            f"not a recording: {url[:100]!r}: recorded:FILE is needed, perhaps with ?speed=20 (up to {MAX_SPEED:g}) or "
            "?speed=max behind it"
        )
    return Path(match["path"]), speed
