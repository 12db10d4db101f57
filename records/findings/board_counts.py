"""How many seeds each place of a board holds, and how sentences name places and numbers of seeds."""

from __future__ import annotations

from typing import NamedTuple

from records.position import Position, Side
from records.rules.trace import TraceEvent

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
SOWN = ("drop", "store")  # kinds of events with which a seed leaves the hand


class BoardCounts(NamedTuple):
    """The seeds in every pit, then in South's and North's store; pits alone where stores are not counted.

    `emptied` is a bit mask of the places that were emptied at least once since the position before; None: unknown.
    """

    counts: tuple[int, ...]
    emptied: int | None = None


def place_name(position: Position, place: int) -> str:
    """``pit g`` or ``South's store``; places are indices of `BoardCounts.counts`."""
    pits = len(position.pits)
    return f"pit {position.letter(place)}" if place < pits else f"{Side(place - pits)}'s store"


def sown_place(position: Position, event: TraceEvent) -> int:
    """Where a seed fell: of an event that `SOWN` has."""
    return event.pit if event.kind == "drop" else len(position.pits) + event.other


def in_words(number: int) -> str:
    """``two``; digits above twelve."""
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def listed(words: list[str]) -> str:
    """``a, b and c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
