import pytest

from inkeek.records import Position, ruleset
from inkeek.records.findings import Evidence, Reading
from inkeek.records.position import NORTHS, ORDINARY, SOUTHS
from inkeek.service.disputes.consequences import BoardPlace, as_it_should_lie, differing_places

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


ENDED = Position.parse("0.0.1.0.0.6/0.0.0.0.0.0 21-20 s 40")
CLEARED = Position.parse("0.0.0.0.0.0/0.0.0.0.0.0 28-20 s 40")


@pytest.mark.parametrize(
    ("recorded", "board", "should"),
    [
        (ENDED, "0.0.1.0.0.6/0.0.0.0.0.0 21-20 s 40", ENDED),
        (ENDED, "0.0.1.0.0.5/0.0.0.0.0.0 21-21 s 40", ENDED),
        (ENDED, "0.0.0.0.0.0/0.0.0.0.0.0 28-20 s 40", CLEARED),
        (ENDED, "0.0.0.0.0.0/0.0.0.0.0.0 21-27 s 40", CLEARED),
        (CLEARED, "0.0.1.0.0.6/0.0.0.0.0.0 21-20 s 40", CLEARED),
    ],
)
def test_pits_may_be_cleared_when_the_rules_ended_the_game(recorded, board, should):
    lies = Position.parse(board)
    evidence = Evidence(before=recorded, counts=(*lies.pits, *lies.stores), marks=lies.marks)
    assert as_it_should_lie(ruleset("kalah"), evidence, recorded) == should


def test_a_special_pit_that_was_cleared_needs_no_mark():
    cleared = Position.parse("0.0s/0.0 5-15 s 4")
    evidence = Evidence(before=THEN, counts=(0, 0, 0, 0, 5, 15), marks=(ORDINARY,) * 4)
    assert differing_places(evidence, cleared) == ()


def test_pits_are_not_cleared_while_the_game_goes_on():
    going_on = Position.parse("0.0.1.0.0.6/0.0.0.0.0.1 21-19 s 40")
    evidence = Evidence(before=going_on, counts=(0,) * 12 + (28, 20))
    assert as_it_should_lie(ruleset("kalah"), evidence, going_on) == going_on
