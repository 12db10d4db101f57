"""Plays a recorded session again: the same bytes at the same times and the same calls give the same events.

What the host sends now is compared with what it sent then. On the version that made the recording both are equal, byte
for byte. Differences are noted and do not stop the playback, so recordings can be tried on later versions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from inkeek.drivers.base import ByteStream, Connection, Driver, Guidance, SupportsCalibration, SupportsRecording
from inkeek.drivers.errors import DriverError, RecordingError, TransportError
from inkeek.drivers.events import Event, Numbered

from .file import Item, Recording
from .json_form import read_guidance

MAX_DIFFERENCES = 1000  # that are kept; all are counted
MAX_DELIVERED = 10_000  # events that can still be acknowledged: a board holds some hundreds
MAX_IDLE_POLLS = 10_000  # polls without progress after which something must be wrong
MAX_QUOTED = 120  # characters of bytes in a difference

_BY_CALLER = ("ack", "show", "calibrate", "challenge", "end")


class Playback:
    """One playback of a recording. `differences` and `guidance` change while `events` is iterated.

    `wait` is called with the seconds that pass between two items; None plays everything at once.
    """

    def __init__(self, recording: Recording, driver: Driver, wait: Callable[[float], None] | None = None) -> None:
        """:raises RecordingError: the driver does not support recording."""
        if not isinstance(driver, SupportsRecording):
            raise RecordingError(f"driver {driver.name!r} cannot play recordings: it has no method 'connect'")
        self.recording = recording
        self.differences: list[str] = []
        self.count = 0  # of all differences
        self.guidance: Guidance | None = None
        self.connection: Connection | None = None
        self.time = 0.0  # of the recording, in seconds
        self._driver = driver
        self._recorded = _RecordedEnvironment(recording.items(), self.differ, wait)
        self._delivered: dict[tuple[str, int], Numbered] = {}

    def events(self) -> Iterator[tuple[float, Event]]:
        """Return the events with their times, as the caller got them then.

        :raises DriverError: the driver does something that no recording can make it do.
        """
        if self._recorded.next is None:
            return  # nothing but a header
        self.connection = self._driver.connect(self._recorded, self.recording.header.resume)
        try:
            yield from self._play(self.connection)
        finally:
            self._recorded.stop_comparing()
            self.connection.close()

    def differ(self, text: str) -> None:
        """Note a difference."""
        self.count += 1
        if len(self.differences) < MAX_DIFFERENCES:
            self.differences.append(f"at {self._recorded.time:.6f} s: {text}")

    def _play(self, connection: Connection) -> Iterator[tuple[float, Event]]:
        idle_polls = 0
        while (item := self._recorded.next) is not None:
            if item.kind in _BY_CALLER:
                self._recorded.advance()
                if item.kind == "end":
                    connection.close()
                    self._recorded.report_rest()
                    return
                self._call(connection, item)
                continue
            for event in connection.poll(0.0):
                self.time = self._recorded.time
                if isinstance(event, Numbered):
                    self._delivered[event.boot, event.seq] = event
                    if len(self._delivered) > MAX_DELIVERED:
                        del self._delivered[next(iter(self._delivered))]
                yield self._recorded.time, event
            idle_polls = idle_polls + 1 if self._recorded.next is item else 0
            if idle_polls > MAX_IDLE_POLLS:
                raise RecordingError(f"the driver never reaches {item.kind!r} at {item.t:.6f} s of the recording")
            self.time = self._recorded.time

    def _call(self, connection: Connection, item: Item) -> None:
        try:
            if item.kind == "ack":
                event = self._delivered.get((item.value[0], item.value[1]))
                if event is None:
                    self.differ(
                        f"event {item.value[1]} of boot {item.value[0]} was acknowledged then, but is missing now"
                    )
                else:
                    connection.acknowledge(event)
            elif item.kind == "show":
                self.guidance = read_guidance(item.value)
                connection.show(self.guidance)
            elif item.kind == "calibrate" and isinstance(connection, SupportsCalibration):
                connection.calibrate(*item.value)
        except (DriverError, TypeError) as error:
            self.differ(f"{item.kind} {item.value!r} worked then, but fails now: {error}")


class _RecordedEnvironment:
    """An environment whose port and time are those of a recording."""

    def __init__(
        self, items: Iterator[Item], differ: Callable[[str], None], wait: Callable[[float], None] | None
    ) -> None:
        self.time = 0.0
        self.next: Item | None = None
        self.differ = differ
        self.stream: _RecordedStream | None = None
        self._items = items
        self._wait = wait
        self._compares = True
        self.advance()

    def open(self) -> ByteStream:
        if self.next is None or self.next.kind != "open":
            raise TransportError("the recording does not open the port again")
        self.wait_for(self.next)
        self.advance()
        self.stream = _RecordedStream(self)
        return self.stream

    def clock(self) -> float:
        if self.stream is None and self.next is not None and self.next.kind == "open":
            self.wait_for(self.next)  # nothing else happens before
        return self.time

    def wait(self, seconds: float) -> None:
        """Do nothing: `wait_for` lets time pass."""

    def token(self) -> str:
        if self.next is not None and self.next.kind == "token":
            token = str(self.next.value)
            self.advance()
            return token
        self.differ("a boot id is generated that was not generated then")
        return "00000000"

    def wait_for(self, item: Item) -> None:
        """Let time pass until the item."""
        if self._wait is not None and item.t > self.time:
            self._wait(item.t - self.time)
        self.time = item.t

    def advance(self) -> None:
        """Go on to the next item."""
        self.next = next(self._items, None) if self._compares else None
        if self.next is not None and self.next.kind == "full":
            self.next = None

    def stop_comparing(self) -> None:
        self._compares = False
        self.next = None

    def report_rest(self) -> None:
        """Report all items that are left."""
        while self.next is not None:
            self.report_missing(self.next)

    def report_missing(self, item: Item) -> None:
        """Report an item that does not happen now, and skip it."""
        self.wait_for(item)
        if item.kind == "host":
            self.differ(f"the host sent {quote_bytes(item.data)} then, but nothing now")
        else:
            self.differ(f"the recording has {item.kind!r}, which does not happen now")
        self.advance()

    def compare(self, data: bytes) -> None:
        """The host sends these bytes now."""
        if self.next is None:
            return  # after the end of the recording
        if self.next.kind != "host":
            self.differ(f"the host sends {quote_bytes(data)} now, but sent nothing then")
            return
        if self.next.data != data:
            self.differ(f"the host sent {quote_bytes(self.next.data)} then, but sends {quote_bytes(data)} now")
        self.advance()


class _RecordedStream:
    """The recorded port, from one opening to the next."""

    def __init__(self, recorded: _RecordedEnvironment) -> None:
        self._recorded = recorded
        self._awaited: Item | None = None  # the item whose time the host was given, once
        self._is_gone = False

    def read(self) -> bytes:
        item = self._recorded.next
        if item is None or item.kind in _BY_CALLER:
            return b""
        if item.kind == "board":
            self._recorded.wait_for(item)
            self._recorded.advance()
            return item.data
        if item.kind == "lost" and item.unsent is None:
            self._recorded.wait_for(item)
            self._recorded.advance()
            self._is_gone = True
            raise TransportError(str(item.value))
        if item.kind == "open":
            self._is_gone = True
            self._recorded.differ("the port was opened again then, but is open now")
            raise TransportError("the recording has the port closed here")
        if self._awaited is not item:  # the host sent or did something at that time: let it
            self._awaited = item
            self._recorded.wait_for(item)
        else:
            self._recorded.report_missing(item)
        return b""

    def write(self, data: bytes) -> None:
        item = self._recorded.next
        if item is not None and item.kind == "lost" and item.unsent == data:
            self._recorded.advance()
            self._is_gone = True
            raise TransportError(str(item.value))
        if data:
            self._recorded.compare(data)

    def close(self) -> None:
        if self._recorded.stream is self:
            self._recorded.stream = None
        item = self._recorded.next
        if self._is_gone or item is None:
            return
        self._is_gone = True
        if item.kind == "close":
            self._recorded.advance()
        else:
            self._recorded.differ("the port is closed now, but was not closed then")


def quote_bytes(data: bytes) -> str:
    """Bytes as text in quotes, of limited length."""
    text = ascii(data.decode("latin-1"))
    return text if len(text) <= MAX_QUOTED else text[:MAX_QUOTED] + "…"
