"""Where a board that somebody saw or counted is not as it should be. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from inkeek.records import Position, Rules
from inkeek.records.findings import Evidence, Reading
from inkeek.records.findings.evidence.evidence import Count
from inkeek.records.findings.sweeps import swept_position
from inkeek.records.position import ORDINARY


@dataclass(frozen=True, slots=True)
class BoardPlace:
    """A pit or a store that is not as it should be: the seeds that lie there, and those that it must hold then.

    `mark_lies` and `mark_then`: the same for what the pit is (`Position.marks`); equal where nobody said. Places are
    pits by index, then the stores, which are ordinary.
    """

    place: int
    lies: int
    then: int
    mark_lies: int = ORDINARY
    mark_then: int = ORDINARY

    @property
    def lacks(self) -> int:
        """The seeds that the place lacks; 0 if only its mark is wrong."""
        return self.then - self.lies

    @property
    def has_wrong_mark(self) -> bool:
        return self.mark_lies != self.mark_then


def differing_places(evidence: Evidence, then: Position) -> tuple[BoardPlace, ...]:
    """Where the board that was counted differs from a position; what nobody counted is left out. The mark of a pit
    that is rightly empty does not count: it was cleared at the end."""
    marks_then = (*then.marks, ORDINARY, ORDINARY)
    marks = marks_then if evidence.marks is None else (*evidence.marks, ORDINARY, ORDINARY)
    found = []
    for place, (count, seeds) in enumerate(zip(evidence.counts, (*then.pits, *then.stores), strict=True)):
        there, mark, mark_then = _seeds(count), marks[place], marks_then[place]
        mark = mark_then if mark is None or there == seeds == 0 else mark
        if there is not None and (there, mark) != (seeds, mark_then):
            found.append(BoardPlace(place, there, seeds, mark, mark_then))
    return tuple(found)


def as_it_should_lie(rules: Rules, evidence: Evidence, position: Position) -> Position:
    """The position as it should lie on a board that was counted. Where the rules ended the game, the sides may have
    taken what was left into their stores: then with empty pits, if the board differs in no more places from that."""
    if rules.outcome(position) is None:
        return position
    both = swept_position(rules, position), position
    return min(both, key=lambda one: len(differing_places(evidence, one)))


def _seeds(count: Count) -> int | None:
    """The number of seeds that were counted; of a noisy count the nearest one."""
    if isinstance(count, Reading):
        return max(0, round(count.mean))
    return count if isinstance(count, int) else None
