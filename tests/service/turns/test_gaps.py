import io

import pytest

from inkeek.records import Move, RecordsError, read_games, write_game
from inkeek.service.errors import Illegal
from inkeek.service.games.corrections import take_back
from inkeek.service.games.library.transfer import import_records
from inkeek.service.games.write import Write

API = Write("api")


@pytest.fixture
def game(games):
    """A game of bof of which the second and third turns were not seen, nor all of the board after them."""
    game = games.create("bof", {}, {}, API).id
    games.play(game, Move.parse("a"), API)
    games.add_gap(game, 2, "4.?.0.5.5/5.5.4.?.4 0-? n 3", API, ["called away"])
    return game


def imported(games, text):
    (result,) = import_records(games, ((record, 0) for record in read_games(io.StringIO(text))), 9, API)
    assert result.error is None
    return result


def test_a_game_goes_on_unchecked_after_turns_that_nobody_saw(games, game):
    assert [str(move) for move in games.load(game).legal(20)] == ["A", "B", "C", "D", "E"]
    games.play(game, Move.parse("Dx3"), API)
    found = games.load(game)
    assert str(found.position) == "?.?.?.?.?/?.?.?.?.? ?-? s 4"
    assert found.record.tags["Version"] == "1.1"
    assert "1. ax5 ~~2 " in found.pmn()
    assert [warning for warning in found.record.warnings() if "2… Dx3" in warning]
    assert games.integrity(game) == []
    assert found.trace(found.turn(2))[0] is found.trace(found.turn(3))[0] is None


def test_what_is_known_of_a_position_is_checked(games, game):
    for wrong in ("d", "F"):
        with pytest.raises(Illegal):
            games.play(game, Move.parse(wrong), API)


def test_a_position_that_is_known_again_is_checked_though_a_seed_is_lost(games, game):
    games.add_gap(game, None, "4.4.0.5.5/5.5.4.4.3 0-0 s 9", API)
    with pytest.raises(Illegal):
        games.play(game, Move.parse("c"), API)
    games.play(game, Move.parse("a"), API)
    found = games.load(game)
    assert found.position.seeds == found.rules.seeds - 1
    assert found.trace(found.turn(4))[0] is not None
    assert games.integrity(game) == []


@pytest.mark.parametrize(
    ("unseen", "position"), [(None, None), (2, "4.?.0.5.5/5.5.4.?.4 0-? n 9"), (None, "?.?.?/?.?.? ?-? s 9")]
)
def test_a_gap_says_how_many_turns_or_where_they_led(games, game, unseen, position):
    with pytest.raises(RecordsError):
        games.add_gap(game, unseen, position, API)


def test_a_gap_can_be_taken_back(games, game):
    take_back(games, game, "agreement", API)
    assert games.integrity(game) == []
    assert "Version" not in games.load(game).record.tags


def test_a_game_with_gaps_is_the_same_after_export_and_import(games, game):
    games.play(game, Move.parse("D"), API)
    games.end(game, "unrecorded", "South", API)
    text = games.load(game).pmn()
    assert (games.load(game).row.result, games.load(game).row.termination) == ("1-0", "unrecorded")
    assert imported(games, text).id == game
    changed = text.replace('[South "?"]', '[South "Amina"]')
    again = imported(games, changed)
    assert games.load(again.id).pmn() == changed
    assert games.integrity(again.id) == []


def test_a_result_after_an_unknown_position_is_that_of_the_record(games):
    text = '[Game "bof"]\n[Version "1.1"]\n[Result "0-1"]\n\n1. a ~~12 0-1\n'
    game = imported(games, text).id
    row = games.load(game).row
    assert (row.state, row.result, row.termination) == ("ended", "0-1", "normal")
    assert games.integrity(game) == []


def test_the_number_of_a_turn_taken_back_is_in_the_record(games):
    game = games.create("bof", {}, {}, API).id
    for move in ("a", "B", "b"):
        games.play(game, Move.parse(move), API)
    take_back(games, game, "agreement", API, count=2)
    text = games.load(game).pmn()
    assert '[Version "1.1"]' in text
    assert "ply=3" in text
    (record,) = read_games(io.StringIO(text))
    assert not record.errors
    assert write_game(record) == text
