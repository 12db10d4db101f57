"""A turn seed by seed, as the kernel recorded it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from inkeek.records.kernel.codes import CAPTURES, KINDS, REASONS
from inkeek.records.moves import Move, Turn
from inkeek.records.position import Position

MAX_EVENTS = 20_000  # recorded of one turn: of an endless one until it repeats, or this far


@dataclass(frozen=True, slots=True)
class TraceEvent:
    """One thing that happened in a turn. By `kind`:

    * ``lift``: all `count` seeds of `pit` are picked up; `other`: by which row of a table, from 1 (0: none).
    * ``drop``: a seed falls in `pit`, which now holds `count`.
    * ``store``: a seed falls in the store of side `other`, which now holds `count`; `pit` is -1.
    * ``choose``: at `pit` the mover may choose, and goes on in direction `other` (+1 counter-clockwise, -1).
    * ``take``: `count` seeds go from `pit` (-1: from the hand) to the store of side `other`; `reason` says why.
    * ``shift``: a seed goes from `pit` to pit `other`.
    * ``special``: `pit`, which holds `count`, becomes a special pit of side `other`.
    * ``end``: the turn ends at `pit`; `reason` says why, `count` by which row of a table.
    """

    kind: str
    pit: int
    count: int
    other: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Trace:
    """The events of a turn that begins in `before`. `turn` is its result; None if it is endless, then `cycle` is the
    number of laps after which it repeats."""

    move: Move
    before: Position
    events: tuple[TraceEvent, ...]
    turn: Turn | None
    cycle: int = 0


class SownSeed(NamedTuple):
    """Where a seed of a turn fell: `place` is a pit, or a store (South's is the number of pits, North's one more);
    `lap` is the number of the lap, from 1."""

    place: int
    lap: int


def sown_seeds(events: Iterable[TraceEvent], pits: int) -> tuple[SownSeed, ...]:
    """The seeds of a turn in the order in which they were sown, on a board with `pits` pits."""
    seeds, lap = [], 0
    for event in events:
        if event.kind == "lift":
            lap += 1
        elif event.kind == "drop":
            seeds.append(SownSeed(event.pit, lap))
        elif event.kind == "store":
            seeds.append(SownSeed(pits + event.other, lap))
    return tuple(seeds)


def events_of(codes: list[tuple[int, int, int, int]]) -> tuple[TraceEvent, ...]:
    """The kernel's record as events."""
    return tuple(_event(KINDS[kind], pit, count, other) for kind, pit, count, other in codes)


def _event(kind: str, pit: int, count: int, other: int) -> TraceEvent:
    if kind == "end":
        return TraceEvent(kind, pit, count, 0, REASONS[other])
    if kind == "take":
        return TraceEvent(kind, pit, count, other % 2, CAPTURES[other // 2])
    return TraceEvent(kind, pit, count, other)
