import logging
import threading

from inkeek.service.boards.desk_process import keep_ledger
from inkeek.service.errors import StorageError
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.storage.store import Store
from tests.service.waiting import until


def test_the_ledger_follows_what_is_stored(database):
    store, stop = Store(database, 10.0), threading.Event()
    thread = threading.Thread(target=keep_ledger, args=(store, stop))
    thread.start()
    games = Games(store, max_plies=10)
    for position in (1, 2):
        games.create("bof", {}, {}, Write("api"))

        def reached(position=position):
            with store.reading() as transaction:
                return transaction.ledger.head().position == position

        until(reached)
    stop.set()
    thread.join()
    store.close()


def test_a_database_that_fails_is_logged_once_and_tried_again(caplog, monkeypatch):
    monkeypatch.setattr("inkeek.service.boards.desk_process.RETRY_AFTER", 0)
    monkeypatch.setattr("inkeek.service.boards.desk_process.INTERVAL", 0)

    class FailingStore:
        ledger_lags = True
        results = iter(["down", "down", "up", "down", "down", "over"])

        def update_ledger(self):
            result = next(self.results)
            if result == "over":
                stop.set()
            if result == "down":
                raise StorageError("the database is down")

    stop = threading.Event()
    with caplog.at_level(logging.ERROR):
        keep_ledger(FailingStore(), stop)
    assert len(caplog.records) == 2
