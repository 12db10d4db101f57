"""Set-ups of the games of a match, the rows that each side lays out of its seeds, and the race before the first turn.

Rows are from their owner's left to right, so the right-hand pit is the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .errors import ErrorText, OptionError, RecordsError
from .moves import Move
from .position import CLOSED, NORTH, ORDINARY, SOUTH, Position, Side, format_pit
from .rules.play import Rules
from .rules.trace import MAX_EVENTS

MATCH_KINDS = ("games", "surplus", "rounds")  # values of the option `match` besides "none"


def match_kind(rules: Rules) -> str:
    """The kind of match by the options: one of `MATCH_KINDS`, or ``none``."""
    return str(rules.options["match"])


def standard_start(rules: Rules) -> Position:
    """The set-up by the options, whatever this game was set up as."""
    return Rules(rules.info, rules.options).start()


def seeds_and_marks(position: Position) -> tuple[object, ...]:
    """All of a position but whose turn it is and the ply."""
    return position.pits, position.marks, position.stores


def row_of(position: Position, side: Side) -> tuple[int, ...]:
    """The seeds in a side's pits, from its left."""
    return tuple(position.pits[pit] for pit in position.pits_of(side))


def seeds_of(position: Position, side: Side) -> int:
    """A side's seeds before the first turn: those in its row and in its store."""
    return sum(row_of(position, side)) + position.stores[side]


def fill_from_right(standard: Sequence[int], seeds: int) -> tuple[int, ...]:
    """A row filled with the standard numbers from its right-hand pit on; the last pits are short or empty.

    Seeds beyond the whole row are left out.
    """
    row = []
    for number in reversed(standard):
        laid = min(number, seeds)
        seeds -= laid
        row.append(laid)
    return tuple(reversed(row))


def least_to_play(standard: Sequence[int]) -> int:
    """The fewest seeds with which a side can go on: those of the rightmost pit that its `standard` row fills."""
    return next(number for number in reversed(standard) if number)


def open_pits(rules: Rules, seeds: int) -> int:
    """How many pits a side with `seeds` fills in the next round."""
    return min(rules.row, seeds // rules.info.seeds_in_pit(rules.options))


def setup_faults(rules: Rules, position: Position, first_game: bool) -> list[str]:
    """Why no game of this match can begin from `position`, whatever the games before it; empty if one can.

    `first_game`: no game was played before it.
    """
    kind = match_kind(rules)
    if kind not in ("surplus", "rounds"):
        return []
    standard = standard_start(rules)
    if first_game and seeds_and_marks(position) != seeds_and_marks(standard):
        return [f"the first game of a match begins from the standard set-up, {standard}"]
    faults = [f"a game begins with ply 0, not {position.ply}"] if position.ply else []
    if any(mark not in (ORDINARY, CLOSED) for mark in position.marks):
        faults.append("a pit is marked special, but no turn was played")
    for side in Side:
        seeds, row = seeds_of(position, side), row_of(standard, side)
        least = least_to_play(row)
        if seeds < least:
            faults.append(f"{side} has {seeds} seeds, and needs {least} to fill a pit: the match is over")
        elif kind == "surplus":
            faults += _surplus_faults(position, side, row)
        else:
            faults += _round_faults(rules, position, side)
    return faults


def _surplus_faults(position: Position, side: Side, standard: tuple[int, ...]) -> list[str]:
    if position.stores[side]:
        return [f"{side} has {position.stores[side]} seeds in the store: expected all of them in the row"]
    row = row_of(position, side)
    if sum(row) > sum(standard):
        return [f"{side} has {sum(row)} seeds: expected at most {sum(standard)}"]
    filled = fill_from_right(standard, sum(row))
    if row != filled:
        laid, right = ".".join(map(str, row)), ".".join(map(str, filled))
        return [f"{side} has {sum(row)} seeds and laid {laid}: expected {right}, filled from the right"]
    return []


def _round_faults(rules: Rules, position: Position, side: Side) -> list[str]:
    each = rules.info.seeds_in_pit(rules.options)
    pits = position.pits_of(side)
    filled = open_pits(rules, seeds_of(position, side))
    wanted = sorted([(each, ORDINARY)] * filled + [(0, CLOSED)] * (rules.row - filled))
    if sorted((position.pits[pit], position.marks[pit]) for pit in pits) != wanted:
        laid = ".".join(format_pit(position.pits[pit], position.marks[pit]) for pit in pits)
        return [
            f"{side} has {seeds_of(position, side)} seeds and laid {laid}: expected {filled} pits with {each} and the "
            "others closed"
        ]
    closed = [pit for pit in pits if position.marks[pit] == CLOSED]
    if rules.options["closing"] == "leftmost" and closed != list(pits[: len(closed)]):
        letters = " ".join(position.letter(pit) for pit in closed)
        return [f"{side} closed {letters}: expected the leftmost pits with closing=leftmost"]
    return []


# The race before the first turn, simulated in lock step (`docs/rules.md`, Enkeshui).
#
# In every beat first one side, then the other drops one seed. When a handful is sown, the side lifts the pit it ended
# in during the same beat, before the other side drops its seed. No bulls are made and nothing is captured.

MAX_BEATS = 1_000_000  # far more than any known race that ends


class RaceError(RecordsError):
    """A race that cannot start from these pits, or that nobody wins."""


@dataclass(frozen=True, slots=True)
class RaceEvent:
    """One thing that happened in a race. By `kind`:

    * ``lift``: `side` picks up all `count` seeds of `pit`; in beat 0 both sides' first handfuls.
    * ``drop``: a seed of `side` falls in `pit`, which now holds `count`.
    * ``end``: that pit was empty: `side` has come to its end.
    * ``stop``: the other side had won; with its handful out, `side` lifts no other.
    """

    beat: int
    side: Side
    kind: str
    pit: int
    count: int


@dataclass(frozen=True, slots=True)
class Race:
    """A finished race. `pits`: letters of the pits that South and North started from. `board`: the position after it,
    `winner` to move. `position`: where the game begins: `board`, or the set-up again. `gone`: how many pits (South,
    North) passed. `events`: the first `trace.MAX_EVENTS`."""

    pits: tuple[str, str]
    winner: Side
    board: Position
    position: Position
    beats: int
    gone: tuple[int, int]
    events: tuple[RaceEvent, ...]

    @property
    def tags(self) -> dict[str, str]:
        """The tags of a record whose game begins with this race."""
        tags = {"Race": f"{self.pits[0]} {self.pits[1]} {self.winner}"}
        return tags | {"RacePosition": str(self.board)} if self.position == self.board else tags


def racing_pits(rules: Rules, start: Position, side: Side) -> list[int]:
    """The pits from which a side may start: its own with seeds; with ``race=right-hand`` the rightmost of these."""
    pits = [pit for pit in start.pits_of(side) if start.pits[pit] and start.marks[pit] == ORDINARY]
    return pits[-1:] if rules.options["race"] == "right-hand" else pits


def run_race(rules: Rules, south: str, north: str, start: Position | None = None, first: Side = SOUTH) -> Race:
    """Race from the pits with letters `south` and `north` in `start`, the set-up by default; `first` drops first in
    every beat.

    :raises OptionError: the game has no race under its options.
    :raises RaceError: a side may not start there, or the race never ends.
    :raises PositionError: `start` is not of this game.
    """
    if rules.options.get("race", "none") == "none":
        why = ErrorText("this game has none")
        if "race" in rules.options:
            why = ErrorText("expected race=right-hand or race=free")
        raise OptionError(ErrorText("%(id)s: these options allow no race: %(why)s", id=rules.id, why=why))
    start = start or rules.start()
    rules.verify_position(start)
    if any(mark != ORDINARY for mark in start.marks):
        raise RaceError(f"no race can start in {start}: expected a set-up without special or closed pits")
    for side, letter in ((SOUTH, south), (NORTH, north)):
        pits = [start.letter(pit) for pit in racing_pits(rules, start, side)]
        if letter not in pits:
            expected = f"expected {' or '.join(pits)}" if pits else "the row is empty"
            raise RaceError(f"{side} cannot race from {letter!r} with race={rules.options['race']}: {expected}")
    starts = (Move(south).pit_index(start.row), Move(north).pit_index(start.row))
    state = _RaceState(rules, start, starts, first)
    winner = state.run()
    board = start.replaced(pits=tuple(state.pits), to_move=winner)
    assert board.seeds == start.seeds, f"a race from {south} and {north} in {start} lost seeds: {board}"
    position = board if rules.options["race_keeps_position"] else start.replaced(to_move=winner)
    gone = (state.runners[SOUTH].gone, state.runners[NORTH].gone)
    return Race((south, north), winner, board, position, state.beat, gone, tuple(state.events))


@dataclass(slots=True)
class _Runner:
    """One side's hand. `at`: the pit it is over; `origin`: the one its handful was lifted from."""

    side: Side
    at: int
    origin: int
    hand: int = 0
    gone: int = 0
    done: bool = False


@dataclass(slots=True)
class _RaceState:
    """A race in progress."""

    rules: Rules
    start: Position
    starts: tuple[int, int]
    first: Side
    pits: list[int] = field(init=False)
    runners: tuple[_Runner, _Runner] = field(init=False)
    beat: int = 0
    winner: Side | None = None
    events: list[RaceEvent] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.pits = list(self.start.pits)
        self.runners = (_Runner(SOUTH, *self.starts[:1] * 2), _Runner(NORTH, *self.starts[1:] * 2))

    def run(self) -> Side:
        """Race until both hands are empty.

        :raises RaceError: it never ends.
        """
        order = (self.runners[self.first], self.runners[self.first.other])
        for runner in order:
            self._lift(runner)
        # Brent's cycle detection: the state to compare with is replaced after 1, 2, 4, 8 … beats.
        kept, since, power = self._snapshot(), 0, 1
        while not all(runner.done for runner in order):
            if self.beat == MAX_BEATS:
                raise RaceError(f"{self._name()} neither ended nor repeated in {MAX_BEATS} beats: choose other pits")
            self.beat += 1
            for runner in order:
                if not runner.done:
                    self._drop(runner)
            since += 1
            if self._snapshot() == kept:
                raise RaceError(f"{self._name()} never ends: it repeats every {since} beats")
            if since == power:
                kept, since, power = self._snapshot(), 0, 2 * power
        if self.rules.options["race_won"] == "farthest":
            return max(order, key=lambda runner: runner.gone).side
        assert self.winner is not None
        return self.winner

    def _snapshot(self) -> tuple[object, ...]:
        """All that the rest of the race depends on."""
        return (*self.pits, *((runner.at, runner.origin, runner.hand, runner.done) for runner in self.runners))

    def _drop(self, runner: _Runner) -> None:
        """Drop one seed; if it was the last of its handful, lift the pit or stop."""
        size = len(self.pits)
        skips = bool(self.rules.options["skip_origin"])
        runner.at, runner.gone = (runner.at + 1) % size, runner.gone + 1
        if skips and runner.at == runner.origin:
            runner.at, runner.gone = (runner.at + 1) % size, runner.gone + 1
        runner.hand -= 1
        self.pits[runner.at] += 1
        self._note(runner, "drop", self.pits[runner.at])
        if runner.hand:
            return
        if self.pits[runner.at] == 1:
            runner.done = True
            self._note(runner, "end", 1)
            if self.winner is None:
                self.winner = runner.side
        elif self.winner is not None and self.rules.options["race_won"] == "first-empty":
            runner.done = True
            self._note(runner, "stop", self.pits[runner.at])
        else:
            self._lift(runner)

    def _lift(self, runner: _Runner) -> None:
        runner.hand, self.pits[runner.at], runner.origin = self.pits[runner.at], 0, runner.at
        self._note(runner, "lift", runner.hand)

    def _note(self, runner: _Runner, kind: str, count: int) -> None:
        if len(self.events) < MAX_EVENTS:
            self.events.append(RaceEvent(self.beat, runner.side, kind, runner.at, count))

    def _name(self) -> str:
        letters = " and ".join(self.start.letter(pit) for pit in self.starts)
        return f"{self.rules.id}: a race from {letters} in {self.start}"
