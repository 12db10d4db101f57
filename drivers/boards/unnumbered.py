"""What drivers need for boards without event numbers: numbers for their events, and sessions of text lines.

Such a board has no memory. Each opening of its port is a new boot, its events are numbered here, and whatever happened
while nobody listened is a `Gap`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence

from inkeek.drivers.base import Guidance, RefusedLine, Resume
from inkeek.drivers.errors import DriverError
from inkeek.drivers.events import Button, Connected, Disconnected, Event, Gap, Numbered, PitChanged, Snapshot
from inkeek.drivers.protocol.limits import PERIOD_MS
from inkeek.records import Side
from inkeek.records.errors import ErrorText

MIN_CHANGE = 0.5  # seeds by which a pit must differ from its last report to be reported again
MAX_LINE = 1000  # bytes
MAX_REFUSED = 5  # refused lines that are kept for a report
MAX_SHOWN = 200  # bytes of each
MAX_DUE = 16 << 10  # bytes that wait to be sent; more is dropped if the peer does not read
DEFAULT_CONFIDENCE = 15  # the confidence of a sensor that reports none


class UnnumberedBoard:
    """Turns the reports of an unnumbered board into events. `token` returns new boot ids."""

    def __init__(self, token: Callable[[], str], resume: Resume | None) -> None:
        self.counts: tuple[float, ...] | None = None  # the current ones, once they are known
        self._token = token
        self._has_history = resume is not None  # whether somebody has stored events of this board
        self._boot = ""
        self._seq = 0
        self._reported: list[float] = []

    def connect(
        self, serial: str, counts: Sequence[float], stores: bool, capabilities: frozenset[str], firmware: str = ""
    ) -> list[Event]:
        """The board is there with these counts: pits, then, with `stores`, South's store and North's."""
        self._boot, self._seq = self._token(), 0
        self.counts, self._reported = tuple(counts), list(counts)
        row = (len(counts) - 2 * stores) // 2
        events: list[Event] = [Connected(serial, firmware, (0, 0), self._boot, row, stores, capabilities)]
        if self._has_history:
            reason = ErrorText("this kind of board has no memory: what happened on it while nobody listened is unknown")
            events.append(Gap(reason, self._boot, 0))
        self._has_history = True
        return [*events, Snapshot(self._boot, 0, self.counts, (DEFAULT_CONFIDENCE,) * len(counts))]

    def update(self, counts: Sequence[float], now: float) -> list[Event]:
        """The board reports these counts.

        :raises DriverError: not as many counts as before.
        """
        if len(counts) != len(self._reported):
            raise DriverError(
                "%(counts)s counts: this board has %(known)s", counts=len(counts), known=len(self._reported)
            )
        self.counts = tuple(counts)
        events: list[Event] = []
        for pit, count in enumerate(counts):
            if abs(count - self._reported[pit]) >= MIN_CHANGE:
                self._reported[pit] = count
                events.append(PitChanged(*self._next(now), pit, count))
        return events

    def press(self, side: Side, action: str, now: float) -> list[Event]:
        """A button was pressed.

        :raises DriverError: no counts are known yet.
        """
        if self.counts is None:
            raise DriverError("a button was pressed before any counts were reported")
        return [Button(*self._next(now), side, action, self.counts)]

    def acknowledge(self, event: Numbered) -> None:
        """See `base.Connection.acknowledge`."""
        if event.boot == self._boot and event.seq > self._seq:
            raise DriverError(f"event {event.seq} of boot {event.boot} was not delivered: the last was {self._seq}")

    def _next(self, now: float) -> tuple[str, int, int]:
        """Boot id, number and clock of the next event."""
        self._seq += 1
        return self._boot, self._seq, round(now * 1000) % PERIOD_MS


class TextSession:
    """A `ports.connection.BoardSession` of text lines; subclasses implement `handle_line`."""

    def __init__(self, token: Callable[[], str], resume: Resume | None) -> None:
        self.board = UnnumberedBoard(token, resume)
        self.ready = False  # whether a board has answered on the open port
        self.damaged = self.misfits = 0  # lines that are too long or not text; text lines that are not valid
        self.refused_lines: deque[RefusedLine] = deque(maxlen=MAX_REFUSED)
        self.is_understood = False  # no line says of itself what it is
        self._line = bytearray()
        self._due = bytearray()

    def handle_line(self, text: str, now: float) -> list[Event]:
        """Return the events in one line, which is not empty and has no line end.

        :raises DriverError, ValueError: the line is not valid.
        """
        raise NotImplementedError

    def reject_line(self, text: str, reason: str) -> None:
        """Called for a line that is not valid."""

    def show(self, guidance: Guidance) -> None:
        """See `base.Connection.show`. Does nothing: such a board has no lights."""

    def calibrate(self, pit: int | None, seeds: int) -> None:
        """See `base.SupportsCalibration.calibrate`."""
        raise DriverError("this kind of board does not support calibration over the line")

    def send_line(self, text: str) -> None:
        line = text.encode("ascii", "replace") + b"\r\n"
        if len(self._due) + len(line) <= MAX_DUE:
            self._due += line

    @property
    def gave_up(self) -> bool:
        """Never: such a board is silent while nobody touches it."""
        return False

    @property
    def counters(self) -> Mapping[str, int]:
        """See `base.SupportsCounters.counters`."""
        return {"damaged": self.damaged, "misfits": self.misfits, "duplicates": 0}

    def port_opened(self, now: float) -> None:
        self._line.clear()
        self._due.clear()
        self.refused_lines.clear()
        self.ready = False

    def port_closed(self, reason: str) -> list[Event]:
        was_ready, self.ready = self.ready, False
        return [Disconnected(reason)] if was_ready else []

    def receive(self, data: bytes, now: float) -> list[Event]:
        events: list[Event] = []
        for byte in data:
            if byte in b"\r\n":
                line = bytes(self._line)
                self._line.clear()
                events += self._receive_line(line, now)
            elif len(self._line) <= MAX_LINE:  # one byte more than allowed marks the line as too long
                self._line.append(byte)
        return events

    def tick(self, now: float) -> list[Event]:
        return []

    def bytes_to_send(self) -> bytes:
        due = bytes(self._due)
        self._due.clear()
        return due

    def acknowledge(self, event: Numbered) -> None:
        self.board.acknowledge(event)

    def _receive_line(self, line: bytes, now: float) -> list[Event]:
        text = line.decode("ascii", "replace").strip()
        if len(line) > MAX_LINE or not text.isprintable() or not text.isascii():
            self.damaged += 1
            shown = line[:MAX_SHOWN].decode("latin-1").encode("unicode_escape").decode("ascii")
            why = "it is too long" if len(line) > MAX_LINE else "it has other characters than printable ASCII"
            self.refused_lines.append(RefusedLine(shown, f"{why}: is the line at 115200 baud, 8N1?"))
            return []
        if not text:
            return []
        was_ready = self.ready
        try:
            events = self.handle_line(text, now)
            if self.ready and not was_ready:
                self.refused_lines.clear()  # those that came while it began to send
            return events
        except (DriverError, ValueError) as error:
            self.misfits += 1
            self.refused_lines.append(RefusedLine(text[:MAX_SHOWN], str(error)))
            self.reject_line(text, str(error))
            return []
