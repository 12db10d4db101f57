import io
import re

import pytest
from hypothesis import given, settings

from inkeek.records import Game, Move, Ply, RecordsError, Variation, read_games, write_game
from inkeek.records.notation.splitter import MAX_LINE, MAX_RECORD
from inkeek.records.notation.writer import WIDTH
from inkeek.records.record import MAX_NESTING
from tests.records.notation.records_made import games


def read_one(text):
    (game,) = read_games(io.StringIO(text))
    assert game.faults == ()
    return game


@settings(max_examples=120)
@given(games())
def test_a_record_is_written_in_one_way_and_nothing_is_lost(game):
    assert game.errors == ()
    text = write_game(game)
    read = read_one(text)
    assert read.errors == ()
    assert write_game(read) == text
    assert read.plies == game.plies
    assert read.comments == game.comments
    for name, value in game.tags.items():
        if name != "Options":
            assert read.tags[name] == value
    assert read.rules().options == game.rules().options
    assert [ply.move.captured or (0, 0) for ply in read.plies] == [
        turn.move.captured or (0, 0) for turn in game.replay().turns
    ]
    movetext = text.split("\n\n", 1)[1]
    for line in movetext.splitlines():
        assert len(line) <= WIDTH or not re.search(r"\S \S", line[:WIDTH])
    assert text.endswith("\n")
    assert not re.search(r"[ \t]\n", text)


def test_nesting_as_deep_as_is_read_can_be_written_and_no_deeper():
    line = Variation((Ply(Move("a")),))
    for depth in range(MAX_NESTING):
        line = Variation((Ply(Move("a"), variations=(line,)),))
        if depth == MAX_NESTING - 1:
            text = write_game(Game({"Game": "bof"}, line.plies))
            assert write_game(read_one(text)) == text
    with pytest.raises(RecordsError, match=f"nested more than {MAX_NESTING} deep"):
        write_game(Game({"Game": "bof"}, (Ply(Move("a"), variations=(line,)),)))


@pytest.mark.parametrize(
    ("game", "quoted"),
    [
        (Game({"Game": "bof", "A b": "c"}), "'A b'"),
        (Game({"Game": "bof", "Site": "a\nb"}), r"Site.*'a\\nb'"),
        (Game({"Game": "bof"}, comments=("x" * MAX_LINE,)), str(MAX_LINE)),
        (Game({"Game": "bof"}, comments=("x" * 998,) * (MAX_RECORD // 1000 + 1)), str(MAX_RECORD)),
        (Game({"Game": "bof"}, comments=("a}b\nc",)), r"'a}b\\nc'"),
        (Game({"Game": "bof"}, (Ply(Move("a"), nags=(256,)),)), "256.*255"),
    ],
)
def test_what_cannot_be_written(game, quoted):
    with pytest.raises(RecordsError, match=quoted):
        write_game(game)


def test_from_the_first_illegal_move_all_stand_as_they_came():
    game = Game({"Game": "bof"}, (Ply(Move.parse("a")), Ply(Move.parse("b")), Ply(Move.parse("cx9"))))
    assert write_game(game).splitlines()[-1] == "1. ax5 b cx9 *"
    assert game.errors[0].ply == 2
