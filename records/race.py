"""The race before the first turn, in lock step: a stand-in for what hands do at once (`docs/rules.md`, Enkeshui).

In every beat first one side, then the other drops one seed. Where a handful is out, the pit it ended in is lifted in
the same beat, before the other side drops its seed; no bulls are made and nothing is captured.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .errors import OptionError, RecordsError
from .moves import Move
from .play import Rules
from .position import NORTH, ORDINARY, SOUTH, Position, Side
from .trace import MAX_EVENTS

MAX_BEATS = 1_000_000  # far more than any race that was found to end


class RaceError(RecordsError):
    """A race that cannot be run from these pits, or that nobody wins; says why."""


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
    """A race that was run. `pits`: letters of the pits that South and North started from. `board`: what lay there after
    it, `winner` to move. `position`: where the game begins, which is `board`, or the set-up laid out again. `gone`: how
    many pits (South, North) went past. `events` are the first `trace.MAX_EVENTS`."""

    pits: tuple[str, str]
    winner: Side
    board: Position
    position: Position
    beats: int
    gone: tuple[int, int]
    events: tuple[RaceEvent, ...]

    @property
    def tags(self) -> dict[str, str]:
        """The tags of a record that begins with this race."""
        tags = {"Race": f"{self.pits[0]} {self.pits[1]} {self.winner}"}
        return tags | {"RacePosition": str(self.board)} if self.position == self.board else tags


def racing_pits(rules: Rules, start: Position, side: Side) -> list[int]:
    """The pits from which a side may start the race: its own that are not empty, or, with ``race=right-hand``, the
    rightmost of these."""
    pits = [pit for pit in start.pits_of(side) if start.pits[pit] and start.marks[pit] == ORDINARY]
    return pits[-1:] if rules.options["race"] == "right-hand" else pits


def run_race(rules: Rules, south: str, north: str, start: Position | None = None, first: Side = SOUTH) -> Race:
    """The race from the pits with letters `south` and `north`. `start` is what lies on the board, the set-up if it is
    not given; `first` drops first in every beat.

    :raises OptionError: the game has no race under its options.
    :raises RaceError: nobody may start there, or the race never ends.
    :raises PositionError: `start` is not of this game.
    """
    if rules.options.get("race", "none") == "none":
        expected = "expected race=right-hand or race=free" if "race" in rules.options else "this game has none"
        raise OptionError(f"{rules.id}: there is no race with these options: {expected}")
    start = start or rules.start()
    rules.verify_position(start)
    if any(mark != ORDINARY for mark in start.marks):
        raise RaceError(f"nobody races in {start}: expected a set-up, without special pits")
    for side, letter in ((SOUTH, south), (NORTH, north)):
        pits = [start.letter(pit) for pit in racing_pits(rules, start, side)]
        if letter not in pits:
            expected = f"expected {' or '.join(pits)}" if pits else "the row is empty"
            raise RaceError(f"{side} cannot race from {letter!r} with race={rules.options['race']}: {expected}")
    starts = (Move(south).pit_index(start.row), Move(north).pit_index(start.row))
    track = _Track(rules, start, starts, first)
    winner = track.run()
    board = start.replaced(pits=tuple(track.pits), to_move=winner)
    assert board.seeds == start.seeds, f"a race from {south} and {north} in {start} lost seeds: {board}"
    position = board if rules.options["race_keeps_position"] else start.replaced(to_move=winner)
    gone = (track.runners[SOUTH].gone, track.runners[NORTH].gone)
    return Race((south, north), winner, board, position, track.beat, gone, tuple(track.events))


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
class _Track:
    """A race while it is run. Its whole state is `state`: from the same state it goes on in the same way."""

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
        # Brent's method: the state kept for comparing is replaced after 1, 2, 4, 8 … beats, so it comes to lie within
        # the cycle, and the cycle between two replacements.
        kept, since, power = self.state(), 0, 1
        while not all(runner.done for runner in order):
            if self.beat == MAX_BEATS:
                raise RaceError(f"{self._told()} neither ended nor repeated in {MAX_BEATS} beats: choose other pits")
            self.beat += 1
            for runner in order:
                if not runner.done:
                    self._drop(runner)
            since += 1
            if self.state() == kept:
                raise RaceError(f"{self._told()} never ends: after {since} beats everything is as it was")
            if since == power:
                kept, since, power = self.state(), 0, 2 * power
        if self.rules.options["race_won"] == "farthest":
            return max(order, key=lambda runner: runner.gone).side
        assert self.winner is not None
        return self.winner

    def state(self) -> tuple[object, ...]:
        return (*self.pits, *((runner.at, runner.origin, runner.hand, runner.done) for runner in self.runners))

    def _drop(self, runner: _Runner) -> None:
        """One seed, and what comes of it when it was the last of its handful."""
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

    def _told(self) -> str:
        letters = " and ".join(self.start.letter(pit) for pit in self.starts)
        return f"{self.rules.id}: a race from {letters} in {self.start}"
