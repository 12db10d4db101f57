"""Playing a recorded session again: the same bytes at the same times, the same words of its caller, so the same events.

What the host says now is held against what it said then: on the version that made the recording the two are equal, byte
for byte. A difference is told and does not stop the playing, so that a recording can be tried on a later version.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from drivers.base import ByteStream, Connection, Driver, Guidance, SupportsCalibration, SupportsRecording
from drivers.errors import DriverError, RecordingError, TransportError
from drivers.events import Event, Numbered

from .file import Item, Recording
from .json_form import read_guidance

MAX_DIFFERENCES = 1000  # that are kept; they are all counted
MAX_GIVEN = 10_000  # events that can still be acknowledged: a board holds some hundreds
FUTILE = 10_000  # polls without a step forward after which something must be wrong
SHOWN = 120  # characters of a difference's bytes

_BY_CALLER = ("ack", "show", "calibrate", "end")


class Playback:
    """One playing of a recording. `differences` fills while `events` is gone through, `guidance` is what is shown then.

    `wait` is called with the seconds that passed between two items; None plays all at once.
    """

    def __init__(self, recording: Recording, driver: Driver, wait: Callable[[float], None] | None = None) -> None:
        """:raises RecordingError: the driver is none that could have made the recording."""
        if not isinstance(driver, SupportsRecording):
            raise RecordingError(f"driver {driver.name!r} cannot play recordings: it has no method 'connect'")
        self.recording = recording
        self.differences: list[str] = []
        self.count = 0  # of all differences
        self.guidance: Guidance | None = None
        self.connection: Connection | None = None
        self.time = 0.0  # of the recording, in seconds
        self._driver = driver
        self._world = _World(recording.items(), self.differ, wait)
        self._given: dict[tuple[str, int], Numbered] = {}

    def events(self) -> Iterator[tuple[float, Event]]:
        """The events with their times, as the caller of then got them.

        :raises DriverError: the driver does something that no recording could tell it to.
        """
        if self._world.next is None:
            return  # nothing but a header
        self.connection = self._driver.connect(self._world, self.recording.header.resume)
        try:
            yield from self._go_through(self.connection)
        finally:
            self._world.over()
            self.connection.close()

    def differ(self, text: str) -> None:
        """Note a difference."""
        self.count += 1
        if len(self.differences) < MAX_DIFFERENCES:
            self.differences.append(f"at {self._world.time:.6f} s: {text}")

    def _go_through(self, connection: Connection) -> Iterator[tuple[float, Event]]:
        futile = 0
        while (item := self._world.next) is not None:
            if item.kind in _BY_CALLER:
                self._world.step()
                if item.kind == "end":
                    connection.close()
                    self._world.rest()
                    return
                self._call(connection, item)
                continue
            for event in connection.poll(0.0):
                self.time = self._world.time
                if isinstance(event, Numbered):
                    self._given[event.boot, event.seq] = event
                    if len(self._given) > MAX_GIVEN:
                        del self._given[next(iter(self._given))]
                yield self._world.time, event
            futile = futile + 1 if self._world.next is item else 0
            if futile > FUTILE:
                raise RecordingError(f"the driver never comes to {item.kind!r} at {item.t:.6f} s of the recording")
            self.time = self._world.time

    def _call(self, connection: Connection, item: Item) -> None:
        try:
            if item.kind == "ack":
                event = self._given.get((item.value[0], item.value[1]))
                if event is None:
                    self.differ(f"event {item.value[1]} of boot {item.value[0]} was acknowledged, and is not there now")
                else:
                    connection.acknowledge(event)
            elif item.kind == "show":
                self.guidance = read_guidance(item.value)
                connection.show(self.guidance)
            elif isinstance(connection, SupportsCalibration):
                connection.calibrate(*item.value)
        except (DriverError, TypeError) as error:
            self.differ(f"{item.kind} {item.value!r} went well, and now fails: {error}")


class _World:
    """A environment whose port and time are those of a recording."""

    def __init__(
        self, items: Iterator[Item], differ: Callable[[str], None], wait: Callable[[float], None] | None
    ) -> None:
        self.time = 0.0
        self.next: Item | None = None
        self.differ = differ
        self._items = items
        self._wait = wait
        self._over = False
        self.line: _PlayedLine | None = None
        self._advance()

    def open(self) -> ByteStream:
        if self.next is None or self.next.kind != "open":
            raise TransportError("the recording has the port open no more")
        self.look(self.next)
        self.step()
        self.line = _PlayedLine(self)
        return self.line

    def clock(self) -> float:
        if self.line is None and self.next is not None and self.next.kind == "open":
            self.look(self.next)  # nothing else happens before
        return self.time

    def wait(self, seconds: float) -> None:
        """It passes by itself: see `look`."""

    def token(self) -> str:
        if self.next is not None and self.next.kind == "token":
            token = str(self.next.value)
            self.step()
            return token
        self.differ("a boot id is drawn that was not drawn then")
        return "00000000"

    def look(self, item: Item) -> None:
        """Let time pass until the item."""
        if self._wait is not None and item.t > self.time:
            self._wait(item.t - self.time)
        self.time = item.t

    def step(self) -> None:
        """The next item has been dealt with."""
        self._advance()

    def over(self) -> None:
        """What is said from now on is not compared."""
        self._over = True
        self.next = None

    def rest(self) -> None:
        """Nothing should be left."""
        while self.next is not None and not self._over:
            self.missing(self.next)

    def missing(self, item: Item) -> None:
        """The recording has something that does not happen now."""
        self.look(item)
        if item.kind == "host":
            self.differ(f"the host said {shown(item.data)}, and now says nothing")
        else:
            self.differ(f"the recording has {item.kind!r}, which does not come about now")
        self.step()

    def said(self, data: bytes) -> None:
        """The host says something now."""
        if self._over or self.next is None:
            return  # after the end of what is known
        if self.next.kind != "host":
            self.differ(f"the host says {shown(data)}, and said nothing then")
            return
        if self.next.data != data:
            self.differ(f"the host said {shown(self.next.data)}, and now says {shown(data)}")
        self.step()

    def _advance(self) -> None:
        self.next = None if self._over else next(self._items, None)
        if self.next is not None and self.next.kind == "full":
            self.next = None


class _PlayedLine:
    """The port as it was from one opening to the next."""

    def __init__(self, world: _World) -> None:
        self._world = world
        self._awaited: Item | None = None  # what the host was given the time for, once
        self._gone = False

    def read(self) -> bytes:
        item = self._world.next
        if item is None or item.kind in _BY_CALLER:
            return b""
        if item.kind == "board":
            self._world.look(item)
            self._world.step()
            return item.data
        if item.kind == "lost" and item.unsent is None:
            self._world.look(item)
            self._world.step()
            self._gone = True
            raise TransportError(str(item.value))
        if item.kind == "open":
            self._gone = True
            self._world.differ("the port was opened anew, and is open now")
            raise TransportError("the recording has the port closed here")
        if self._awaited is not item:  # the host said or did something of itself at that time: let it
            self._awaited = item
            self._world.look(item)
        else:
            self._world.missing(item)
        return b""

    def write(self, data: bytes) -> None:
        item = self._world.next
        if item is not None and item.kind == "lost" and item.unsent == data:
            self._world.step()
            self._gone = True
            raise TransportError(str(item.value))
        if data:
            self._world.said(data)

    def close(self) -> None:
        if self._world.line is self:
            self._world.line = None
        item = self._world.next
        if self._gone or item is None:
            return
        self._gone = True
        if item.kind == "close":
            self._world.step()
        else:
            self._world.differ("the port is closed, and was not closed then")


def shown(data: bytes) -> str:
    """Bytes as text in quotes, of bounded length."""
    text = ascii(data.decode("latin-1"))
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"
