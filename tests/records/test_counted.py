"""Positions in which some places were not counted."""

from __future__ import annotations

import pytest

from inkeek.records import Position, PositionError
from inkeek.records.counted import CountedPosition


def test_what_was_not_counted_is_neither_a_number_nor_a_mark() -> None:
    counted = CountedPosition.parse("4.?.3s/?n.x.0 ?-12 n 7")
    assert counted.counts == (4, None, 3, None, 0, 0, None, 12)
    assert counted.marks == (0, None, 1, 2, 3, 0)
    assert str(counted) == "4.?.3s/?n.x.0 ?-12 n 7"


@pytest.mark.parametrize("text", ["4.4/0s.x 10-0 s 3 sn", "04.4/4.4 0-0 s 0"])
def test_a_whole_position_is_read_as_it_is(text: str) -> None:
    counted = CountedPosition.parse(text)
    assert (counted.position, counted.unknown) == (Position.parse(text), frozenset())
    assert str(counted) == str(counted.position)


def test_another_position_fills_what_nobody_counted() -> None:
    counted = CountedPosition.parse("?.5/?.0 ?-3 n 1")
    assert str(counted.filled(Position.parse("4s.4/4.4 0-0 s 0"))) == "4s.5/4.0 0-3 n 1"


@pytest.mark.parametrize(
    "text",
    ["4?.4/4.4 0-0 s 0", "4.?4/4.4 0-0 s 0", "4.??/4.4 0-0 s 0", "4.?x/4.4 0-0 s 0", "4.4/4.4 0-0 ? 0"],
)
def test_a_question_mark_stands_alone_for_a_number(text: str) -> None:
    with pytest.raises(PositionError) as refused:
        CountedPosition.parse(text)
    assert refused.value.text == text


def test_the_faults_of_the_rest_are_named() -> None:
    with pytest.raises(PositionError, match=r"'4\.\?/4 0-0 s 0': the south row has 2 pits and the north row 1"):
        CountedPosition.parse("4.?/4 0-0 s 0")
