import re
import threading
from pathlib import Path

import pytest
from sqlalchemy import event, text

from inkeek.service.errors import Conflict, Invalid, SettingError, StorageBusy, StorageError
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.processes.workers.calculator import CONTEXT
from inkeek.service.settings import read_settings
from inkeek.service.storage import BoardRow, migrate, seal
from inkeek.service.storage.store import Store
from inkeek.service.storage.tables.schema import FROM_BOARD


@pytest.fixture
def row(store):
    return Games(store, max_plies=100).create("enkeshui", {}, {"South": "A", "Zeta": "1", "Alpha": "2"}, Write("api"))


def turn(row, seq, source="api"):
    return seal(row.id, seq, "t", "", source, "turn", {}, row.hash)


def test_a_game_is_read_as_it_was_written(store, row):
    with store.reading() as transaction:
        read = transaction.games.get(row.id)
    assert read == row
    assert list(read.tags) == ["South", "Zeta", "Alpha"]


@pytest.mark.parametrize("count", [0, 1, 40])
def test_the_last_events_of_many_games_are_found(store, row, count):
    games = Games(store, max_plies=100)
    heads = {games.create("bof", {}, {}, Write("api")).id: 1 for _ in range(max(0, count - 1))}
    games.retag(row.id, {"South": "B"}, Write("api"))
    if count:
        heads[row.id] = 2
    with store.reading() as transaction:
        assert transaction.games.heads([*heads, "unknown"]) == heads


def test_two_events_never_have_one_number(store, row):
    with store.writing() as transaction:
        transaction.games.append(turn(row, 2))
    with pytest.raises(Conflict), store.writing() as transaction:
        transaction.games.append(turn(row, 2))


def test_what_a_board_reported_is_stored_once_and_other_sources_often(store, row):
    with store.writing() as transaction:
        transaction.games.append(turn(row, 2, "board:S:b:7"))
        transaction.games.append(turn(row, 3, "api"))
        transaction.games.append(turn(row, 4, "api"))
    with pytest.raises(Conflict), store.writing() as transaction:
        transaction.games.append(turn(row, 5, "board:S:b:7"))


def test_a_boards_event_is_found(store, row):
    with store.writing() as transaction:
        transaction.games.append(turn(row, 2, "board:S:b:7"))
        assert transaction.games.has_event(row.id, "board:S:b:7")
        assert not transaction.games.has_event(row.id, "board:S:b:8")
        assert not transaction.games.has_event(row.id, "api")


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_a_boards_event_is_found_without_reading_the_game(store):
    with store.reading() as transaction:
        query = f"SELECT seq FROM events WHERE {FROM_BOARD} AND number = 1 AND source = 's'"
        plan = transaction.games._session.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}").all()
    assert "uq_events_board_source" in plan[0][-1]


def test_a_failure_is_reported_without_the_statement(store):
    with pytest.raises(StorageError) as caught, store.reading() as transaction:
        transaction.games._session.exec_driver_sql("SELECT secret FROM games")
    assert caught.value.message.startswith("the database failed: ")
    assert "secret" in caught.value.message
    assert "SELECT secret" not in caught.value.message.partition("LINE 1")[0]


@pytest.mark.parametrize("database_kind", ["postgresql"])
def test_what_the_database_cannot_hold_is_the_askers_fault(store):
    with pytest.raises(Invalid, match="NUL"), store.reading() as transaction:
        transaction.games.get("a\0b")


def test_a_transaction_that_raises_leaves_nothing(store, row):

    def fail_after_writing():
        with store.writing() as transaction:
            transaction.games.append(turn(row, 2))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_after_writing()
    with store.reading() as transaction:
        assert len(transaction.games.events(row.id)) == 1


def test_an_event_of_no_game_is_refused(store, row):
    with pytest.raises(StorageError), store.writing() as transaction:
        transaction.games.append(turn(row._replace(id="nobody"), 1))


def test_one_open_board_a_port_and_a_game(store, row):
    board = BoardRow("b1", "inkeek", "/dev/x", row.id, "open", None, None, 0, {}, 1, "t", "t")
    with store.writing() as transaction:
        transaction.boards.add(board)
        transaction.boards.add(board._replace(id="b0", wanted="closed"))
    with pytest.raises(Conflict), store.writing() as transaction:
        transaction.boards.add(board._replace(id="b2", url="/dev/y"))


def test_the_log_of_a_board_is_bounded(store, row, monkeypatch):
    monkeypatch.setattr("inkeek.service.storage.tables.boards.LOG_KEPT", 3)
    with store.writing() as transaction:
        transaction.boards.add(BoardRow("b1", "inkeek", "/dev/x", row.id, "open", None, None, 0, {}, 1, "t", "t"))
        for number in range(5):
            transaction.boards.log("b1", "t", "button", {"n": number})
        entries = transaction.boards.entries("b1", 0, 10)
    assert [(entry.number, entry.data["n"]) for entry in entries] == [(3, 2), (4, 3), (5, 4)]


def test_the_log_of_a_board_is_bounded_in_bytes(store, row, monkeypatch):
    monkeypatch.setattr("inkeek.service.storage.tables.boards.LOG_BYTES", 1000)
    monkeypatch.setattr("inkeek.service.storage.tables.boards.MAX_ENTRY", 600)
    with store.writing() as transaction:
        transaction.boards.add(BoardRow("b1", "inkeek", "/dev/x", row.id, "open", None, None, 0, {}, 1, "t", "t"))
        for text in ("é" * 200, "x" * 400, "x" * 400, "x" * 10_000):
            transaction.boards.log("b1", "t", "complaint", {"text": text})
            entries = transaction.boards.entries("b1", 0, 10)
    assert [(entry.number, sorted(entry.data)) for entry in entries] == [(3, ["text"]), (4, ["bytes"])]
    with store.writing() as transaction:
        transaction.boards.log("b1", "t", "complaint", {"text": "x" * 400})
        entries = transaction.boards.entries("b1", 0, 10)
    assert [(entry.number, sorted(entry.data)) for entry in entries] == [(4, ["bytes"]), (5, ["text"])]


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_what_is_written_survives_a_power_cut_as_sqlite_promises(store):
    with store.reading() as transaction:
        pragma = transaction.games._session.exec_driver_sql
        assert pragma("PRAGMA synchronous").scalar() == 2
        assert pragma("PRAGMA foreign_keys").scalar() == 1
        assert pragma("PRAGMA journal_mode").scalar() == "wal"
        assert pragma("PRAGMA busy_timeout").scalar() == 10_000


def test_writers_wait_for_each_other(store, row):
    """Eight threads add one to the same number: none may be lost."""

    def add_one():
        with store.writing() as transaction:
            now = transaction.games.get(row.id, lock=True)
            transaction.games.put(now._replace(ply=now.ply + 1))

    threads = [threading.Thread(target=lambda: [add_one() for _ in range(5)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with store.reading() as transaction:
        assert transaction.games.get(row.id).ply == 40


@pytest.mark.parametrize("name", ["club?1", "club%31", "a b+c#é", "file:x", "club?uri=true"])
def test_a_folder_of_any_name_has_its_own_database(name, tmp_path):
    folder = tmp_path / name
    store = Store(read_settings({"INKEEK_DATA": str(folder)}).database_url)
    store.upgrade()
    store.close()
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert [path.name for path in folder.iterdir()] == ["inkeek.sqlite3"]


@pytest.mark.parametrize(
    "url", ["sqlite://", "sqlite:///:memory:", "mysql://x/y", "nonsense", "oracle://x", "sqlite:///club?1/x.sqlite3"]
)
def test_a_database_that_cannot_be_is_refused(url):
    with pytest.raises(SettingError, match="database is"):
        Store(url)


def test_a_file_that_is_no_database_is_reported(tmp_path):
    path = tmp_path / "x.sqlite3"
    path.write_bytes(b"no database at all" * 100)
    store = Store(f"sqlite:///{path}")
    with pytest.raises(StorageError):
        store.upgrade()
    store.close()


def _start(url, barrier, answers):
    store = Store(url)
    barrier.wait(60)
    try:
        store.upgrade()
        answers.put(store.revisions())
    except StorageError as error:
        answers.put(repr(error))
    store.close()


def test_processes_that_start_at_once_migrate_once(empty_database):
    barrier, answers = CONTEXT.Barrier(4), CONTEXT.Queue()
    processes = [CONTEXT.Process(target=_start, args=(empty_database, barrier, answers)) for _ in range(4)]
    for process in processes:
        process.start()
    revisions = [answers.get(timeout=60) for _ in processes]
    for process in processes:
        process.join(60)
    answers.close()
    answers.join_thread()
    assert revisions == [(migrate.latest(), migrate.latest())] * 4


def test_a_database_of_a_later_version_is_refused(store):
    with store.writing() as transaction:
        transaction.games._session.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    for ask in (store.upgrade, store.check_revision):
        with pytest.raises(StorageError, match="9999") as error:
            ask()
        assert "db upgrade" not in error.value.message  # it would refuse


def test_whoever_needs_a_connection_waits_and_is_refused_after_a_while(database):
    store = Store(database, 0.1, connections=1)
    if not store.has_one_writer:
        with store.reading(), pytest.raises(StorageBusy, match="all connections"), store.writing():
            pass
        with store.writing():
            pass
    store.close()


def test_a_transaction_that_is_interrupted_leaves_no_lock(database):
    store = Store(database, lock_timeout=0.5)

    def interrupt(*_):
        raise KeyboardInterrupt

    event.listen(store._engine, "do_execute", interrupt)
    with pytest.raises(KeyboardInterrupt) as caught, store.writing() as transaction:
        transaction.games._session.execute(text("SELECT 1"))
    event.remove(store._engine, "do_execute", interrupt)
    with store.writing() as transaction:  # although the traceback keeps the cursor alive
        transaction.games._session.execute(text("UPDATE alembic_version SET version_num = version_num"))
    assert caught.tb is not None
    store.close()


def test_every_advisory_lock_has_its_own_number():
    files = (Path(__file__).parents[3] / "service").rglob("*.py")
    numbers = [number for file in files for number in re.findall(r"= (0x494E4B\w\w)\b", file.read_text("utf-8"))]
    assert len(numbers) > 4
    assert len(set(numbers)) == len(numbers)
