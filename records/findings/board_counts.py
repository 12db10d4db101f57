"""How many seeds each place of a board holds, and where a seed falls."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from inkeek.records.position import Position
from inkeek.records.rules.trace import TraceEvent

SOWN = ("drop", "store")  # kinds of events with which a seed leaves the hand


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
