"""What the database itself checks: types, words, JSON and references."""

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from inkeek.records.analysis import Limits
from inkeek.records.analysis.annotation import annotate
from inkeek.records.json_codec import to_json
from inkeek.service import create_app
from inkeek.service.errors import Conflict, StorageError
from inkeek.service.games.write import Write
from inkeek.service.http.context import services_of
from inkeek.service.maintenance import verify
from inkeek.service.storage import BoardRow
from inkeek.service.storage.rows import KeyRow, Limit
from inkeek.service.storage.store import Store
from inkeek.service.storage.tables.jobs import GameAnalysisRow, JobRow

TIME = "2026-11-20T12:00:00.000000Z"
API = Write("api")


def fill(store: Store, game: str, data: dict[str, Any]) -> None:
    """A row in every table; `data` is that of the analysis."""
    with store.writing() as transaction:
        status = {"connected": True}
        transaction.boards.add(
            BoardRow("board1", "inkeek", "/dev/x", game, "open", "S1", "boot", 3, status, 1, TIME, TIME)
        )
        transaction.boards.log("board1", TIME, "gap", {"reason": "lost"})
        transaction.boards.ask("board1", "undo", {"ply": 1}, TIME)
        transaction.jobs.add(JobRow("job1", "owner", "queued", (game,), {"depth": 1}, 0, 1, None, TIME, TIME))
        transaction.jobs.put_analyses([GameAnalysisRow(game, "job1", "0" * 64, data)])
        transaction.keys.add(
            KeyRow("key1", "token", "x", ("read",), "1" * 64, TIME, None, TIME, None, Limit("game", game))
        )


@pytest.fixture
def filled(tmp_path):
    """An application on a file with a row in every table, the file, and a game."""
    app = create_app({"data": str(tmp_path), "PROPAGATE_EXCEPTIONS": False})
    services = services_of(app)
    services.store.upgrade()
    game = services.games.create("bof", {}, {}, API).id
    found = annotate(services.games.load(game).record, Limits(nodes=10))
    fill(services.store, game, to_json(found))
    yield app, tmp_path / "inkeek.sqlite3", game
    services.close()


def test_what_the_service_stores_has_no_faults(filled):
    app, _, _ = filled
    assert [report for report in verify.verify(services_of(app).store) if report.faults] == []


DAMAGE = {
    "boards": ["status = '{'", "wanted = 'opem'", "seq = 'x'", "created = x'00'"],
    "board_log": ["data = '{'", "kind = x'00'", "board_id = 'board2'"],
    "board_requests": ["data = 'x'", "tries = 'a'", "board_id = 'board2'"],
    "jobs": ["games = '{'", "limits = ']'", "state = 'runninh'", "done = 'x'"],
    "analyses": ["data = '{'", "played = x'00'", "game_id = 'none'"],
    "keys": ["kind = 'tokeo'", "hash = NULL", "limit_kind = 'gane'"],
    "events": ["seq = 'x'", "data = x'00'", "hash = NULL"],
}


@pytest.mark.parametrize(("table", "damage"), [(table, each) for table, found in DAMAGE.items() for each in found])
def test_sqlite_refuses_what_a_column_does_not_allow_and_a_check_finds_what_was_forced(filled, table, damage):
    app, path, _ = filled
    statement = f"UPDATE {table} SET {damage}"
    reason = refused(path, statement)
    pragma = {"CHECK": "ignore_check_constraints = ON", "FOREIGN": "foreign_keys = OFF"}.get(reason.split()[0])
    if pragma is not None:  # it stores no value of another type, whatever is set
        force(path, statement, pragma)
        assert [report.id for report in verify.verify(services_of(app).store) if report.faults] == [None]


def test_a_refused_value_is_no_conflict_with_another_writer(store):
    with pytest.raises(StorageError, match="ck_keys_kind") as refused, store.writing() as transaction:
        transaction.keys.add(KeyRow("key1", "tokeo", "x", ("read",), "1" * 64, TIME, None, None, None, None))
    assert not isinstance(refused.value, Conflict)


def refused(path, statement):
    """Why SQLite refuses a change."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        with pytest.raises(sqlite3.IntegrityError) as error:
            connection.execute(statement)
    return str(error.value)


def force(path, statement, pragma):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"PRAGMA {pragma}")
        connection.execute(statement)
