"""Another process locks the database: few threads wait for it, the others are refused, and reads go on."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import create_engine, text

from inkeek.service.errors import StorageBusy
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.storage.database import write_queue
from inkeek.service.storage.database.write_queue import WriteRoom
from inkeek.service.storage.store import Store
from tests.service.waiting import until

API = Write("api")
PLACES = 2


@pytest.fixture
def lock(database):
    """Locks the database for writers until it is called again."""
    engine = create_engine(database)
    connection = engine.connect()

    def lock() -> None:
        if connection.in_transaction():
            connection.rollback()
        elif engine.dialect.name == "sqlite":
            connection.execute(text("BEGIN IMMEDIATE"))
        else:
            connection.execute(text("LOCK TABLE games IN EXCLUSIVE MODE"))

    yield lock
    connection.close()
    engine.dispose()


def test_few_threads_wait_for_a_locked_database_and_the_others_are_refused(database, lock, monkeypatch):
    monkeypatch.setattr(write_queue, "PATIENCE", 0.1)
    store = Store(database, lock_timeout=30.0, writers=PLACES)
    games = Games(store, max_plies=100)
    first = games.create("bof", {}, {}, API).id
    lock()
    with ThreadPoolExecutor(8) as threads:
        answers = [threads.submit(games.create, "bof", {}, {}, API) for _ in range(8)]
        until(lambda: sum(answer.done() for answer in answers) == len(answers) - PLACES)
        for answer in answers:
            assert not answer.done() or isinstance(answer.exception(), StorageBusy)
        assert games.load(first).id == first
        with pytest.raises(StorageBusy):
            games.create("bof", {}, {}, API)
        lock()
        assert [bool(answer.exception()) for answer in answers].count(False) == PLACES
    games.create("bof", {}, {}, API)
    store.close()


def test_a_writer_waits_as_long_as_the_store_says_with_all_its_waiting(database, lock):
    store = Store(database, lock_timeout=0.4)
    games = Games(store, max_plies=100)
    games.create("bof", {}, {}, API)
    lock()
    began = time.monotonic()
    with ThreadPoolExecutor(4) as threads:
        for answer in [threads.submit(games.create, "bof", {}, {}, API) for _ in range(4)]:
            assert isinstance(answer.exception(), StorageBusy)
    assert time.monotonic() - began < 10 * 0.4
    lock()
    games.create("bof", {}, {}, API)
    store.close()


def test_who_waits_for_room_gets_it_as_soon_as_a_writer_leaves():
    room = WriteRoom(1)
    inside, leave = threading.Event(), threading.Event()

    def write() -> None:
        with room.place(30.0):
            inside.set()
            leave.wait(30.0)

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(write)
        assert inside.wait(30.0)
        inside.clear()
        second = threads.submit(write)
        leave.set()
        first.result(30.0)
        assert inside.wait(30.0)
        second.result(30.0)


def test_there_is_no_waiting_for_room_without_time():
    room = WriteRoom(1)
    with room.place(0.0), pytest.raises(StorageBusy), room.place(0.0):
        pass
