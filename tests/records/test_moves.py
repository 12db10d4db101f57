import pytest
from hypothesis import given, strategies as st

from inkeek.records import NORTH, PASS, SOUTH, Kind, Move, MoveSyntaxError
from inkeek.records.moves import MAX_TEXT

letters = st.sampled_from("abcdefghijklmnopABCDEFGHIJKLMNOP")
counts = st.integers(0, 9999)
captures = st.none() | st.tuples(counts, counts)
specials = st.none() | st.text(letters, max_size=6)
moves = st.one_of(
    st.just(PASS),
    st.builds(
        Move,
        pit=letters,
        choices=st.text("<>", max_size=40),
        kind=st.sampled_from([Kind.SOW, Kind.IRREGULAR]),
        captured=captures,
        special=specials,
    ),
    st.builds(Move, pit=st.just("?"), kind=st.just(Kind.IRREGULAR)),
    st.builds(
        Move,
        kind=st.just(Kind.REARRANGE),
        emptied=st.text(letters, min_size=2, max_size=2),
        laid=st.lists(st.tuples(letters, counts), max_size=8).map(tuple),
    ),
)


@given(moves)
def test_what_is_written_is_read_back(move):
    read = Move.parse(str(move))
    assert read == move
    assert str(read) == str(move)
    assert (read.captured or (0, 0)) == (move.captured or (0, 0))
    assert (read.special or "") == (move.special or "")


@pytest.mark.parametrize(
    ("text", "pit", "choices", "captured", "special", "side"),
    [
        ("d", "d", "", None, None, SOUTH),
        ("D<><", "D", "<><", None, None, NORTH),
        ("dx7", "d", "", (7, 0), None, SOUTH),
        ("dx7,4", "d", "", (7, 4), None, SOUTH),
        ("d>=fC", "d", ">", None, "fC", SOUTH),
        ("dx0,4", "d", "", (0, 4), None, SOUTH),
    ],
)
def test_parts(text, pit, choices, captured, special, side):
    move = Move.parse(text)
    assert (move.pit, move.choices, move.captured, move.special, move.side) == (pit, choices, captured, special, side)
    assert str(move) == text


def test_irregular_turns_and_rearrangements():
    assert Move.parse("~d").kind is Kind.IRREGULAR
    assert (Move.parse("~?").pit, Move.parse("~?").side) == ("?", None)
    rearranged = Move.parse("ab@c4d2")
    assert (rearranged.emptied, rearranged.laid, rearranged.side) == ("ab", (("c", 4), ("d", 2)), SOUTH)


def test_claims_do_not_make_moves_different():
    assert Move.parse("dx7=f") == Move.parse("d")
    assert hash(Move.parse("dx7")) == hash(Move.parse("d"))
    assert str(Move.parse("dx7=f").choice) == "d"
    assert Move.parse("d<") != Move.parse("d")


@pytest.mark.parametrize(
    "text",
    ["", "4", "d x7", "dx", "dx12345", "dx1,", "d=", "dx7<", "d!", "?", "~", "~?<", "a@b1", "abc@d1", "---", "d\n"],
)
def test_what_is_no_move(text):
    with pytest.raises(MoveSyntaxError) as caught:
        Move.parse(text)
    assert repr(text) in str(caught.value)


def test_a_move_is_bounded():
    with pytest.raises(MoveSyntaxError, match=f"longer than {MAX_TEXT} characters"):
        Move.parse("d" + "<" * MAX_TEXT)
