"""Threads that write at once: in turn, together where they may, and each undone alone."""

import sqlite3
import threading
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import event, text

from inkeek.service.errors import Conflict, ServiceError, StorageError
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.storage import seal
from inkeek.service.storage.database import write_queue
from inkeek.service.storage.database.write_queue import WriteQueue
from tests.service.waiting import until

PATIENCE = 30.0  # seconds


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    monkeypatch.setattr(write_queue, "JOIN_WITHIN", PATIENCE)


@pytest.fixture
def commits(store):
    """A list with an entry for each commit from now on."""
    found: list[object] = []
    event.listen(store._engine, "commit", found.append)
    return found


@pytest.fixture
def rows(store):
    games = Games(store, max_plies=100)
    return [games.create("bof", {}, {}, Write("api")) for _ in range(3)]


def write_at_once(store: Any, rows: Any, then: Callable[[int, Any], None], joins: tuple[bool, ...]) -> list[Any]:
    """Append an event to each game, one thread each: the later ones wait for the first. Return what each raised."""
    if not store.has_one_writer:
        pytest.skip("writers do not wait for each other")
    raised: list[Any] = [None] * len(rows)

    def write(number: int) -> None:
        row = rows[number]
        try:
            with store.writing(joins=joins[number]) as transaction:
                if number == 0:
                    for other in range(1, len(rows)):
                        threads[other].start()
                        until(lambda other=other: len(store._queue._waiting) == other, PATIENCE)
                transaction.games.append(seal(row.id, 2, "t", "", "api", "turn", {}, row.hash))
                then(number, transaction)
        except ServiceError as error:
            raised[number] = error

    threads = [threading.Thread(target=write, args=(number,), daemon=True) for number in range(len(rows))]
    threads[0].start()
    for thread in threads:
        until(lambda thread=thread: thread.ident is not None, PATIENCE)
        thread.join(PATIENCE)
        assert not thread.is_alive()
    return raised


def stored(store: Any, rows: Any) -> list[int]:
    """How many events and entries of the ledger each game has more than at its beginning."""
    with store.reading() as transaction:
        return [
            len(transaction.games.events(row.id)) - 1 + len(transaction.ledger.of_game(row.id)[0]) - 1 for row in rows
        ]


def nothing(number: int, transaction: Any) -> None:
    pass


def test_threads_that_wait_are_stored_together(store, rows, commits):
    assert write_at_once(store, rows, nothing, (True, True, True)) == [None, None, None]
    assert len(commits) == 1
    assert stored(store, rows) == [2, 2, 2]


@pytest.mark.parametrize("joins", [(False, True, True), (True, False, True)])
def test_a_thread_that_does_not_join_is_stored_alone(store, rows, commits, joins):
    assert write_at_once(store, rows, nothing, joins) == [None, None, None]
    assert len(commits) == (2 if joins[1] else 3)
    assert stored(store, rows) == [2, 2, 2]


def test_one_that_raises_is_undone_alone(store, rows, commits):
    def then(number: int, transaction: Any) -> None:
        if number == 1:
            raise Conflict("no")

    before, error, after = write_at_once(store, rows, then, (True,) * 3)
    assert (before, type(error), after) == (None, Conflict, None)
    assert len(commits) == 1
    assert stored(store, rows) == [2, 0, 2]


def test_if_the_commit_fails_nobody_is_told_that_it_is_stored(store, rows):
    def fail(_: object) -> None:
        raise sqlite3.OperationalError("out of order")

    event.listen(store._engine, "commit", fail)
    raised = write_at_once(store, rows, nothing, (True,) * 3)
    event.remove(store._engine, "commit", fail)
    assert all(isinstance(error, StorageError) for error in raised)
    assert stored(store, rows) == [0, 0, 0]
    assert write_at_once(store, rows, nothing, (True,) * 3) == [None, None, None]


def test_if_sqlite_undoes_all_that_is_no_success_of_those_before(store, rows, commits):
    def then(number: int, transaction: Any) -> None:
        if number == 1:
            transaction._session.execute(text("ROLLBACK"))
            raise Conflict("no room")

    raised = write_at_once(store, rows, then, (True,) * 3)
    assert raised[0] is not None
    assert raised[1] is not None
    assert raised[2] is None
    assert stored(store, rows) == [0, 0, 2]


def test_who_waits_too_long_gives_up_and_leaves_the_queue():
    queue = WriteQueue()
    queue.enter(1.0, joins=False)
    with pytest.raises(StorageError):
        queue.enter(0.01, joins=False)
    queue.leave(None)
    queue.enter(1.0, joins=False)


def test_what_is_urgent_is_written_before_what_waits_already():
    queue, order = WriteQueue(), list[str]()
    queue.enter(PATIENCE, joins=False)

    def write(name: str) -> None:
        queue.enter(PATIENCE, joins=False, urgent=name.startswith("turn"))
        order.append(name)
        queue.leave(None)

    threads = []
    for waiting, name in enumerate(("status", "turn 1", "log", "turn 2"), 1):
        threads.append(threading.Thread(target=write, args=(name,), daemon=True))
        threads[-1].start()
        until(lambda waiting=waiting: len(queue._waiting) == waiting, PATIENCE)
    queue.leave(None)
    for thread in threads:
        thread.join(PATIENCE)
    assert order == ["turn 1", "turn 2", "status", "log"]
