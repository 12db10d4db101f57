"""A room in virtual time: ports with cables in memory, which people unplug and exchange."""

from __future__ import annotations

from typing import Protocol

from inkeek.drivers.errors import TransportError
from inkeek.drivers.ports.transport import Port
from tests.firmware_sim import conftest

STEP_MS = 25  # of virtual time
READ_S = 0.05  # how long a read waits for the first byte, as `transport.READ_WAIT`


class MemoryCable(conftest.MemoryCable):
    """A cable of a board with a serial number."""

    def __init__(self) -> None:
        super().__init__()
        self.serial = ""  # of the board
        self.plugs = 0  # counts the plugs: a line opened before the last one is dead

    def plug(self) -> None:
        super().plug()
        self.plugs += 1


class Seat(Protocol):
    """A table in the room."""

    def pass_time(self) -> None:
        """Let one step of time pass for the board and the hands."""

    def serve(self) -> None:
        """Let the desk work a little for this table; time passes meanwhile."""


class Room:
    """Tables, the ports of the machine beside them, and one clock."""

    def __init__(self) -> None:
        self.now = 0.0
        self.tables: list[Seat] = []
        self.ports: dict[str, MemoryCable] = {}
        self._lines: dict[str, Line] = {}  # open ones, by port

    def clock(self) -> float:
        return self.now

    def listed(self) -> list[Port]:
        """The ports as the system lists them. Their adapters have no serial numbers."""
        return [Port(url, "A cable in memory", None) for url, cable in self.ports.items() if cable.plugged]

    def port_of(self, serial: str) -> str:
        """The port where the board with this serial number is.

        :raises TransportError: it is on none that can be opened.
        """
        for url, cable in self.ports.items():
            if cable.serial == serial and cable.plugged and url not in self._lines:
                return url
        raise TransportError(f"board {serial!r} is on no port")

    def pass_time(self) -> None:
        self.now += STEP_MS / 1000
        for table in self.tables:
            table.pass_time()

    def wait(self, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end:
            self.pass_time()

    def exchange(self, one: str, other: str, *, silently: bool) -> None:
        """Exchange the cables of two ports. Lines that are open break, or are `silently` connected to the other cable,
        as those to a server of serial ports are."""
        cables = self.ports[one], self.ports[other]
        self.ports[other], self.ports[one] = cables
        for cable in cables:
            cable.to_host = cable.to_board = b""
        if silently:
            for line in self._lines.values():
                line.follow()
        else:
            for cable in cables:
                cable.plugs += 1

    def open(self, port: str) -> Line:
        """:raises TransportError: nothing is plugged into the port, or it is in use."""
        if not self.ports[port].plugged:
            raise TransportError("the cable is unplugged")
        if port in self._lines:
            raise TransportError("the port is in use")
        self.ports[port].to_host = b""
        self._lines[port] = Line(self, port)
        return self._lines[port]

    def close(self, line: Line) -> None:
        if self._lines.get(line.port) is line:
            del self._lines[line.port]


class Line:
    """An open port."""

    def __init__(self, room: Room, port: str) -> None:
        self._room = room
        self.port = port
        self.follow()

    def follow(self) -> None:
        """Go on with the cable that is in the port now."""
        self._cable = self._room.ports[self.port]
        self._plugs = self._cable.plugs

    def wait(self) -> None:
        """Let time pass until there is something to read, or for `READ_S`."""
        room = self._room
        end = room.now + READ_S
        while not self._cable.to_host and room.now < end:
            room.pass_time()

    def read(self) -> bytes:
        self._check()
        return self._cable.read()

    def write(self, data: bytes) -> None:
        self._check()
        self._cable.write(data)

    def close(self) -> None:
        self._room.close(self)

    def _check(self) -> None:
        cable = self._cable
        if not cable.plugged or cable.plugs != self._plugs or cable is not self._room.ports[self.port]:
            raise TransportError("the cable is unplugged")
