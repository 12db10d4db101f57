"""What people write of a board is read, and written again."""

from __future__ import annotations

from random import Random

import pytest

from inkeek.records import PositionError, RecordsError, ruleset, ruleset_ids
from inkeek.records.findings import Evidence, Seen
from inkeek.records.findings.evidence import (
    board_text,
    known_board,
    lifted_letters,
    pit_index,
    read_board,
    read_lifts,
)
from inkeek.records.position import CLOSED
from tests.records.findings.slipped_turns import random_position

START = ruleset("oware").start()


def test_question_marks_are_unknown() -> None:
    counts, marks = read_board("4.?.0.5.?.5/5.5.4.4.4.4 ?-0", START)
    assert counts == (4, None, 0, 5, None, 5, 5, 5, 4, 4, 4, 4, None, 0)
    assert marks is None


def test_marks_are_known_as_soon_as_one_is_written() -> None:
    closed = START.replaced(marks=(*[0] * 5, CLOSED, *[0] * 6))
    counts, marks = read_board("4.4s.0.5.4.x/5.5.4.4.?n.4 0-0", closed)
    assert marks == (0, 1, 0, 0, 0, 3, 0, 0, 0, 0, 2, 0)
    assert (counts[5], counts[10]) == (0, None)


def test_a_question_mark_says_nothing_of_the_mark() -> None:
    text = "4.4s.0.5.4.?/5.5.4.4.?n.4 0-0"
    counts, marks = read_board(text, START)
    assert marks == (0, 1, 0, 0, 0, None, 0, 0, 0, 0, 2, 0)
    assert known_board(Evidence(before=START, counts=counts, marks=marks)) == text


@pytest.mark.parametrize("game", ruleset_ids())
def test_the_board_of_every_position_is_written_and_read(game: str) -> None:
    rng = Random(3)
    for _ in range(20):
        position = random_position(rng, ruleset(game))
        text = board_text((*position.pits, *position.stores), position.marks)
        counts, marks = read_board(text, position)
        assert counts == (*position.pits, *position.stores)
        assert marks is None or marks == position.marks
        assert known_board(Evidence(before=position, counts=counts, marks=marks)) == text


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("4.4/4.4", "4.4/4.4"),
        ("4.4.0.5.4/5.5.4.4.4.4 0-0", "5 pits"),
        ("4.4.0.5.4.z/5.5.4.4.4.4 0-0", "'z'"),
        ("4.4.x.5.4.4/5.5.4.4.4.4 0-0", "pit c is x"),
        ("4.4.4.5.4.4/5.5.4.4.4.x 0-0", "pit F is x"),
        ("4.4.4.5.4.4.x/5.5.4.4.4.4 0-0", "7 pits"),
    ],
)
def test_what_is_no_board_is_quoted(text: str, quoted: str) -> None:
    with pytest.raises(PositionError) as caught:
        read_board(text, START)
    assert quoted in str(caught.value)


def test_a_long_text_is_refused_before_it_is_read() -> None:
    with pytest.raises(PositionError) as caught:
        read_board("1." * 100_000, START)
    assert len(str(caught.value)) < 1000


def test_lifts_are_named_in_order() -> None:
    assert read_lifts("c,A, f", START) == (Seen("lift", 2), Seen("lift", 6), Seen("lift", 5))
    assert [pit_index(letter, START) for letter in "afAF"] == [0, 5, 6, 11]


@pytest.mark.parametrize("text", ["", ",", " , ,"])
def test_lifts_that_name_no_pit_are_refused(text: str) -> None:
    with pytest.raises(RecordsError, match="names no pit"):
        lifted_letters(text)


@pytest.mark.parametrize("letter", ["g", "G", "ab", "1", "é"])
def test_a_pit_that_is_not_there_is_quoted(letter: str) -> None:
    with pytest.raises(RecordsError, match=repr(letter)):
        pit_index(letter, START)
