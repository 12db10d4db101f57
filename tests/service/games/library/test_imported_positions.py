"""Positions of imported games: found by a search at any time, and right whatever happens before they are stored."""

from __future__ import annotations

import pytest

from service.errors import StorageFull
from service.games.disputes.disputes import take_back
from service.games.library import batch_size, imported_positions, positions
from service.games.library.batch_size import Size
from service.games.library.positions import update_positions
from service.games.library.transfer import import_games
from service.games.write import Write
from service.storage import GameFilter
from service.storage.tables.positions import PositionTable
from tests.service.games.library.test_transfer import GOOD, rounds

API = Write("api")


@pytest.fixture
def games(services, monkeypatch):
    monkeypatch.setattr(imported_positions, "MOST_GAMES", 2)
    monkeypatch.setattr(batch_size, "FEW", Size(1, 9999, 3))
    monkeypatch.setattr(batch_size, "MANY", Size(1, 9999, 3))
    return services.games


def began(games, count=5):
    """Import so many games, the answers of which are still to be read."""
    return import_games(games, rounds(*[GOOD] * count), count, Write("import"))


def found(games, position):
    return [row.id for row in games.page(9, None, GameFilter(game="enkeshui", position=position))[0]]


def last_position(games, game_id):
    return games.load(game_id).state.positions[-1]


def stale(games):
    with games.store.reading() as transaction:
        return [game_id for game_id, _, _ in transaction.positions.stale(0, 9)]


def test_a_search_finds_what_an_import_has_stored_so_far(games):
    answers = began(games)
    first = next(answers).id
    position = last_position(games, first)
    assert found(games, position) == [first]
    ids = [first, *(answer.id for answer in answers)]
    assert stale(games) == []
    assert found(games, position) == ids[::-1]
    assert [games.integrity(game_id) for game_id in ids] == [[]] * 5


@pytest.mark.parametrize("searched", [False, True])
def test_a_game_that_goes_on_before_its_positions_are_stored_is_found_where_it_is(games, searched):
    answers = began(games)
    played = next(answers).id
    taken_back = next(answers).id
    corrected = next(answers).id
    before = last_position(games, played)
    if searched:
        found(games, before)
    games.play(played, games.load(played).legal(9)[0], API)
    for game_id in (taken_back, corrected):
        take_back(games, game_id, "agreement", API)
    games.play(corrected, games.load(corrected).legal(9)[-1], API)
    rest = [answer.id for answer in answers]
    for game_id in (played, taken_back, corrected):
        assert game_id in found(games, last_position(games, game_id))
        assert games.integrity(game_id) == []
    assert found(games, before) == [*rest[::-1], played]


def test_what_was_taken_back_after_a_search_is_not_stored_again(games, monkeypatch):
    answers = began(games)
    first = next(answers).id
    position = last_position(games, first)
    assert found(games, position) == [first]
    take_back(games, first, "agreement", API)
    assert found(games, position) == []
    settle = "service.storage.tables.positions.PositionTable.settle"
    with monkeypatch.context() as ended:
        ended.setattr(settle, lambda *_: (_ for _ in ()).throw(StorageFull("the import ends here")))
        rest = [answer.id for answer in answers]
    assert found(games, position) == rest[::-1]
    assert [games.integrity(game_id) for game_id in (first, *rest)] == [[]] * 5


def test_a_search_ends_however_fast_an_import_stores_games(games, monkeypatch):
    answers = began(games)
    first = next(answers).id
    position = last_position(games, first)
    read = positions._stale_states

    def reading(*arguments, **named):
        states = read(*arguments, **named)
        next(answers, None)
        return states

    monkeypatch.setattr(positions, "_stale_states", reading)
    monkeypatch.setattr(imported_positions, "MOST_GAMES", 9)
    assert first in found(games, position)
    assert next(answers).ok


@pytest.mark.parametrize("most", [1, 3, 4, 99])
def test_few_positions_are_stored_under_one_lock(games, monkeypatch, most):
    monkeypatch.setattr(positions, "POSITIONS", most)
    monkeypatch.setattr(imported_positions, "MOST_GAMES", 9)
    answers = began(games)
    ids = [next(answers).id for _ in range(4)]
    answers.close()
    takes = []
    take = PositionTable.take_stale

    def taking(self, *arguments, **named):
        takes.append(take(self, *arguments, **named))
        return takes[-1]

    monkeypatch.setattr(PositionTable, "take_stale", taking)
    assert found(games, last_position(games, ids[0])) == ids[::-1]
    assert [len(taken) for taken in takes] == {1: [1] * 4, 3: [1] * 4, 4: [2, 2], 99: [4]}[most]


def test_an_import_that_was_left_is_made_good_by_a_search_and_not_before(games):
    answers = began(games)
    left = next(answers).id
    answers.close()
    update_positions(games.store, begun=True)
    assert stale(games) == [left]
    assert found(games, last_position(games, left)) == [left]
    assert games.integrity(left) == []


def test_games_that_waited_before_are_made_good_alone(games, monkeypatch):
    monkeypatch.setattr(imported_positions, "MOST_GAMES", 9)
    answers = began(games)
    left = [next(answers).id for _ in range(3)]
    waits = update_positions(games.store, until=0)
    assert stale(games) == left
    left.append(next(answers).id)
    answers.close()
    monkeypatch.setattr(positions, "BATCH", 1)
    assert update_positions(games.store, until=waits) == waits + 1
    assert stale(games) == left[3:]


def test_positions_for_which_there_is_no_room_are_stored_later(games, monkeypatch, caplog):
    def full(*_arguments):
        raise StorageFull("no room")

    with monkeypatch.context() as away:
        away.setattr("service.storage.tables.positions.PositionTable.add_missing", full)
        ids = [answer.id for answer in began(games)]
    assert "no room" in caplog.text
    assert found(games, last_position(games, ids[0])) == ids[::-1]


def test_positions_are_stored_sorted_many_at_once(games, monkeypatch):
    stored = []
    add = "service.storage.tables.positions.PositionTable.add_missing"
    monkeypatch.setattr(add, lambda _, rows: stored.append([key for _, _, key in rows]))
    monkeypatch.setattr(imported_positions, "MOST_GAMES", 3)
    list(began(games))
    assert [len(keys) for keys in stored] == [3, 3, 3, 1]  # of three games, then of two, with two positions each
    for part in (stored[:2], stored[2:]):
        keys = [key for keys in part for key in keys]
        assert keys == sorted(keys)
