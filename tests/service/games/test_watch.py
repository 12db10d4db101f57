import itertools
import logging
import threading

import pytest

from inkeek.service.errors import Damaged, StorageError
from inkeek.service.games.integrity import BATCH, PAUSE, DatabaseWatch
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.storage.store import Store

API = Write("api")


def do(store, statement):
    with store.writing() as transaction:
        transaction.games._session.exec_driver_sql(statement)


def ticking(step):
    """A clock that goes on by `step` seconds whenever somebody looks."""
    return itertools.count(1000.0, step).__next__


def test_a_changed_event_is_found_and_logged_once_and_the_repair_too(store, caplog):
    games = Games(store, max_plies=5000)
    ids = sorted(games.create("bof", {}, {}, API).id for _ in range(3))
    watch = DatabaseWatch(store, ticking(PAUSE))
    assert watch.look(100.0) is None
    do(store, f"UPDATE events SET actor = 'x' WHERE number = (SELECT number FROM games WHERE id = '{ids[1]}')")
    with caplog.at_level(logging.INFO):
        faults = [watch.look(100.0) for _ in range(6)]
        assert isinstance(faults[-1], Damaged)
        assert ids[1] in faults[-1].message
        do(store, f"UPDATE events SET actor = '' WHERE number = (SELECT number FROM games WHERE id = '{ids[1]}')")
        assert watch.look(100.0) is None
    assert [record.levelno for record in caplog.records] == [logging.ERROR, logging.INFO]
    games.create("bof", {}, {}, API)  # a damaged game does not keep others from being stored


def test_every_game_is_looked_at_in_slices(store):
    """Each look checks a game or two, and goes on where the last one stopped."""
    games = Games(store, max_plies=5000)
    count = BATCH + 3
    with store.together():
        ids = sorted(games.create("bof", {}, {}, API).id for _ in range(count))
    do(store, f"UPDATE events SET actor = 'x' WHERE number = (SELECT number FROM games WHERE id = '{ids[-1]}')")
    watch = DatabaseWatch(store, ticking(PAUSE))
    faults = [watch.look(PAUSE * 3) for _ in range(2 * count)]
    first = next(number for number, fault in enumerate(faults) if fault)
    assert count / 4 < first < 2 * count
    assert all(faults[first:])


def test_looks_in_between_give_the_last_result(store):
    times = iter([1.0, 1.0, 1.0, 1.0 + PAUSE / 2, 1.0 + PAUSE, 1.0 + PAUSE, 1.0 + PAUSE])
    watch = DatabaseWatch(store, times.__next__)
    assert watch.look(0.0) is None
    do(store, "DROP TABLE board_log")
    assert watch.look(0.0) is None
    assert "board_log" in watch.look(0.0).message


def test_a_database_that_cannot_be_reached_is_logged_once(caplog):
    store = Store("postgresql://nobody@127.0.0.1:1/none?connect_timeout=1")
    watch = DatabaseWatch(store, ticking(PAUSE))
    with caplog.at_level(logging.INFO):
        assert {type(watch.look(1.0)) for _ in range(4)} == {StorageError}, "it is not damaged"
    assert len(caplog.records) == 1
    with pytest.raises(StorageError):
        store.surface_faults()
    store.close()


def test_the_database_is_looked_at_until_the_process_stops(store, monkeypatch):
    monkeypatch.setattr("inkeek.service.games.integrity.INTERVAL", 0.001)
    watch, stop, looks = DatabaseWatch(store), threading.Event(), []

    def look(seconds):
        looks.append(seconds)
        if len(looks) == 3:
            stop.set()

    monkeypatch.setattr(watch, "look", look)
    watch.keep(stop, 0.5).join(30)
    assert looks == [0.5] * 3
