"""What is known of a turn: the position before, what lies there now, and whatever was claimed and seen."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from inkeek.records.kernel.codes import COUNT_LIMIT, IMPOSSIBLE
from inkeek.records.moves import Move, Turn
from inkeek.records.position import OWNED, Position, Side
from inkeek.records.rules.trace import TraceEvent

from ..board_counts import empties_pit
from ..kinds import IMAGINED, MISSED, MISSED_OF_ALL, TOUCHED

MAX_PRODUCT = 250_000  # pairs of a seen and a true event that are compared


@dataclass(frozen=True, slots=True)
class Reading:
    """A noisy count: `mean` seeds, with a standard deviation of `spread`."""

    mean: float
    spread: float


Count = int | Reading | Mapping[int, float] | None
"""How many seeds lie in a place: a number, a `Reading`, the log-likelihood by number of seeds (0 for the likeliest, of
`counts` and `kept` together), or None (unknown)."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One thing that was seen or heard: a ``lift`` of all seeds of a pit, or a ``drop`` of one seed into it."""

    kind: str
    pit: int


@dataclass(frozen=True, slots=True)
class WatchedBoard:
    """A board that is watched from turn to turn: `pressed_by` pressed its button (None: nobody), and so often
    (`mistake`) a turn goes wrong there."""

    pressed_by: Side | None
    mistake: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """All that is known of a turn.

    `before`: the position before it. `counts`: what lies there now, the pits in order of index, then South's and
    North's store. `kept`: the same for places that were never emptied since, where that makes a difference to a sensor.
    `marks`: what each pit is now (`Position.marks`), None where unknown. `hand`: seeds that are still in a hand.
    `claimed`: the move that the player says was played; `captured`: the seeds that they say (South, North) captured.
    `seen`: lifts, or lifts and drops, in order; `seen_all`: none of them was missed;
    `seen_by_board`: sensors reported them, not people. `previous`: the turn before.
    `earlier`: the positions before `before`, the latest last. `watch`: of a board that is watched.
    """

    before: Position
    counts: tuple[Count, ...]
    kept: tuple[Count, ...] | None = None
    marks: tuple[int | None, ...] | None = None
    hand: int | None = None
    claimed: Move | None = None
    captured: tuple[int, int] | None = None
    seen: tuple[Seen, ...] = ()
    seen_all: bool = False
    seen_by_board: bool = False
    previous: Turn | None = None
    earlier: tuple[Position, ...] = field(default=(), repr=False)
    watch: WatchedBoard | None = None

    @property
    def exact(self) -> bool:
        """Whether every place is a number of seeds or unknown."""
        return all(count is None or isinstance(count, int) for count in self.counts)

    def comparable_marks(self) -> tuple[int, ...] | None:
        """The marks, -1 where they are unknown, or differ from that of a special pit, which no account changes."""
        if self.marks is None:
            return None
        changed = self.changed_specials
        return tuple(-1 if mark is None or pit in changed else mark for pit, mark in enumerate(self.marks))

    @property
    def changed_specials(self) -> tuple[int, ...]:
        """The special pits of the position before whose mark is missing now, or is the other side's."""
        pairs = zip(self.before.marks, self.marks or (), strict=False)
        return tuple(pit for pit, (was, mark) in enumerate(pairs) if was in OWNED and mark not in (None, was))

    @property
    def whole(self) -> int | None:
        """All seeds on the board, if every place is known exactly."""
        counts = [count for count in self.counts if isinstance(count, int)]
        return sum(counts) if len(counts) == len(self.counts) else None

    def known(self, place: int) -> int | None:
        """The number of seeds in a place, if it is known exactly."""
        count = self.counts[place]
        return count if isinstance(count, int) else None


def log_likelihoods(count: Count) -> list[float]:
    """The log-likelihood of 0, 1, 2 … seeds, as in `Count`."""
    numbers = range(COUNT_LIMIT)
    if count is None:
        return [0.0] * COUNT_LIMIT
    if isinstance(count, int):
        logs = [IMPOSSIBLE] * COUNT_LIMIT
        logs[min(count, COUNT_LIMIT - 1)] = 0.0
        return logs
    if isinstance(count, Reading):
        found = [-0.5 * ((number - count.mean) / count.spread) ** 2 for number in numbers]
        most = max(found)
        return [max(IMPOSSIBLE, log - most) for log in found]
    return [max(IMPOSSIBLE, count.get(number, IMPOSSIBLE)) for number in numbers]


def other_order_log(evidence: Evidence) -> float:
    """The log-likelihood of what was seen, if something else happened: one pit is as likely as the other each time."""
    return -len(evidence.seen) * math.log(len(evidence.before.pits))


def order_log(evidence: Evidence, events: Sequence[TraceEvent]) -> float:
    """The log-likelihood of what was seen, if these were the events.

    Each event was missed or seen; what was seen and is no event was imagined. If only lifts were seen, drops say
    nothing. Sensors report a pit that a capture empties like one that is lifted.
    """
    if not evidence.seen:
        return 0.0
    kinds = {seen.kind for seen in evidence.seen}
    by_board = evidence.seen_by_board
    true = [("lift" if by_board and empties_pit(event) else event.kind, event.pit) for event in events]
    true = [event for event in true if event[0] in kinds]
    seen = [(one.kind, one.pit) for one in evidence.seen]
    missed = math.log(MISSED_OF_ALL if evidence.seen_all else MISSED)
    imagined = math.log(TOUCHED if by_board else IMAGINED)
    # What is equal at both ends is equal in the best alignment.
    while true and seen and true[0] == seen[0]:
        true, seen = true[1:], seen[1:]
    while true and seen and true[-1] == seen[-1]:
        true, seen = true[:-1], seen[:-1]
    if not true or not seen or len(true) * len(seen) > MAX_PRODUCT:
        return missed * len(true) + imagined * len(seen)
    row = [missed * at for at in range(len(true) + 1)]
    for one in seen:
        above, row = row, [row[0] + imagined]
        for at, event in enumerate(true, 1):
            best = max(above[at] + imagined, row[-1] + missed)
            if event == one:
                best = max(best, above[at - 1])
            row.append(best)
    return row[-1]
