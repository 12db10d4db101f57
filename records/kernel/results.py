"""What the kernel returns, where it is more than a number or two."""

from __future__ import annotations

from typing import NamedTuple


class Sown(NamedTuple):
    """A turn that was sown to its end. Pits of a kind are bits of a number."""

    pit: int
    choices: str  # the directions at the choices that were given, as ``<>``
    captured: tuple[int, int]  # by South and North
    special: int  # pits that became special
    emptied: int
    end: int  # the pit of the last seed
    laps: int
    again: bool
    pits: tuple[int, ...]
    marks: tuple[int, ...] | None  # None where they did not change
    stores: tuple[int, int]
    seeds: int  # all on the board


class Slipped(NamedTuple):
    """A turn that was sown with slips."""

    events: list[tuple[int, int, int, int]]
    slips: list[
        tuple[int, int, int, int]
    ]  # of each its event, the pit of its lap, that of the last seed, the direction
    pits: tuple[int, ...]
    marks: tuple[int, ...]
    stores: tuple[int, int]
    held: int  # seeds in the hand
    again: bool
