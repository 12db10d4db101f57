"""A driver for clay boards with optical counters: an example of a driver in a distribution of its own.

The board sends a frame whenever a count changes or a button is pressed, and otherwise about once a second:

    0xC1, pits a row, a count a pit (South's from South's left, then North's from North's left), South's store,
    North's store, the button (0 none, 1 South's, 2 North's), and the sum of all these bytes modulo 256

It numbers nothing and has no memory: `UnnumberedBoard` numbers its events and reports gaps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from inkeek.drivers.base import Guidance, Resume
from inkeek.drivers.boards.unnumbered import UnnumberedBoard
from inkeek.drivers.errors import DriverError
from inkeek.drivers.events import Disconnected, Event, Numbered
from inkeek.drivers.ports.driver import PortDriver
from inkeek.drivers.protocol.limits import MAX_ROW
from inkeek.records import NORTH, SOUTH

START = 0xC1
SILENT_FOR = 5.0  # seconds after which the board must be gone


class ClayBoard(PortDriver):
    """The driver. `PortDriver` opens ports, reopens lost ones, and supports recording."""

    name = "clay"
    title = "Clay board with optical counters"

    def session(self, token: Callable[[], str], resume: Resume | None) -> ClaySession:
        return ClaySession(token, resume)


class ClaySession:
    """The protocol of one board without a port (`BoardSession`): bytes in, events out."""

    def __init__(self, token: Callable[[], str], resume: Resume | None) -> None:
        self._board = UnnumberedBoard(token, resume)
        self._ready = False
        self._data = bytearray()
        self._received_at = 0.0
        self._damaged = 0
        self.gave_up = False

    @property
    def counters(self) -> Mapping[str, int]:
        return {"damaged": self._damaged, "misfits": 0, "duplicates": 0}

    def port_opened(self, now: float) -> None:
        self._data.clear()
        self._received_at = now
        self._ready = self.gave_up = False

    def port_closed(self, reason: str) -> list[Event]:
        was_ready, self._ready = self._ready, False
        return [Disconnected(reason)] if was_ready else []

    def receive(self, data: bytes, now: float) -> list[Event]:
        events: list[Event] = []
        self._data += data
        while self._data:
            size = self._data[1] * 2 + 6 if len(self._data) > 1 else 2
            if self._data[0] != START or size > 2 * MAX_ROW + 6:
                self._damaged += self._data[0] == START
                del self._data[0]  # no frame begins here
            elif len(self._data) < size:
                break
            elif sum(self._data[: size - 1]) % 256 != self._data[size - 1]:
                self._damaged += 1
                del self._data[0]
            else:
                self._received_at = now
                counts = [float(count) for count in self._data[2 : size - 2]]
                events += self._read_frame(counts, self._data[size - 2], now)
                del self._data[:size]
        return events

    def tick(self, now: float) -> list[Event]:
        if not self._ready or now - self._received_at < SILENT_FOR:
            return []
        self.gave_up = True  # the port is then opened again
        return self.port_closed(f"the board sent nothing for {SILENT_FOR:g} seconds")

    def bytes_to_send(self) -> bytes:
        return b""  # this kind of board does not listen

    def acknowledge(self, event: Numbered) -> None:
        self._board.acknowledge(event)

    def show(self, guidance: Guidance) -> None:
        """Do nothing: the board has no lights."""

    def calibrate(self, pit: int | None, seeds: int) -> None:
        raise DriverError("a clay board counts seeds and needs no calibration")

    def _read_frame(self, counts: list[float], button: int, now: float) -> list[Event]:
        if self._ready:
            events = self._board.update(counts, now)
        else:
            self._ready = True
            events = self._board.connect("clay", counts, True, frozenset({"buttons"}))
        if button in (1, 2):
            events += self._board.press(SOUTH if button == 1 else NORTH, "commit", now)
        return events
