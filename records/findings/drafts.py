"""Drafts: ways in which a board may have come about, before anybody tells them as accounts."""

from __future__ import annotations

from dataclasses import dataclass

from inkeek.records.moves import Turn
from inkeek.records.position import Position

from .board_counts import BoardCounts
from .weights import Slip, kind_of


@dataclass(frozen=True, slots=True)
class Opening:
    """Where a turn begins: from `pit` (-1: nowhere, the board stays as it is; -2, -3 …: it is as it was 1, 2 … turns
    before) in `position`, whose side to move sows.

    `kind`: why that is not legal; None: it is. `turn`: the turn that was played first, `broken`: the slip with which it
    ended, if it was not completed. `weight`: how likely, before anybody looks at the board.
    """

    position: Position
    pit: int
    weight: float
    kind: str | None = None
    turn: Turn | None = None
    broken: Slip | None = None

    @property
    def emptied(self) -> int:
        return self.turn.emptied if self.turn is not None else 0


@dataclass(frozen=True, slots=True)
class Draft:
    """A way in which a board that fits came about. `log`: the logarithm of its weight times the likelihood, `fit` that
    of the likelihood.

    `bits` and `choices`: the choices of direction as bits, and their number. `held`: seeds that stayed in the hand.
    `turn`: the legal turn that it is. `swept`: the pits (a bit each) that the sides then took into their
    stores, because the game was over. `begun`: the board, if a second turn has only begun.
    """

    log: float
    fit: float
    opening: Opening
    slips: tuple[Slip, ...]
    bits: int = 0
    choices: int = 0
    held: int = 0
    turn: Turn | None = None
    swept: int = 0
    begun: BoardCounts | None = None

    @property
    def is_legal(self) -> bool | None:
        """Whether it is a legal turn, perhaps with a legal one after it; None: nothing was played."""
        if self.turn is not None:
            return True
        if self.wrongs == 0 and self.opening.pit < 0:
            return None
        return self.opening.kind == "two-turns" and self.wrongs == 1

    @property
    def wrongs(self) -> int:
        """How many kinds it has."""
        return len(self.slips) + (self.opening.kind is not None) + (self.opening.broken is not None)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of its slips, in order."""
        opening, slips = self.opening, self.slips
        first = (opening.kind,) if opening.kind is not None else ()
        if opening.broken is not None:
            slips = (opening.broken, *slips)
        return (*first, *(kind_of(slip, opening.position) for slip in slips))


def choice_text(bits: int, count: int, step: int) -> str:
    """Choices of direction as they are written; those that only go on as before are left out at the end."""
    choices = "".join("<>"[bits >> k & 1] for k in range(count))
    first = ">" if step > 0 else "<"
    while choices and choices[-1] == (choices[-2:-1] or first):
        choices = choices[:-1]
    return choices


def choice_bits(choices: str) -> tuple[int, int]:
    """Choices of direction as bits, and their number."""
    return sum(1 << k for k, choice in enumerate(choices) if choice == ">"), len(choices)
