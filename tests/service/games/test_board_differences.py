from __future__ import annotations

import pytest

from records import Position
from records.findings import Evidence, Reading
from records.position import NORTHS, ORDINARY, SOUTHS
from service.games.board_differences import BoardPlace, differing_places

THEN = Position.parse("1.4s/2.3 5-6 s 4")
COUNTS = (1, 4, 2, 3, 5, 6)


@pytest.mark.parametrize(
    ("counts", "marks", "differs"),
    [
        (COUNTS, THEN.marks, ()),
        (COUNTS, None, ()),
        (COUNTS, (ORDINARY, None, ORDINARY, ORDINARY), ()),
        (COUNTS, (ORDINARY, ORDINARY, NORTHS, ORDINARY), ((1, 4, 4, ORDINARY, SOUTHS), (2, 2, 2, NORTHS, ORDINARY))),
        ((0, 3, 2, 3, 5, 8), THEN.marks, ((0, 0, 1), (1, 3, 4, SOUTHS, SOUTHS), (5, 8, 6))),
        ((None, None, 3, None, None, None), None, ((2, 3, 2),)),
        ((Reading(1.3, 0.3), Reading(-0.7, 0.3), 2, 3, None, None), None, ((1, 0, 4, SOUTHS, SOUTHS),)),
    ],
)
def test_seeds_and_marks_that_somebody_counted_are_compared(counts, marks, differs):
    evidence = Evidence(before=THEN, counts=counts, marks=marks)
    assert differing_places(evidence, THEN) == tuple(BoardPlace(*one) for one in differs)
