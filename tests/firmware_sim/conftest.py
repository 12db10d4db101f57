from __future__ import annotations

import pytest

from firmware_sim.hands.plan import Plan, plan_turns
from records import Move, Position, Rules, ruleset
from tests.firmware_sim.micropython import MicroPython, find_micropython


def rules_8() -> Rules:
    return ruleset("enkeshui", pits=8, setup="fours-right")


def line(rules: Rules, plies: int) -> list[Move]:
    """Some turns from the start: each time the legal one in the middle of the list."""
    position: Position = rules.start()
    moves: list[Move] = []
    while len(moves) < plies and (legal := rules.legal_moves(position, 50)):
        moves.append(legal[len(legal) // 2])
        position = rules.play(position, moves[-1]).position
    return moves


@pytest.fixture(scope="session")
def plan() -> Plan:
    """Twelve turns of Enkeshui on 2×8."""
    rules = rules_8()
    return plan_turns(rules, rules.start(), line(rules, 12))


@pytest.fixture(scope="session")
def whole_game() -> Plan:
    """Enkeshui on 2×8, to the end."""
    rules = rules_8()
    return plan_turns(rules, rules.start(), line(rules, 500))


@pytest.fixture(scope="session")
def micropython(request: pytest.FixtureRequest) -> MicroPython:
    return find_micropython(must=request.config.getoption("--micropython") == "must")


class Wire:
    """A cable whose other end the test holds; `capacity` is how much it takes before it is read."""

    def __init__(self, capacity: int = 1 << 20) -> None:
        self.url = "wire"
        self.plugged = False
        self.capacity = capacity
        self._to_host = b""
        self._to_board = b""

    def plug(self) -> None:
        self.plugged = True

    def unplug(self) -> None:
        self.plugged = False
        self._to_host = self._to_board = b""

    def files(self) -> list[int]:
        return [0] if self.plugged else []

    def receive(self) -> bytes:
        data, self._to_board = self._to_board, b""
        return data

    def send(self, data: bytes) -> int:
        if not self.plugged:
            return len(data)
        taken = data[: self.capacity - len(self._to_host)]
        self._to_host += taken
        return len(taken)

    def write(self, data: bytes) -> None:
        """From the host's side."""
        if self.plugged:
            self._to_board += data

    def read(self) -> bytes:
        """On the host's side."""
        data, self._to_host = self._to_host, b""
        return data


class Clock:
    """Seconds that pass when the test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def clock() -> Clock:
    return Clock()
