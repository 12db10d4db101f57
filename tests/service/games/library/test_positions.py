import pytest

from service.errors import StorageFull
from service.games.disputes.disputes import take_back
from service.games.library import positions
from service.games.repository import Games
from service.games.write import Write
from service.storage import GameFilter, Store

API = Write("api")


@pytest.fixture
def store(database):
    store = Store(database)
    yield store
    store.close()


def found(games, position):
    return [row.id for row in games.page(9, None, GameFilter(game="bof", position=position))[0]]


def test_a_search_finds_what_was_just_played_and_nothing_that_was_taken_back(store):
    games = Games(store, max_plies=99)
    row = games.create("bof", {}, {}, API)
    reached = []
    for choice in (0, 1, 2):
        games.play(row.id, games.load(row.id).legal(9)[choice], API)
        reached.append(games.row(row.id).position)
    assert found(games, reached[2]) == [row.id]
    take_back(games, row.id, "agreement", API)
    take_back(games, row.id, "agreement", API)
    games.play(row.id, games.load(row.id).legal(9)[3], API)
    assert [found(games, position) for position in reached] == [[row.id], [], []]
    assert found(games, games.row(row.id).position) == [row.id]
    assert games.integrity(row.id) == []


def test_a_turn_that_is_played_while_positions_are_worked_out_is_found(store, monkeypatch):
    games = Games(store, max_plies=99)
    rows = [games.create("bof", {}, {}, API) for _ in range(2)]

    def play(row):
        games.play(row.id, games.load(row.id).legal(9)[0], API)

    def late(*arguments, **named):
        states = stale_states(*arguments, **named)
        while waiting:
            play(waiting.pop())
        return states

    stale_states = positions._stale_states
    monkeypatch.setattr(positions, "_stale_states", late)
    play(rows[0])
    play(rows[0])
    waiting = [rows[0], rows[1]]
    for row, turns in zip(rows, (3, 1), strict=True):
        assert row.id in found(games, games.row(row.id).position)
        assert games.row(row.id).ply == turns
        assert games.integrity(row.id) == []


def test_a_damaged_game_and_a_full_disk_keep_no_search_from_others(store, monkeypatch, caplog):
    games = Games(store, max_plies=99)
    rows = [games.create("bof", {}, {}, API) for _ in range(3)]
    for row in rows:
        games.play(row.id, games.load(row.id).legal(9)[0], API)
    position = games.row(rows[0].id).position
    with store.writing() as transaction:
        number = transaction.games.number(rows[1].id)
        transaction.games._session.sqlalchemy.exec_driver_sql(f"UPDATE events SET data = '' WHERE number = {number}")
    with monkeypatch.context() as full:
        full.setattr(store, "writing", lambda: (_ for _ in ()).throw(StorageFull("no room")))
        assert found(games, position) == []
    assert "no room" in caplog.text
    assert found(games, position) == [rows[2].id, rows[0].id]
