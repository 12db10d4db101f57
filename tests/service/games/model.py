"""What the model of games knows: each game, its disputes, and the clients that write to the service."""

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine

from inkeek.records import Position, ruleset
from inkeek.service import create_app
from inkeek.service.http.context import services_of
from tests.service.clients import with_token

RULES = ruleset("enkeshui", pits=8, setup="fours-right")
CLIENTS = st.integers(0, 2)
SIDES = st.sampled_from(("South", "North"))


@dataclass(frozen=True)
class Line:
    """Turns and end of a game: how it ended (None: not), the result, the termination, the event of the end."""

    moves: tuple[str, ...]
    positions: tuple[str, ...]
    turns: tuple[int, ...]
    end: tuple[str | None, str, str, int]


@dataclass
class Disputed:
    """A dispute as the model has it: its event, the event that it is about, what that is, and the turn's number.

    `before`: the game before the first ruling; `ruled`: the outcomes; `waits`: the game waits for a ruling; `offer`:
    the number, the side and the body of the proposal that waits; `judges`: the clients who ruled as arbiters.
    """

    seq: int
    turn: int
    kind: str
    ply: int
    before: Line | None = None
    ruled: list[str] = field(default_factory=list)
    waits: bool = True
    offer: tuple[int, str, dict] | None = None
    judges: set[int] = field(default_factory=set)


@dataclass
class Played:
    """A game as the model has it. `positions` has one more than `moves`; `turns` are the numbers of their events.

    `annotations` are by id: the number of the event of their turn (1: before the first), the kind and the value.
    """

    positions: list[str]
    moves: list[str] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    seq: int = 1
    teams: dict[str, list[str]] = field(default_factory=lambda: {"South": [], "North": []})
    trials: int = 0
    retractions: int = 0
    ended: str | None = None
    result: str = "*"
    end: int = 0  # the event that says how it ended
    termination: str = ""  # of an end by hand
    corrections: int = 0
    reopenings: int = 0
    cause: int = 0  # the dispute whose ruling brought that end
    dispute: Disputed | None = None  # the last one
    settled: dict[int, tuple[int, int]] = field(default_factory=dict)  # by dispute: the events of its turn and the end
    annotations: dict[str, tuple[int, str, object]] = field(default_factory=dict)

    @property
    def live(self) -> bool:
        return self.ended is None

    @property
    def position(self) -> Position:
        return Position.parse(self.positions[-1])

    @property
    def waits(self) -> bool:
        return self.dispute is not None and self.dispute.waits

    def is_settled(self, event: int) -> bool:
        """Whether a ruling left this event, of a turn or an end: only an appeal changes it then."""
        return event != 0 and any(event in events for events in self.settled.values())

    @property
    def line(self) -> Line:
        end = (self.ended, self.result, self.termination, self.end)
        return Line(tuple(self.moves), tuple(self.positions), tuple(self.turns), end)


class Clients(RuleBasedStateMachine):
    """Several clients and some games, over a database that `opened` makes."""

    opened: ClassVar[Callable[[], AbstractContextManager[str]]]
    games = Bundle("games")

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        self.app = create_app({"data": "", "database": self.stack.enter_context(type(self).opened())})
        self.store = services_of(self.app).store
        self.stack.callback(self.store.close)
        self.clients = [with_token(self.app) for _ in range(3)]
        self.model: dict[str, Played] = {}
        self.receipts: dict[tuple[int, str], tuple[str, dict]] = {}

    def teardown(self) -> None:
        for game_id in self.model:
            whole = self.clients[0].get(f"/api/v1/games/{game_id}/integrity").json
            assert whole["ok"], whole
        self.stack.close()

    def ask(self, client: int, path: str, body: dict, key: str = "", seq: int | None = None):
        headers = {"Idempotency-Key": key} if key else {}
        if seq is not None:
            headers["If-Match"] = f'"{seq}"'
        return self.clients[client].post(f"/api/v1/{path}", json=body, headers=headers)

    def _played(self, expected: Played, move: str, position: Position) -> None:
        expected.seq += 1
        expected.turns.append(expected.seq)
        expected.moves.append(move)
        expected.positions.append(str(position))
        outcome = RULES.outcome(position)
        if outcome is not None:
            expected.seq += 1
            expected.ended, expected.result, expected.termination = "rules", outcome.result, outcome.termination
            expected.end, expected.cause = expected.seq, 0

    def _taken_back(self, expected: Played) -> None:
        expected.moves.pop()
        expected.positions.pop()
        gone = expected.turns.pop()
        expected.annotations = {one: said for one, said in expected.annotations.items() if said[0] != gone}
        expected.seq += 1
        expected.retractions += 1
        expected.ended = None
        expected.result = "*"

    def _ended(self, expected: Played, termination: str, result: str, cause: int) -> None:
        expected.seq += 1
        expected.ended, expected.result, expected.termination = "hand", result, termination
        expected.end, expected.cause = expected.seq, cause

    def _corrected(self, expected: Played, termination: str, result: str) -> None:
        expected.seq += 1
        expected.end, expected.cause = expected.seq, 0
        expected.result, expected.termination = result, termination
        expected.corrections += 1

    def _reopened(self, expected: Played) -> None:
        expected.seq += 1
        expected.ended, expected.result = None, "*"
        expected.reopenings += 1
