"""A planned game: what the hands do in each turn, taken from the trace of the rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from inkeek.firmware_sim.errors import SimulatorError
from inkeek.records import PASS, Game, Kind, Move, Position, RecordsError, Rules, Trace

LEGAL_LIMIT = 400  # drawing stops at a position with this many legal turns

IN_HAND = -1  # as a place: the handful that is being sown


@dataclass(frozen=True, slots=True)
class Step:
    """One movement of a hand. Places as in `World`.

    ``lift`` a place, ``drop`` a seed in it, ``take`` all it holds to the place `to`, ``shift`` one seed to `to`.
    Mistakes also ``press`` the commit button or the ``undo`` button, or ``shake`` the table. `hand` is 1 for the hand
    of the side that is not to move.
    """

    kind: str
    place: int = IN_HAND
    to: int = IN_HAND
    hand: int = 0


@dataclass(frozen=True, slots=True)
class PlannedTurn:
    """A turn to play. `before` and `after` are what every place holds then; sides are ``s`` or ``n``."""

    ply: int  # from 1
    move: str  # in canonical form
    side: str
    next_side: str  # empty when the game is over
    steps: tuple[Step, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GamePlan:
    """A game to play: the counts to lay out, the side that starts, the turns, and the final position."""

    row: int
    counts: tuple[int, ...]
    first_side: str
    turns: tuple[PlannedTurn, ...]
    end: Position

    def turn(self, ply: int) -> PlannedTurn:
        """Return the turn with this number, from 1.

        :raises SimulatorError: the game has no such turn.
        """
        if not 1 <= ply <= len(self.turns):
            raise SimulatorError(f"there is no turn {ply}: the game has {len(self.turns)}")
        return self.turns[ply - 1]


def plan_game(game: Game) -> GamePlan:
    """Plan every turn of a record.

    :raises SimulatorError: as `plan_turns`; or the record has errors, or its tags do not make a game.
    """
    if game.faults:
        raise SimulatorError(str(game.faults[0]))
    try:
        rules, start = game.rules(), game.start()
    except RecordsError as error:
        raise SimulatorError(f"cannot set up the game: {error}") from error
    return plan_turns(rules, start, [ply.move for ply in game.plies])


def plan_turns(rules: Rules, start: Position, moves: Sequence[Move]) -> GamePlan:
    """Plan every turn from `start` on.

    :raises SimulatorError: a turn is illegal, or hands cannot sow it (an irregular turn, a rearrangement).
    """
    position = start
    turns = []
    for ply, move in enumerate(moves, 1):
        if move.kind not in (Kind.SOW, Kind.PASS):
            raise SimulatorError(f"turn {ply}, {str(move)!r}, is neither sown nor a pass: the hands cannot play it")
        try:
            trace = rules.trace(position, move)
        except RecordsError as error:
            raise SimulatorError(f"turn {ply} cannot be played: {error}") from error
        if trace.turn is None:
            raise SimulatorError(f"turn {ply}, {move}, never ends: it repeats every {trace.cycle} laps")
        steps = tuple(_steps(trace, rules.row))
        before = places_of(position)
        after = counts_after(before, steps)
        position = trace.turn.position
        if after != places_of(position):
            raise SimulatorError(f"turn {ply}, {move}, is too long to play seed by seed")
        next_side = "" if rules.outcome(position) else position.to_move.letter
        side = trace.before.to_move.letter
        turns.append(PlannedTurn(ply, str(trace.turn.move), side, next_side, steps, before, after))
    return GamePlan(rules.row, places_of(start), start.to_move.letter, tuple(turns), position)


def draw_turns(rules: Rules, random: Random, most: int) -> list[Move]:
    """Draw up to `most` legal turns from the start, only turns that no other legal turn resembles on the board.

    None that clears it: an empty board shows no turn.
    """
    position = rules.start()
    moves: list[Move] = []
    while len(moves) < most and rules.outcome(position) is None:
        legal = rules.legal_moves(position, LEGAL_LIMIT)
        results = [rules.play(position, move).position for move in legal]
        pits = [result.pits for result in results]
        unique = [
            (move, result)
            for move, result in zip(legal, results, strict=True)
            if move == PASS
            or (
                pits.count(result.pits) == 1
                and result.pits != position.pits
                and any(result.pits)
                and move.kind is Kind.SOW
            )
        ]
        if not unique or len(legal) == LEGAL_LIMIT:
            break
        move, position = random.choice(unique)
        moves.append(move)
    return moves


def places_of(position: Position) -> tuple[int, ...]:
    """Return what every place holds in a position."""
    return (*position.pits, *position.stores)


class HandPath:
    """The path of a hand around `pits` pits. It tells where surplus seeds go."""

    def __init__(self, pits: int) -> None:
        self._pits = pits
        self._last = 0
        self._direction = 1

    def lift(self, place: int) -> None:
        """Start from a pit that the hand empties."""
        self._last = place

    def drop(self, place: int) -> None:
        """Drop a seed there."""
        direction = (place - self._last) % self._pits
        if direction in (1, self._pits - 1):
            self._direction = direction
        self._last = place

    def next(self) -> int:
        """Return the pit after the last one."""
        return (self._last + self._direction) % self._pits


def counts_after(counts: Sequence[int], steps: Iterable[Step]) -> tuple[int, ...]:
    """Return what every place holds after the steps.

    An empty hand drops nothing. A hand with seeds left sows them on before it lifts others, and at the end.
    """
    held = list(counts)
    hands = [0, 0]
    paths = [HandPath(len(held) - 2), HandPath(len(held) - 2)]

    def drop(hand: int, place: int) -> None:
        hands[hand] -= 1
        held[place] += 1
        paths[hand].drop(place)

    def sow_on(hand: int) -> None:
        while hands[hand]:
            drop(hand, paths[hand].next())

    for step in steps:
        hand = step.hand
        if step.kind == "lift":
            sow_on(hand)
            hands[hand], held[step.place] = held[step.place], 0
            paths[hand].lift(step.place)
        elif step.kind == "drop":
            if hands[hand]:
                drop(hand, step.place)
        elif step.kind == "take" and step.place == IN_HAND:
            held[step.to] += hands[hand]
            hands[hand] = 0
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
