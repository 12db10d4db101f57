"""A recorded session in place of a board: the board's side is replayed, while the caller acts live.

A port is ``recorded:FILE``, optionally with ``?speed=20`` or ``?speed=max``. What is sent to the board is
discarded. `recording.playback.Playback` repeats a whole session exactly.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from inkeek.drivers.base import Driver, Guidance, Resume
from inkeek.drivers.errors import DriverError, UrlError
from inkeek.drivers.events import Connected, Disconnected, Event, Numbered, Refused
from inkeek.drivers.ports.transport import READ_WAIT
from inkeek.drivers.recording.file import Recording
from inkeek.drivers.recording.playback import RecordedSession
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
            return RecordedConnection(recording, made_by, resume, speed, self._clock, self._wait)
        except BaseException:
            recording.close()
            raise


class RecordedConnection:
    """The connection of a recorded board: the events after `resume`, `speed` times as fast as they came."""

    def __init__(
        self,
        recording: Recording,
        driver: Driver,
        resume: Resume | None,
        speed: float,
        clock: Callable[[], float],
        wait: Callable[[float], None],
    ) -> None:
        """:raises RecordingError: the driver has no sessions."""
        items = (item for item in recording.items() if item.kind in _BY_BOARD)
        self._recorded = RecordedSession(items, driver, recording.header.resume)
        self._recording = recording
        # Events before the recording's own `resume` are not in it.
        self._skip_until = None if resume == recording.header.resume else resume
        self._speed, self._clock, self._wait = speed, clock, wait
        self._seen = clock()
        self._time = 0.0  # of the recording
        self._closed = False

    @property
    def over(self) -> bool:
        """Whether the whole recording was played."""
        return self._recorded.next is None

    def poll(self, timeout: float) -> Sequence[Event]:
        """See `base.Connection.poll`."""
        if self._closed:
            raise DriverError("the connection to the board is closed")
        deadline = self._clock() + timeout
        while True:
            events = [event for event in self._step() if not self._skips(event)]
            if events or self._clock() >= deadline:
                return events

    def acknowledge(self, event: Numbered) -> None:
        self._recorded.session.acknowledge(event)

    def show(self, guidance: Guidance) -> None:
        self._recorded.session.show(guidance)

    def close(self) -> None:
        self._closed = True
        self._recording.close()

    def _step(self) -> list[Event]:
        """Play the next item if its time has come, else wait as long as a read of a real port does."""
        self._advance()
        item, events = self._recorded.next, list[Event]()
        if item is None:
            cut = self._recording.cut
            events += self._recorded.close_port("the recording is over" + (f": {cut}" if cut else ""))
            self._wait(READ_WAIT)
        elif self._speed == math.inf or self._time >= item.t:
            self._time = max(self._time, item.t)
            events += self._recorded.feed(self._recorded.take(), self._time)
        else:
            self._wait(min(READ_WAIT, (item.t - self._time) / self._speed))
            self._advance()
        events += self._recorded.pass_time(self._time)
        self._recorded.session.bytes_to_send()  # to nobody: the board's side is fixed
        return events

    def _advance(self) -> None:
        """Let time pass, but not beyond the next item: if it came late, the board would seem to have been silent."""
        now = self._clock()
        passed, self._seen = now - self._seen, now
        if self._recorded.next is not None and self._speed < math.inf:
            self._time = min(self._time + passed * self._speed, max(self._time, self._recorded.next.t))

    def _skips(self, event: Event) -> bool:
        """Whether the caller had this event before: it resumes in the middle of the recording."""
        if self._skip_until is None or isinstance(event, Connected | Disconnected | Refused):
            return False
        if isinstance(event, Numbered):
            self.acknowledge(event)
            if (event.boot, event.seq) == self._skip_until:
                self._skip_until = None
        return True


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
