"""Boards that have no protocol of their own: lines of text, and the numbers that the driver gives their events.

Such a board remembers nothing. Each time its port is opened is a boot with a new id, its events are numbered here, and
what happened while nobody listened is a `Gap`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from drivers.base import Guidance, Resume
from drivers.errors import DriverError
from drivers.events import Button, Connected, Disconnected, Event, Gap, Numbered, PitChanged, Snapshot
from records import Side

CHANGED = 0.5  # seeds by which a pit must differ from what was last told of it
MAX_LINE = 1000  # bytes
MAX_DUE = 16 << 10  # bytes that wait to be sent; a peer that reads nothing loses what comes then
SURE = 15  # the confidence of a sensor that does not tell any


class UnnumberedBoard:
    """What an unnumbered board reports, as events. `token` draws boot ids."""

    def __init__(self, token: Callable[[], str], resume: Resume | None) -> None:
        self.counts: tuple[float, ...] | None = None  # as they lie, once they are known
        self._token = token
        self._known = resume is not None  # whether somebody has stored events of this board
        self._boot = ""
        self._seq = 0
        self._told: list[float] = []

    def connected(
        self, serial: str, counts: Sequence[float], stores: bool, capabilities: frozenset[str], firmware: str = ""
    ) -> list[Event]:
        """The board is there, and these counts lie on it: pits, then, with `stores`, South's store and North's."""
        self._boot, self._seq = self._token(), 0
        self.counts, self._told = tuple(counts), list(counts)
        row = (len(counts) - 2 * stores) // 2
        events: list[Event] = [Connected(serial, firmware, (0, 0), self._boot, row, stores, capabilities)]
        if self._known:
            reason = "this kind of board remembers nothing: what happened on it while nobody listened is not known"
            events.append(Gap(reason, self._boot, 0))
        self._known = True
        return [*events, Snapshot(self._boot, 0, self.counts, (SURE,) * len(counts))]

    def lie(self, counts: Sequence[float], now: float) -> list[Event]:
        """What lies there now.

        :raises DriverError: these are not as many counts as before.
        """
        if len(counts) != len(self._told):
            raise DriverError(f"{len(counts)} counts: this board has {len(self._told)}")
        self.counts = tuple(counts)
        events: list[Event] = []
        for pit, count in enumerate(counts):
            if abs(count - self._told[pit]) >= CHANGED:
                self._told[pit] = count
                events.append(PitChanged(*self._head(now), pit, count))
        return events

    def press(self, side: Side, action: str, now: float) -> list[Event]:
        """A button was pressed, with these counts lying there.

        :raises DriverError: it is not known yet what lies there.
        """
        if self.counts is None:
            raise DriverError("a button was pressed before anything was known of the pits")
        return [Button(*self._head(now), side, action, self.counts)]

    def acknowledge(self, event: Numbered) -> None:
        """See `base.Connection.acknowledge`."""
        if event.boot == self._boot and event.seq > self._seq:
            raise DriverError(f"event {event.seq} of boot {event.boot} was not delivered: the last was {self._seq}")

    def _head(self, now: float) -> tuple[str, int, int]:
        self._seq += 1
        return self._boot, self._seq, round(now * 1000) % 2**32


class TextSession:
    """A `link.BoardSession` that takes lines of text. `hear` is what a kind of board makes of one."""

    def __init__(self, token: Callable[[], str], resume: Resume | None) -> None:
        self.board = UnnumberedBoard(token, resume)
        self.ready = False  # whether a board has answered on the open port
        self.damaged = self.misfits = 0  # lines that were too long or no text; that were text and no report
        self._line = bytearray()
        self._due = bytearray()

    def hear(self, text: str, now: float) -> list[Event]:
        """The events in one line, without its end; it is not empty.

        :raises DriverError: it is none that this kind of board says.
        """
        raise NotImplementedError

    def guide(self, guidance: Guidance) -> None:
        """See `base.Connection.show`; a board of this kind has no lights."""

    def calibrate(self, pit: int | None, seeds: int) -> None:
        """See `base.SupportsCalibration.calibrate`."""
        raise DriverError("this kind of board cannot be calibrated from here")

    def misheard(self, text: str, why: str) -> None:
        """What to do about a line that is no report."""

    def say(self, text: str) -> None:
        """Send a line."""
        line = text.encode("ascii", "replace") + b"\r\n"
        if len(self._due) + len(line) <= MAX_DUE:
            self._due += line

    @property
    def gave_up(self) -> bool:
        """Never: such a board may be silent for as long as nobody touches it."""
        return False

    @property
    def counters(self) -> Mapping[str, int]:
        """See `base.SupportsCounters.counters`."""
        return {"damaged": self.damaged, "misfits": self.misfits, "duplicates": 0}

    def opened(self, now: float) -> None:
        self._line.clear()
        self._due.clear()
        self.ready = False

    def closed(self, reason: str) -> list[Event]:
        was, self.ready = self.ready, False
        return [Disconnected(reason)] if was else []

    def receive(self, data: bytes, now: float) -> list[Event]:
        events: list[Event] = []
        for byte in data:
            if byte in b"\r\n":
                line = bytes(self._line)
                self._line.clear()
                events += self._heard(line, now)
            elif len(self._line) <= MAX_LINE:  # of what is longer one byte more is kept, as a sign of it
                self._line.append(byte)
        return events

    def tick(self, now: float) -> list[Event]:
        return []

    def take(self) -> bytes:
        due = bytes(self._due)
        self._due.clear()
        return due

    def acknowledge(self, event: Numbered) -> None:
        self.board.acknowledge(event)

    def _heard(self, line: bytes, now: float) -> list[Event]:
        text = line.decode("ascii", "replace").strip()
        if len(line) > MAX_LINE or not text.isprintable() or not text.isascii():
            self.damaged += 1
            return []
        if not text:
            return []
        try:
            return self.hear(text, now)
        except DriverError as error:
            self.misfits += 1
            self.misheard(text, str(error))
            return []
