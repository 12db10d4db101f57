"""Plays a recorded session again: the same bytes at the same times and the same calls give the same events.

What the host sends now is compared with what it sent then. On the version that made the recording both are equal, byte
for byte. Differences are noted and do not stop the playback, so recordings can be tried on later versions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, runtime_checkable

from inkeek.drivers.base import Driver, Resume
from inkeek.drivers.errors import DriverError, RecordingError
from inkeek.drivers.events import Event, Numbered
from inkeek.drivers.ports.connection import BoardSession

from .file import Item, Recording
from .json_form import read_guidance

MAX_DIFFERENCES = 1000  # that are kept; all are counted
MAX_DELIVERED = 10_000  # events that can still be acknowledged: a board holds some hundreds
MAX_QUOTED = 120  # characters of bytes in a difference


@runtime_checkable
class HasSessions(Protocol):
    """A driver whose boards have sessions, as those of a `ports.driver.PortDriver`."""

    def session(self, token: Callable[[], str], resume: Resume | None) -> BoardSession:
        """See `PortDriver.session`."""


class RecordedSession:
    """A session that gets its bytes from the items of a recording. `next` is the item that comes next; None: the end.

    `is_open`: whether it has a port.

    :raises RecordingError: the driver has no sessions.
    """

    def __init__(self, items: Iterable[Item], driver: Driver, resume: Resume | None) -> None:
        if not isinstance(driver, HasSessions):
            raise RecordingError(f"driver {driver.name!r} cannot play recordings: it has no method 'session'")
        self._items = iter(items)
        self.next: Item | None = next(self._items, None)
        self.session = driver.session(self._token, resume)
        self.is_open = False

    def take(self) -> Item:
        """Return the next item, and go on to the one after it."""
        assert self.next is not None
        item, self.next = self.next, next(self._items, None)
        return item

    def feed(self, item: Item, now: float) -> list[Event]:
        """Have the session see what the board and its line did, at `now`."""
        if item.kind == "open":
            self.is_open = True
            self.session.port_opened(now)
        elif item.kind == "board":
            return self.pass_time(now, item.data)
        elif item.kind == "lost":
            return self.close_port(str(item.value))
        elif item.kind == "close":
            return self.close_port("the port was closed at this time")
        return []

    def pass_time(self, now: float, data: bytes = b"") -> list[Event]:
        """Have the session read the port, and do what is due."""
        if not self.is_open:
            return []
        events = [*self.session.receive(data, now), *self.session.tick(now)]
        self.is_open = not self.session.gave_up
        return events

    def close_port(self, reason: str) -> list[Event]:
        """Take the port away, if the session has one."""
        was_open, self.is_open = self.is_open, False
        return self.session.port_closed(reason) if was_open else []

    def _token(self) -> str:
        is_recorded = self.next is not None and self.next.kind == "token"
        return str(self.take().value) if is_recorded else "00000000"


class Playback:
    """One playback of a recording. `differences` change while `events` is iterated.

    `wait` is called with the seconds that pass between two items; None plays everything at once.
    """

    def __init__(self, recording: Recording, driver: Driver, wait: Callable[[float], None] | None = None) -> None:
        """:raises RecordingError: the driver has no sessions."""
        self.recording = recording
        self.differences: list[str] = []
        self.count = 0  # of all differences
        self.time = 0.0  # of the recording, in seconds
        self._recorded = RecordedSession(recording.items(), driver, recording.header.resume)
        self._wait = wait
        self._delivered: dict[tuple[str, int], Numbered] = {}

    def events(self) -> Iterator[tuple[float, Event]]:
        """Return the events with their times, as the caller got them then."""
        is_ended = False
        while self._recorded.next is not None and self._recorded.next.kind != "full":
            item = self._recorded.take()
            if self._wait is not None and item.t > self.time:
                self._wait(item.t - self.time)
            self.time = item.t
            for event in self._play(item, is_ended):
                if isinstance(event, Numbered):
                    self._delivered[event.boot, event.seq] = event
                    if len(self._delivered) > MAX_DELIVERED:
                        del self._delivered[next(iter(self._delivered))]
                if not is_ended:
                    yield self.time, event
            is_ended = is_ended or item.kind == "end"

    def _play(self, item: Item, is_ended: bool) -> list[Event]:
        if item.kind in ("ack", "show", "calibrate"):
            self._call(item)
        elif item.kind == "token":
            self._differ("the recording has 'token', which does not happen now")
        elif item.kind == "host":
            return self._compare(item.data, is_ended)
        elif item.kind in ("open", "board", "lost", "close"):
            sent = self._compare(item.unsent or b"", is_ended)
            silence = self._recorded.pass_time(item.t) if item.kind == "close" and not is_ended else []
            expected = is_ended if item.kind == "close" else item.kind != "open"
            if self._recorded.is_open is not expected:
                state = "open" if self._recorded.is_open else "closed"
                self._differ(f"the recording has {item.kind!r}, but the port is {state} now")
            return [*sent, *silence, *self._recorded.feed(item, item.t)]
        return []

    def _call(self, item: Item) -> None:
        try:
            if item.kind == "ack":
                event = self._delivered.get((item.value[0], item.value[1]))
                if event is None:
                    self._differ(
                        f"event {item.value[1]} of boot {item.value[0]} was acknowledged then, but is missing now"
                    )
                else:
                    self._recorded.session.acknowledge(event)
            elif item.kind == "show":
                self._recorded.session.show(read_guidance(item.value))
            else:
                self._recorded.session.calibrate(*item.value)
        except (DriverError, TypeError) as error:
            self._differ(f"{item.kind} {item.value!r} worked then, but fails now: {error}")

    def _compare(self, then: bytes, is_ended: bool) -> list[Event]:
        """Compare what the host sends with what it sent then, perhaps a moment later than the item before."""
        events: list[Event] = []
        now = self._recorded.session.bytes_to_send()
        if then and not now and not is_ended:
            events = self._recorded.pass_time(self.time)
            now = self._recorded.session.bytes_to_send()
        if now != then:
            was, sends = (quote_bytes(data) if data else "nothing" for data in (then, now))
            self._differ(f"the host sent {was} then, but sends {sends} now")
        return events

    def _differ(self, text: str) -> None:
        self.count += 1
        if len(self.differences) < MAX_DIFFERENCES:
            self.differences.append(f"at {self.time:.6f} s: {text}")


def quote_bytes(data: bytes) -> str:
    """Bytes as text in quotes, of limited length."""
    text = ascii(data.decode("latin-1"))
    return text if len(text) <= MAX_QUOTED else text[:MAX_QUOTED] + "…"
