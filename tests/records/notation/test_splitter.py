"""Where the records of a file stand, one by one and in parts."""

import io
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, strategies as st

from inkeek.records import index_games, read_game_at, read_games, write_game
from inkeek.records.notation.splitter import chunk_starts
from tests.records.notation.records_made import games
from tests.records.notation.test_corpus import CORPUS

FILES = [path.read_bytes() for path in sorted(CORPUS.glob("*/*.pmn"))]


def read_all(text: bytes):
    return list(read_games(io.BytesIO(text)))


def as_it_stands(game):
    """What was read of a game, and everything that depends on where it stands in the file."""
    return (game.tags, game.plies, game.comments, game.ended), game.index, game.source, game.errors


@pytest.mark.parametrize("text", FILES)
def test_a_game_read_at_its_place_is_that_of_the_whole_file(text):
    places = list(index_games(io.BytesIO(text)))
    read = [read_game_at(io.BytesIO(text), place) for place in places]
    assert list(map(as_it_stands, read)) == list(map(as_it_stands, read_all(text)))
    assert all(one.offset + one.length == other.offset for one, other in pairwise(places))
    assert not places or places[-1].offset + places[-1].length == len(text)


def test_places_count_bytes_and_lines():
    first = '\ufeff\r\n[Event "Ñandú"]\r\n[Game "bof"]\r\n\r\n1. a *\r\n\r\n'.encode()
    file = io.BytesIO(first + b'[Event "two"]\n[Game "bof"]\n*\n')
    one, two = index_games(file)
    # A byte order mark is the beginning of the first line, which is empty and so no record's.
    assert (one.first_line, one.offset) == (2, 5)
    assert (two.index, two.first_line, two.offset, two.length) == (1, 7, len(first), 29)
    assert read_game_at(file, two).tags["Event"] == "two"


def test_a_file_that_has_changed_is_refused():
    with pytest.raises(ValueError, match="0 records where record 1 of the file was"):
        read_game_at(io.BytesIO(b"\n\n"), next(index_games(io.BytesIO(b'[Game "bof"]\n*\n'))))


def in_parts(text: bytes, step: int):
    """The games of a file that is read in parts, with what depends on where they stand made that of the whole."""
    starts = [*chunk_starts(io.BytesIO(text), len(text), step), len(text)]
    found, lines = [], 0
    for start, end in pairwise(starts):
        for game in read_all(text[start:end]):
            source = replace(game.source, first_line=game.source.first_line + lines)
            errors = tuple(replace(error, line=error.line + lines) for error in game.errors)
            found.append((as_it_stands(game)[0], len(found), source, errors))
        lines += text[start:end].count(b"\n")
    return starts, found


@pytest.mark.parametrize("step", [20, 97, 400, 2000])
def test_the_parts_of_a_file_hold_its_records(step):
    rng = Random(step)
    for _ in range(30):
        text = b"".join(rng.choice(FILES) + rng.choice([b"", b"\n", b"\n\n", b"\r\n"]) for _ in range(8))
        starts, found = in_parts(text, step)
        assert found == [as_it_stands(game) for game in read_all(text)]
        assert starts == sorted(set(starts))


def test_a_file_is_cut_between_games_and_not_in_comments():
    game = '[Event "a"]\n[Game "bof"]\n\n1. a {said\n\n[Event "in a comment"]\n\n} *\n\n'
    text = (game * 9).encode()
    starts, found = in_parts(text, 40)
    assert len(starts) > 5
    assert found == [as_it_stands(read) for read in read_all(text)]


@given(st.lists(games(), min_size=2, max_size=5), st.integers(1, 3000))
def test_any_records_in_parts(made, step):
    text = "\n".join(write_game(game) for game in made).encode()
    assert in_parts(text, step)[1] == [as_it_stands(game) for game in read_all(text)]
