"""How a game ends: why, who won, and the seeds of each side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inkeek.records.position import NORTH, ORDINARY, OWNED, SOUTH, Position, Side


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended. `termination`: why; `winner`: None for a draw; `score`: the seeds of (South, North)."""

    termination: str
    winner: Side | None
    score: tuple[int, int]

    @classmethod
    def of(cls, termination: str, score: tuple[int, int]) -> Outcome:
        """The outcome by the greater number of seeds."""
        winner = None if score[0] == score[1] else (SOUTH if score[0] > score[1] else NORTH)
        return cls(termination, winner, score)

    @property
    def result(self) -> str:
        """The text of the `Result` tag."""
        return "1/2-1/2" if self.winner is None else ("1-0" if self.winner is SOUTH else "0-1")


@dataclass(frozen=True, slots=True)
class GameEnd:
    """How a recorded game ended, by the rules or by its players. `result`: the text of the `Result` tag; `score`: the
    seeds of (South, North), None if players ended it and the record does not say them."""

    termination: str
    winner: Side | None
    result: str
    score: tuple[int, int] | None

    @classmethod
    def of(cls, outcome: Outcome) -> GameEnd:
        return cls(outcome.termination, outcome.winner, outcome.result, outcome.score)


def occurrences(positions: Sequence[Position]) -> int:
    """How often the last of these positions has occurred: the same pits with the same side to move."""
    last = positions[-1]
    if not last.is_known:
        return 1
    return sum((p.pits, p.marks, p.to_move) == (last.pits, last.marks, last.to_move) for p in positions)


def owned(position: Position) -> tuple[int, int]:
    """Seeds that (South, North) keep whatever happens: in the store and in special pits."""
    if not any(position.marks):
        return position.stores
    score = list(position.stores)
    for count, mark in zip(position.pits, position.marks, strict=True):
        if mark in OWNED:
            score[OWNED.index(mark)] += count
    return score[0], score[1]


def owner_of(marks: Sequence[int], pit: int) -> Side:
    """Whose the seeds of a pit are at the end: the owner's of a special pit, else the row's."""
    if marks[pit] in OWNED:
        return Side(OWNED.index(marks[pit]))
    return SOUTH if pit < len(marks) // 2 else NORTH


def in_row(position: Position, side: Side) -> int:
    """Seeds in the ordinary pits of a side's row."""
    row = position.row
    half = slice(row) if side is SOUTH else slice(row, 2 * row)
    return sum(seeds for seeds, mark in zip(position.pits[half], position.marks[half], strict=True) if mark == ORDINARY)
