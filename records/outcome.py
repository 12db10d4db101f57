"""How a game ends: why, who won, and the seeds of each side."""

from __future__ import annotations

from dataclasses import dataclass

from .position import NORTH, ORDINARY, OWNED, SOUTH, Position, Side


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


def owned(position: Position) -> tuple[int, int]:
    """Seeds that (South, North) keep whatever happens: in the store and in special pits."""
    score = list(position.stores)
    for count, mark in zip(position.pits, position.marks, strict=True):
        if mark in OWNED:
            score[OWNED.index(mark)] += count
    return score[0], score[1]


def in_row(position: Position, side: Side) -> int:
    """Seeds in the ordinary pits of a side's row."""
    return sum(position.pits[pit] for pit in position.pits_of(side) if position.marks[pit] == ORDINARY)
