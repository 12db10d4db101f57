"""What the hands are to do in each turn of a game, taken from the rules' own trace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from firmware_sim.errors import SimulatorError
from records import PASS, Game, Kind, Move, Position, RecordsError, Rules, Trace

LEGAL_LIMIT = 400  # legal turns in a position from which one is drawn; where there are more, the game is broken off

IN_HAND = -1  # as a place: the handful that is being sown


@dataclass(frozen=True, slots=True)
class Step:
    """One movement. Places as in `World`.

    ``lift`` a place, ``drop`` a seed in it, ``take`` all it holds to place `to`, ``shift`` one seed to `to`; in turns
    with a mistake also ``press`` the mover's commit button or ``undo`` button and ``shake`` the table. `hand` is 1 for
    the hand of the side that is not to move.
    """

    kind: str
    place: int = IN_HAND
    to: int = IN_HAND
    hand: int = 0


@dataclass(frozen=True, slots=True)
class PlannedTurn:
    """A turn to be played.

    `ply` from 1; `move` in canonical form; `side` and `following` are the sides (``s`` or ``n``) that move now
    and next, `following` empty when the game is over; `before` and `counts` are what every place holds before and
    afterwards.
    """

    ply: int
    move: str
    side: str
    steps: tuple[Step, ...]
    counts: tuple[int, ...]
    following: str
    before: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole game: the counts to lay out, the side that starts, the turns and the position at the end."""

    row: int
    counts: tuple[int, ...]
    starts: str
    turns: tuple[PlannedTurn, ...]
    end: Position


def plan_game(game: Game) -> Plan:
    """Work out every turn of a record.

    :raises SimulatorError: as `plan_turns`, and when the record could not be read or its tags make no game.
    """
    if game.faults:
        raise SimulatorError(str(game.faults[0]))
    try:
        rules, start = game.rules(), game.start()
    except RecordsError as error:
        raise SimulatorError(f"the game cannot be set up: {error}") from error
    return plan_turns(rules, start, [ply.move for ply in game.plies])


def plan_turns(rules: Rules, start: Position, moves: Sequence[Move]) -> Plan:
    """Work out every turn from `start` on.

    :raises SimulatorError: a turn is against the rules, or none that hands can sow (an irregular turn, a
        rearrangement); says which.
    """
    position = start
    turns = []
    for ply, move in enumerate(moves, 1):
        if move.kind not in (Kind.SOW, Kind.PASS):
            raise SimulatorError(f"turn {ply} is {str(move)!r}: the hands can only sow and pass")
        try:
            trace = rules.trace(position, move)
        except RecordsError as error:
            raise SimulatorError(f"turn {ply} cannot be played: {error}") from error
        if trace.turn is None:
            raise SimulatorError(f"turn {ply}, {move}, never ends: it repeats every {trace.cycle} laps")
        steps = tuple(_steps(trace, rules.row))
        before = places_of(position)
        counts = counts_after(before, steps)
        position = trace.turn.position
        if counts != places_of(position):
            raise SimulatorError(f"turn {ply}, {move}, is too long to be told seed by seed")
        following = "" if rules.outcome(position) else position.to_move.letter
        side = trace.before.to_move.letter
        turns.append(PlannedTurn(ply, str(trace.turn.move), side, steps, counts, following, before))
    return Plan(rules.row, places_of(start), start.to_move.letter, tuple(turns), position)


def draw_turns(rules: Rules, random: Random, most: int) -> list[Move]:
    """Up to `most` legal turns from the start by chance, of those that a board can tell from all others by its pits."""
    position = rules.start()
    moves: list[Move] = []
    while len(moves) < most and rules.outcome(position) is None:
        legal = rules.legal_moves(position, LEGAL_LIMIT)
        after = [rules.play(position, move).position for move in legal]
        pits = [end.pits for end in after]
        told = [
            (move, end)
            for move, end in zip(legal, after, strict=True)
            if move == PASS or (pits.count(end.pits) == 1 and end.pits != position.pits and move.kind is Kind.SOW)
        ]
        if not told or len(legal) == LEGAL_LIMIT:
            break
        move, position = random.choice(told)
        moves.append(move)
    return moves


def places_of(position: Position) -> tuple[int, ...]:
    """What every place holds in a position."""
    return (*position.pits, *position.stores)


class Way:
    """The way of a hand round `pits` pits: where it goes on when it holds more seeds than it was meant to."""

    def __init__(self, pits: int) -> None:
        self._pits = pits
        self._last = 0
        self._onward = 1

    def lifted(self, place: int) -> None:
        """The hand is over the pit that it has emptied."""
        self._last = place

    def dropped(self, place: int) -> None:
        """A seed has fallen there."""
        onward = (place - self._last) % self._pits
        if onward in (1, self._pits - 1):
            self._onward = onward
        self._last = place

    def onward(self) -> int:
        """The pit after the last one."""
        return (self._last + self._onward) % self._pits


def counts_after(counts: Sequence[int], steps: Iterable[Step]) -> tuple[int, ...]:
    """What every place holds when the steps have been done: a hand that is empty drops nothing, and one that still
    holds seeds before it lifts others, or at the end, sows them on from where it is.
    """
    held = list(counts)
    hands = [0, 0]
    ways = [Way(len(held) - 2), Way(len(held) - 2)]

    def drop(who: int, place: int) -> None:
        hands[who] -= 1
        held[place] += 1
        ways[who].dropped(place)

    def sow_on(who: int) -> None:
        while hands[who]:
            drop(who, ways[who].onward())

    for step in steps:
        who = step.hand
        if step.kind == "lift":
            sow_on(who)
            hands[who], held[step.place] = held[step.place], 0
            ways[who].lifted(step.place)
        elif step.kind == "drop":
            if hands[who]:
                drop(who, step.place)
        elif step.kind == "take" and step.place == IN_HAND:
            held[step.to] += hands[who]
            hands[who] = 0
        elif step.kind in ("take", "shift"):
            moved = min(1, held[step.place]) if step.kind == "shift" else held[step.place]
            held[step.place] -= moved
            held[step.to] += moved
        elif step.kind in ("press", "undo"):
            sow_on(0)  # nobody presses a button with seeds in the hand; the other side may hold some
    sow_on(0)
    return tuple(held)


def _steps(trace: Trace, row: int) -> Iterator[Step]:
    for event in trace.events:
        if event.kind in ("lift", "drop"):
            yield Step(event.kind, event.pit)
        elif event.kind == "store":
            yield Step("drop", 2 * row + event.other)
        elif event.kind == "take":
            yield Step("take", event.pit, 2 * row + event.other)
        elif event.kind == "shift":
            yield Step("shift", event.pit, event.other)
