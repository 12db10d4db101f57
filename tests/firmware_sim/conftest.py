from __future__ import annotations

from collections.abc import Mapping

import pytest

from inkeek.firmware_sim.hands.mistakes import Steps, make_mistake
from inkeek.firmware_sim.hands.plan import GamePlan, plan_turns
from inkeek.records import Move, Position, Rules, ruleset
from tests.firmware_sim.micropython import MicroPython, find_micropython


def rules_8() -> Rules:
    return ruleset("enkeshui", pits=8, setup="fours-right")


def middle_turns(rules: Rules, plies: int) -> list[Move]:
    """Play turns from the start: always the legal turn in the middle of the list."""
    position: Position = rules.start()
    moves: list[Move] = []
    while len(moves) < plies and (legal := rules.legal_moves(position, 50)):
        moves.append(legal[len(legal) // 2])
        position = rules.play(position, moves[-1]).position
    return moves


def make_mistakes(plan: GamePlan, kinds: Mapping[int, str]) -> dict[int, tuple[str, Steps]]:
    """The likeliest variant of each kind of mistake, by turn."""
    return {ply: (kind, make_mistake(kind, plan, ply)) for ply, kind in kinds.items()}


@pytest.fixture(scope="session")
def plan() -> GamePlan:
    """Twelve turns of Enkeshui on 2×8."""
    rules = rules_8()
    return plan_turns(rules, rules.start(), middle_turns(rules, 12))


@pytest.fixture(scope="session")
def whole_game() -> GamePlan:
    """Enkeshui on 2×8, to the end."""
    rules = rules_8()
    return plan_turns(rules, rules.start(), middle_turns(rules, 500))


@pytest.fixture(scope="session")
def micropython(request: pytest.FixtureRequest) -> MicroPython:
    return find_micropython(must=request.config.getoption("--micropython") == "must")


class MemoryCable:
    """A cable whose host end the test holds. `capacity`: unread bytes that it takes. `plugs`: how often it was plugged
    in."""

    def __init__(self, capacity: int = 1 << 20) -> None:
        self.url = "memory"
        self.plugged = False
        self.plugs = 0
        self.capacity = capacity
        self.to_host = b""
        self.to_board = b""

    def plug(self) -> None:
        self.plugged = True
        self.plugs += 1

    def unplug(self) -> None:
        self.plugged = False
        self.to_host = self.to_board = b""

    def files(self) -> list[int]:
        return [0] if self.plugged else []

    def receive(self) -> bytes:
        data, self.to_board = self.to_board, b""
        return data

    def send(self, data: bytes) -> int:
        if not self.plugged:
            return len(data)
        taken = data[: self.capacity - len(self.to_host)]
        self.to_host += taken
        return len(taken)

    def write(self, data: bytes) -> None:
        """Send bytes as the host."""
        if self.plugged:
            self.to_board += data

    def read(self) -> bytes:
        """Receive bytes as the host."""
        data, self.to_host = self.to_host, b""
        return data


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now
