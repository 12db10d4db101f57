"""Calibrating a board on an open port: scales are tared, and learn what seeds weigh (`docs/board.md`).

Nothing is acknowledged here: what a board has to tell of a game stays with it for who records the game.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from .codec import Decoder, encode, parse
from .errors import DriverError, MessageError
from .limits import HELLO_EVERY, PROTOCOL
from .messages import (
    BoardHello,
    BoardMessage,
    BoardSnapshot,
    CalibrateSeeds,
    CalibrationEvent,
    HostHello,
    HostMessage,
    SnapRequest,
    Tare,
)

Kind = TypeVar("Kind")

PATIENCE = 6.0  # seconds for an answer; an event that was lost comes again after one


class Port(Protocol):
    """What is needed of a `transport.Transport`."""

    def read(self) -> bytes: ...

    def write(self, data: bytes) -> None: ...


class Calibrator:
    """One board, from its greeting on. All its methods wait for the board's answer."""

    def __init__(self, port: Port, clock: Callable[[], float]) -> None:
        """:raises DriverError: nobody answers, or in another version of the protocol, or it cannot be calibrated."""
        self._port = port
        self._clock = clock
        self._decoder = Decoder()
        self._seen = 0  # the number of the last event when a step was asked for
        hello: list[BoardHello] = []
        self._ask(HostHello(PROTOCOL, "inkeek", "calibration"), lambda message: _collect(message, BoardHello, hello))
        self.board = hello[0]
        if self.board.version[0] != PROTOCOL[0]:
            spoken = ".".join(map(str, self.board.version))
            raise DriverError(f"board {self.board.serial!r} speaks version {spoken} of the protocol: known is 1.x")
        if "cal" not in self.board.capabilities:
            raise DriverError(f"board {self.board.serial!r} cannot be calibrated: its greeting does not name 'cal'")

    def look(self) -> BoardSnapshot:
        """What lies on the board now."""
        found: list[BoardSnapshot] = []
        self._ask(SnapRequest(), lambda message: _collect(message, BoardSnapshot, found))
        self._seen = max(self._seen, found[0].last)
        return found[0]

    def tare(self) -> tuple[int, ...]:
        """What lies on each scale counts as nothing. The indices of those that could not do it."""
        results = self._step(Tare(), self.board.sensors)
        return tuple(pit for pit, ok in sorted(results.items()) if not ok)

    def weigh(self, pit: int, seeds: int) -> bool:
        """So many seeds lie in that pit. False: its scale moves, is broken, or they weigh too little."""
        return self._step(CalibrateSeeds(pit, seeds), 1)[pit]

    def _step(self, message: HostMessage, answers: int) -> dict[int, bool]:
        self.look()  # where the numbering stands: the answer is an event after that
        results: dict[int, bool] = {}

        def hear(said: BoardMessage) -> bool:
            if isinstance(said, CalibrationEvent) and said.seq > self._seen and said.boot == self.board.boot:
                results[said.pit] = said.ok
            return len(results) == answers

        self._ask(message, hear, again=False)
        return results

    def _ask(self, message: HostMessage, hear: Callable[[BoardMessage], bool], again: bool = True) -> None:
        """Send `message`, every second if it may be sent `again`, and hear what is said until that is enough."""
        began = asked = self._clock()
        self._port.write(encode(message))
        while (now := self._clock()) - began < PATIENCE:
            if again and now - asked >= HELLO_EVERY:
                asked = now
                self._port.write(encode(message))
            for frame in self._decoder.feed(self._port.read()):
                try:
                    said = parse(frame)
                except MessageError:
                    continue  # not an answer
                if said is not None and hear(said):
                    return
        kind = encode(message).decode("ascii")[1:].partition("*")[0]
        raise DriverError(f"the board did not answer {kind!r} within {PATIENCE:g} seconds")


def _collect(message: BoardMessage, kind: type[Kind], found: list[Kind]) -> bool:
    if isinstance(message, kind):
        found.append(message)
    return bool(found)
