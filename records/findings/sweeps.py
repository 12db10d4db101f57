"""What is left when the game is over, and the sides take it into their stores."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from inkeek.records.kernel.codes import (
    BY_ROW,
    ROWS_TO_NORTH,
    ROWS_TO_SOUTH,
    TO_NOBODY,
    TO_NORTH,
    TO_OTHERS,
    TO_OWNERS,
    TO_SOUTH,
)
from inkeek.records.position import Position, Side
from inkeek.records.rules.outcome import owner_of
from inkeek.records.rules.play import Rules
from inkeek.records.rules.trace import TraceEvent

from .kinds import TAKEN, TAKEN_IN_PART

SWEPT = "swept"  # the reason of the events


def right_way(rules: Rules, to_move: Side) -> int:
    """To whom what is left belongs by the rules, if the game is over when this side is to move."""
    ways = {"nobody": TO_NOBODY, "opponent": ROWS_TO_SOUTH if to_move else ROWS_TO_NORTH}
    return ways.get(rules.info.remaining_seeds, TO_OWNERS)


def sweep_events(board: list[int], marks: Sequence[int], pits: int, to_whom: int) -> Iterator[TraceEvent]:
    """Take the pits (a bit each) of a board into the stores, or off the board."""
    size = len(marks)
    for pit in range(size):
        if not pits >> pit & 1 or not board[pit]:
            continue
        seeds, board[pit] = board[pit], 0
        if to_whom == TO_NOBODY:
            yield from (TraceEvent("lose", pit, left, 0, SWEPT) for left in range(seeds - 1, -1, -1))
            continue
        side = _taker(marks, pit, to_whom)
        board[size + side] += seeds
        yield TraceEvent("take", pit, seeds, side, SWEPT)


def wrongly_taken(right: int, marks: Sequence[int], pits: int, to_whom: int) -> int:
    """Those of the pits (a bit each) whose seeds do not belong to the side that gets them; `right` is how they do."""
    if right == TO_NOBODY:
        return pits
    wrong = (pit for pit in range(len(marks)) if _taker(marks, pit, to_whom) != _taker(marks, pit, right))
    return pits & sum(1 << pit for pit in wrong)


def swept_position(rules: Rules, position: Position, pits: int | None = None) -> Position:
    """The position with these pits (None: all) as the sides take them when the game is over."""
    board = [*position.pits, *position.stores]
    size, right = len(position.pits), right_way(rules, position.to_move)
    for _ in sweep_events(board, position.marks, (1 << size) - 1 if pits is None else pits, right):
        pass
    return position.replaced(pits=tuple(board[:size]), stores=(board[size], board[size + 1]))


def sweep_log(row: int, taken: int, left: int) -> float:
    """The logarithm of how often these pits (a bit each) are taken, and those are left, when the game is over."""
    rows = [((1 << row) - 1) << first for first in (0, row)]
    if not any(taken & pits and left & pits for pits in rows):
        return math.log(TAKEN)
    return math.log(TAKEN * TAKEN_IN_PART) - (taken | left).bit_count() * math.log(2)


def _taker(marks: Sequence[int], pit: int, to_whom: int) -> Side:
    if to_whom in (TO_SOUTH, TO_NORTH):
        return Side(to_whom)
    if to_whom in (ROWS_TO_SOUTH, ROWS_TO_NORTH) and not marks[pit]:
        return Side(to_whom - ROWS_TO_SOUTH)
    owner = Side(int(pit >= len(marks) // 2)) if to_whom == BY_ROW else owner_of(marks, pit)
    return owner.other if to_whom == TO_OTHERS else owner
