"""The board at any step of a turn, and of an account."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from inkeek.records.position import SOUTHS, Position
from inkeek.records.rules.trace import Trace, TraceEvent

from .finding import Account

SOWN = ("drop", "store")  # kinds of events with which a seed leaves the hand
TWO_TURNS = ("moved-twice", "two-turns")  # kinds whose steps begin with a legal turn


class BoardCounts(NamedTuple):
    """The seeds in every pit, then in South's and North's store; pits alone where stores are not counted.

    `emptied` is a bit mask of the places that were emptied at least once since the position before; None: unknown.
    """

    counts: tuple[int, ...]
    emptied: int | None = None


def empties_pit(event: TraceEvent) -> bool:
    """Whether a hand empties the pit of this event: the seeds that lie there afterwards are others."""
    return event.kind in ("lift", "take") and event.pit >= 0


def emptied_pits(events: Iterable[TraceEvent]) -> tuple[int, ...]:
    """The pits that hands empty, in order."""
    return tuple(event.pit for event in events if empties_pit(event))


def sown_place(position: Position, event: TraceEvent) -> int:
    """Where a seed fell: of an event that `SOWN` has."""
    return event.pit if event.kind == "drop" else len(position.pits) + event.other


@dataclass(frozen=True, slots=True)
class StepBoard:
    """The board after some steps of an account: seeds in every pit and in both stores, marks, and seeds in the hand."""

    board: tuple[int, ...]
    marks: tuple[int, ...]
    hand: int

    def position(self, before: Position) -> Position:
        """The board as a position, with the side to move of `before`."""
        pits = len(before.pits)
        stores = self.board[pits], self.board[pits + 1]
        return before.replaced(pits=self.board[:pits], marks=self.marks, stores=stores)


class AccountSteps:
    """An account, step by step. `before` is the position that was given when the account was found."""

    def __init__(self, account: Account, before: Position) -> None:
        self.account = account
        self._marks = before.marks
        self._start = _start(account, before)

    def board_after(self, steps: int) -> StepBoard:
        """The board after so many steps."""
        board, marks, hand = list(self._start), list(self._marks), 0
        unmarked = "unmarked" in self.account.kinds
        for event in self.account.steps[:steps]:
            hand = _apply(board, hand, event, 1)
            if event.kind == "special" and not unmarked:
                marks[event.pit] = SOUTHS + event.other
        return StepBoard(tuple(board), tuple(marks), hand)

    @property
    def second_turn(self) -> int | None:
        """The index of the step with which a second turn begins."""
        if self.account.kind not in TWO_TURNS:
            return None
        return 1 + next(number for number, event in enumerate(self.account.steps) if event.kind == "end")

    def laps(self) -> list[int]:
        """The number of the lap of each step, from 1; 0 before the first lift. A second turn counts from 1 again."""
        found, lap, restart = list[int](), 0, self.second_turn
        for number, event in enumerate(self.account.steps):
            if number == restart:
                lap = 0
            lap += event.kind == "lift"
            found.append(lap)
        return found


def boards_after_steps(trace: Trace, emptied: int = 0) -> Iterator[BoardCounts]:
    """The board after each step of a legal turn. `emptied`: the pits that were emptied before."""
    board = [*trace.before.pits, *trace.before.stores]
    for event in trace.events:
        _apply(board, 0, event, 1)
        if empties_pit(event):
            emptied |= 1 << event.pit
        yield BoardCounts(tuple(board), emptied)


def boards_during(trace: Trace, emptied: int = 0) -> Iterator[BoardCounts]:
    """Every board on the way of a legal turn: after each lift and each seed but the last."""
    for (event, following), board in zip(pairwise(trace.events), boards_after_steps(trace, emptied), strict=False):
        if event.kind in ("lift", *SOWN) and following.kind in ("lift", *SOWN, "choose"):
            yield board


def _start(account: Account, before: Position) -> Sequence[int]:
    """The seeds where the steps begin. Only the end of the account tells whether they are those of `before`."""
    if not account.board:
        return [*before.pits, *before.stores]
    board = list(account.board)
    for event in reversed(account.steps):
        _apply(board, 0, event, -1)
    return board if min(board) >= 0 else [*before.pits, *before.stores]


def _apply(board: list[int], hand: int, event: TraceEvent, by: int) -> int:
    """Do a step (`by` is 1), or undo it (-1). Returns the seeds in the hand after it."""
    pits = len(board) - 2
    match event.kind:
        case "lift":
            board[event.pit] -= by * event.count
            return hand + event.count
        case "drop":
            board[event.pit] += by
            return hand - 1
        case "store":
            board[pits + event.other] += by
            return hand - 1
        case "take":
            board[pits + event.other] += by * event.count
            if event.pit < 0:
                return hand - event.count
            board[event.pit] -= by * event.count
        case "shift":
            board[event.pit] -= by
            board[event.other] += by
        case "pick":
            board[event.pit] -= by
            return hand + 1
        case "lose" if event.pit < 0:
            return hand - 1
        case "lose":
            board[event.pit] -= by
        case "add" if event.pit < 0:
            return hand + 1
        case "add":
            board[event.pit] += by
    return hand
