"""Ports in memory with virtual time: what a connection of `drivers` takes from the outside, without importing it."""

from __future__ import annotations

from .board import ForeignBoard

READ_TAKES = 0.05  # seconds of virtual time


class Bench:
    """Ports by name, with the boards plugged into them, and the time. `error` is what a lost port raises.

    Boards on a bench use its clock: ``ForeignBoard(clock=bench.clock)``.
    """

    def __init__(self, error: type[Exception] = OSError) -> None:
        self.error = error
        self.now = 1000.0
        self.boards: dict[str, ForeignBoard] = {}
        self._epochs: dict[str, int] = {}  # by port: how often it was plugged or pulled

    def clock(self) -> float:
        return self.now

    def plug(self, port: str, board: ForeignBoard) -> Environment:
        """Plug a board into a port; return the environment of a connection on it."""
        self.boards[port] = board
        self._epochs[port] = self.epoch(port) + 1
        return Environment(self, port)

    def pull(self, port: str) -> None:
        """Unplug a port. The board keeps its power."""
        del self.boards[port]
        self._epochs[port] = self.epoch(port) + 1

    def exchange(self, one: str, other: str, *, silently: bool = False) -> None:
        """Exchange the boards of two ports; `silently`: open ports stay open and lead to the other board."""
        self.boards[one], self.boards[other] = self.boards[other], self.boards[one]
        for port in () if silently else (one, other):
            self._epochs[port] = self.epoch(port) + 1

    def epoch(self, port: str) -> int:
        return self._epochs.get(port, 0)


class Environment:
    """Everything that a connection on one port takes from the outside (`inkeek.drivers.base.Environment`).

    Each read takes `READ_TAKES` of the bench's time. `deaf`: the host's bytes get lost; `mute`: the board's.
    """

    def __init__(self, bench: Bench, port: str) -> None:
        self.bench, self.port = bench, port
        self.opened = 0
        self.deaf = self.mute = False

    def open(self) -> Stream:
        """Open the port.

        :raises Exception: nothing is plugged in; the class is the bench's `error`.
        """
        if self.port not in self.bench.boards:
            self.bench.now += READ_TAKES
            raise self.bench.error(f"cannot open {self.port}: no such port")
        self.opened += 1
        return Stream(self)

    def clock(self) -> float:
        return self.bench.now

    def wait(self, seconds: float) -> None:
        self.bench.now += max(seconds, 0.001)  # at least a step

    def token(self) -> str:
        return f"{self.opened:08x}"


class Stream:
    """An open port (`inkeek.drivers.base.ByteStream`)."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._epoch = environment.bench.epoch(environment.port)

    def read(self) -> bytes:
        board = self._board()
        self._environment.bench.now += READ_TAKES
        board.tick()
        data = board.take()
        return b"" if self._environment.mute else data

    def write(self, data: bytes) -> None:
        board = self._board()
        if data and not self._environment.deaf:
            board.receive(data)

    def close(self) -> None:
        """Do nothing: nothing is held."""

    def _board(self) -> ForeignBoard:
        bench, port = self._environment.bench, self._environment.port
        if port not in bench.boards or bench.epoch(port) != self._epoch:
            raise bench.error(f"lost {port}")
        return bench.boards[port]
