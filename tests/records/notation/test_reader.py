from __future__ import annotations

import io
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from records import read_games, write_game
from records.notation.movetext import MAX_PLIES
from records.notation.splitter import MAX_LINE, MAX_RECORD
from records.record import MAX_NESTING
from tests.records.notation.records_made import games

HEAD = '[Game "bof"]\n\n'


def read(text):
    return list(read_games(io.StringIO(text, newline="")))


def fault(text):
    (game,) = read(text)
    return game.errors[0]


pieces = st.sampled_from(
    [
        *("[", "]", "{", "}", "(", ")", ";", "%", "$1", "$999", '"', "\\", "!", "??", "*", "1-0", "1.", "1...", "12"),
        *(
            "a",
            "ax5",
            "A",
            "--",
            "~?",
            "~a",
            "ab@c4",
            "?",
            "\n",
            "\n\n",
            "\r\n",
            " ",
            "\t",
            "\ufeff",
            "\x00",
            "é",
            "[%",
        ),
        *('[Game "bof"]', '[Event "x"]', "[Event", '[%after "4.4/4.4 0-0 s 0"]', '[Result "1-0"]\n', "[ ", "1/2-1/2"),
    ]
)


@settings(max_examples=600)
@given(st.lists(pieces, max_size=40).map("".join) | st.text(max_size=60))
def test_any_text_is_read_and_the_second_reading_is_the_first(text):
    first = read(text)
    assert read(text) == first
    assert list(read_games(text.encode("utf-8", "surrogatepass").splitlines(keepends=True))) is not None
    for number, game in enumerate(first):
        assert game.index == number
        for error in game.errors:
            assert error.message
            assert error.line >= 0
        if not game.faults:
            written = write_game(game)
            (again,) = read(written)
            assert again.faults == ()
            assert again.plies == game.replay().plies + game.plies[len(game.replay().plies) :]
            assert write_game(again) == written


@settings(max_examples=60)
@given(st.lists(games(), min_size=1, max_size=3), st.sampled_from(["\n", "\n\n\n", "\r\n", "\ufeff"]))
def test_records_of_a_file_are_neither_lost_nor_made_up(written, way):
    text = "\n".join(map(write_game, written))
    if way == "\ufeff":
        text = way + text.rstrip("\n")
    elif way == "\r\n":
        text = text.replace("\n", way)
    else:
        text = text + way
    got = read(text)
    assert [game.errors for game in got] == [()] * len(written)
    assert [game.plies for game in got] == [game.plies for game in written]
    assert [game.comments for game in got] == [game.comments for game in written]
    as_bytes = list(read_games(io.BytesIO(text.encode())))
    assert as_bytes == got


@pytest.mark.parametrize("text", ["", "\n", "\n\n\n", "\ufeff", "\r\n\r\n", " \n\t\n"])
def test_nothing_is_no_game(text):
    assert read(text) == []


@pytest.mark.parametrize(
    ("text", "place", "quoted"),
    [
        ("1. a A) B", (3, 7), "')'"),
        ("1. a ( 1. b A", (3, 14), "')'"),
        ("1. a ( )", (3, 8), "')'"),
        ("( 1. a ) 1. b", (3, 1), "variation"),
        ("1. a {never\nclosed", (3, 6), "'}'"),
        ("1. a A 2. b4", (3, 11), "'b4'"),
        ("1. a!!! A", (3, 4), "'a!!!'"),
        ("1. a $256 A", (3, 6), "'$256'"),
        ("$1 1. a", (3, 1), "'$1'"),
        ("1. a 1-0 A", (3, 10), "'A'"),
        ("1. a ( b 1-0 )", (3, 10), "1-0"),
        ("1. a }", (3, 6), "'}'"),
    ],
)
def test_where_the_movetext_is_wrong(text, place, quoted):
    error = fault(HEAD + text)
    assert quoted in error.message
    assert (error.line, error.column) == place


@pytest.mark.parametrize(
    ("text", "place", "quoted"),
    [
        ('[Game "bof"', (1, 1), '[Name "value"]'),
        ('[Event "x"]\n[Game bof]', (2, 1), "'[Game bof]'"),
        ('[Game "bof"]\n[Game "bof"]', (2, 1), "Game"),
        ('[Game "bof"]\n[9 "x"]', (2, 1), "'9'"),
        ('[Event "x"]\n\n1. a', (1, 1), "Game tag: expected one of anywoli, bof"),
        ('[Event "x"]\n[Game "chess"]', (2, 1), "'chess'"),
        ('[Game "bof"]\n[Options "pits"]', (2, 1), "key=value"),
        ('[Game "bof"]\n[First "East"]', (2, 1), "'East'"),
        ('[Game "bof"]\n[Setup "4.4/4.4 0-0 s 0"]', (2, 1), "4.4/4.4 0-0 s 0"),
    ],
)
def test_where_the_tags_are_wrong(text, place, quoted):
    error = fault(text)
    assert quoted in error.message
    assert (error.line, error.column) == place


def test_an_illegal_move_has_a_place_and_the_legal_moves():
    error = fault(HEAD + "1. a B\n2. c {x} C {y}")
    assert (error.line, error.column, error.ply) == (4, 10, 4)
    assert "empty-pit" in error.message
    assert error.legal
    assert all(move[0].isupper() for move in error.legal)
    (game,) = read(HEAD + "1. ax5 Bx1")
    assert (game.errors[0].line, game.errors[0].column, game.errors[0].ply) == (3, 8, 2)
    assert "false-claim" in game.errors[0].message
    assert len(game.replay().turns) == 1


def test_the_next_record_is_read_after_a_bad_one():
    bad = HEAD + "1. a4 A\n\n"
    good = HEAD + "1. ax5\n"
    first, second, third = read(bad + good + "\n" + good)
    assert first.errors
    assert not second.errors
    assert not third.errors
    assert [game.index for game in (first, second, third)] == [0, 1, 2]


def test_a_comment_that_is_never_closed_costs_no_other_record():
    good = '[Event "x"]\n' + HEAD + "1. ax5\n"
    first, second = read(HEAD + "1. a {never closed\n\n" + good)
    assert "'}'" in first.errors[0].message
    assert not second.errors
    (whole,) = read(HEAD + '1. a {they said\n[Event "x"]\nand went on} B\n')
    assert len(whole.plies) == 2


def test_variations_as_deep_as_is_allowed():
    for depth, wrong in ((MAX_NESTING, False), (MAX_NESTING + 1, True)):
        text = HEAD + "a " + "( a " * depth + ") " * depth
        (game,) = read(text)
        assert bool(game.faults) is wrong
    assert str(MAX_NESTING) in game.faults[0].message
    (game,) = read(HEAD + "a " + "( a\n" * 100_000)
    assert str(MAX_NESTING) in game.faults[0].message


def test_a_line_that_is_too_long():
    text = HEAD + "1. a {" + "x" * (2 * MAX_LINE) + "}\n\n" + HEAD + "1. ax5\n"
    first, second = read(text)
    assert f"longer than {MAX_LINE} characters" in first.errors[0].message
    assert first.errors[0].line == 3
    assert not second.errors
    as_lines = list(read_games(text.splitlines(keepends=True)))
    assert [bool(game.errors) for game in as_lines] == [True, False]


def test_a_record_that_is_too_long():
    line = "{" + "x" * 998 + "}\n"
    text = HEAD + "a " + line * (MAX_RECORD // 1000 + 2) + "\n" + HEAD + "1. ax5\n"
    first, second = read(text)
    assert f"longer than {MAX_RECORD} characters" in first.errors[0].message
    assert not second.errors


@pytest.mark.parametrize(
    ("before", "piece", "after", "sizes"),
    [
        ("{ ", "x", "\n}", (MAX_LINE - 2, MAX_LINE - 1)),
        ("a\n;", "x", "\n", (MAX_LINE - 2, MAX_LINE - 1)),
        ("a\n", "{x}" * 1000 + "\n", "", (MAX_RECORD // 4100, MAX_RECORD // 3001 - 1)),
        ("a\n", "$1" * 1000 + "\n", "", (MAX_RECORD // 3100, MAX_RECORD // 2001 - 1)),
    ],
    ids=["comment", "line-comment", "comments", "annotations"],
)
def test_what_is_read_can_be_written_and_read_again_at_every_limit(before, piece, after, sizes):
    refused = []
    for size in sizes:
        (game,) = read(HEAD + before + piece * size + after)
        refused.append(bool(game.faults))
        if not game.faults:
            (again,) = read(write_game(game))
            assert (again.faults, again.plies, again.comments) == ((), game.plies, game.comments)
    assert refused == [False, True]


@pytest.mark.parametrize("character", ["\u2028", "\v", "\f", "\rx", "\x1c", "\x85"])
def test_a_line_break_in_a_tag_is_called_so(character):
    (game,) = read_games(io.BytesIO(f'[South "A{character}"]\n{HEAD}'.encode()))
    error = game.errors[0]
    assert "line break" in error.message
    assert (error.line, error.column) == (1, 1)


def test_only_what_begins_as_a_tag_begins_a_record():
    (game,) = read(HEAD + "1. a\n[x]\nA")
    assert (game.errors[0].line, game.errors[0].column) == (4, 1)
    assert len(read(HEAD + '1. a\n[Event "not closed\n' + HEAD + "1. a")) == 2


def test_an_irregular_turn_starts_in_its_players_row():
    error = fault(HEAD + '1. ~C {[%after "4.4.4.4.4/4.4.4.4.4 0-0 n 1"]}')
    assert (error.line, error.column, error.ply) == (3, 4, 1)
    assert "~C" in error.message


def test_too_many_plies():
    (game,) = read(HEAD + "a A\n" * (MAX_PLIES // 2 + 1))
    assert f"more than {MAX_PLIES} plies" in game.faults[0].message


def test_what_is_not_utf_8_is_placed():
    first, second = read_games(io.BytesIO(HEAD.encode() + b"1. a {caf\xe9}\n\n" + HEAD.encode() + b"1. ax5\n"))
    assert (first.errors[0].line, first.errors[0].column) == (3, 10)
    assert "not UTF-8" in first.errors[0].message
    assert not second.errors


def test_a_file_is_read_in_memory_that_does_not_grow_with_it():
    record = HEAD + "1. ax5 Ax3 {" + "word " * 2000 + "}\n\n"

    def lines(count):
        for _ in range(count):
            yield from record.splitlines(keepends=True)

    peaks = []
    for count in (20, 400):
        tracemalloc.start()
        assert sum(1 for _ in read_games(lines(count))) == count
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2 * peaks[0]
