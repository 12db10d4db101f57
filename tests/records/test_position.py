import pytest
from hypothesis import given, strategies as st

from inkeek.records import NORTH, SOUTH, Position, PositionError
from inkeek.records.position import CLOSED, MAX_ROW, MAX_SEEDS, MAX_TEXT, UNKNOWN


@st.composite
def any_position(draw):
    row = draw(st.integers(1, MAX_ROW))
    marks = draw(st.lists(st.integers(0, 3), min_size=2 * row, max_size=2 * row))
    counts = st.just(UNKNOWN) | st.integers(0, 31)
    pits = [0 if mark == CLOSED else draw(counts) for mark in marks]
    stores = draw(st.tuples(counts, counts))
    return Position(
        tuple(pits), tuple(marks), stores, draw(st.sampled_from([SOUTH, NORTH])), draw(st.integers(0, 10**9 - 1))
    )


@given(any_position())
def test_what_is_written_is_read_back(position):
    text = str(position)
    assert Position.parse(text) == position
    assert str(Position.parse(text)) == text
    assert len(text) <= MAX_TEXT


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "expected '<south row>/<north row>"),
        ("4.4/4.4 0-0 s 0 ", "expected '<south row>/<north row>"),
        ("4.4/4.4 0-0 S 0", "expected '<south row>/<north row>"),
        ("4.4/4.4 0-0 s 1 ns", "expected '<south row>/<north row>"),
        ("4.4/4.4 0-0 s 1 ", "expected '<south row>/<north row>"),
        ("4.4/4.4  0-0 s 0", "expected '<south row>/<north row>"),
        ("4.4/4.4 0-0 s 1234567890", "expected '<south row>/<north row>"),
        ("4.4/4.4 ０-0 s 0", "expected '<south row>/<north row>"),
        ("4.4.4/4.4 0-0 s 0", "the south row has 3 pits and the north row 2"),
        ("4.y/4.4 0-0 s 0", "pit 2 of the south row is 'y'"),
        ("4.4/4.4. 0-0 s 0", "pit 3 of the north row is ''"),
        ("4.4x/4.4 0-0 s 0", "pit 2 of the south row is '4x'"),
        *((f"4.4/4.{word} 0-0 s 0", f"pit 2 of the north row is '{word}'") for word in ("4?", "?4", "??", "?x")),
        ("4.4/4.4 0-0 ? 0", "expected '<south row>/<north row>"),
        (f"{MAX_SEEDS}.1/0.0 0-0 s 0", f"more than {MAX_SEEDS} seeds"),
        (".".join("1" * 17) + "/" + ".".join("1" * 17) + " 0-0 s 0", "17 pits a row: at most 16"),
        ("4" * (MAX_TEXT + 1), f"longer than {MAX_TEXT} characters"),
    ],
)
def test_what_is_no_position(text, says):
    with pytest.raises(PositionError) as caught:
        Position.parse(text)
    assert says in str(caught.value)


def test_what_was_not_counted_is_neither_a_number_nor_a_mark():
    counted = Position.parse("4.?.3s/?n.x.0 ?-12 n 7")
    assert counted.counts == (4, None, 3, None, 0, 0, None, 12)
    assert counted.counted_marks == (0, None, 1, 2, 3, 0)
    filled = Position.parse("?.5/?.0 ?-3 n 1").filled(Position.parse("4s.4/4.4 0-0 s 0"))
    assert str(filled) == "4s.5/4.0 0-3 n 1"


def test_every_fault_is_told_at_once():
    with pytest.raises(PositionError) as caught:
        Position.parse("4.y/z.4.9999 0-0 s 0")
    assert len(caught.value.faults) == 4


def test_pits_rows_and_letters():
    position = Position.parse("1.2.3/4s.5n.x 7-8 n 9")
    assert (position.row, position.seeds, position.stores, position.to_move, position.ply) == (3, 30, (7, 8), NORTH, 9)
    assert [position.letter(pit) for pit in range(6)] == list("abcABC")
    assert [position.opposite(pit) for pit in range(6)] == [5, 4, 3, 2, 1, 0]
    assert position.marks == (0, 0, 0, 1, 2, 3)
    assert list(position.pits_of(NORTH)) == [3, 4, 5]
    assert (position.side_of(2), position.side_of(3)) == (SOUTH, NORTH)
