"""Where the records of a file stand."""

import io
from itertools import pairwise

import pytest

from inkeek.records import index_games, read_game_at, read_games
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
