"""Rows that no chain of hashes covers: what a check of them finds, and what the routes answer."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

from records.analysis import Limits
from records.analysis.annotation import annotate
from records.json_codec import to_json
from service import create_app
from service.games.write import Write
from service.http.context import services_of
from service.maintenance import verify
from service.storage import BoardRow, GameAnalysisRow, JobRow, Store
from service.storage.rows import InboxRow, KeyRow, Limit
from tests.service.clients import with_token

TIME = "2026-11-20T12:00:00.000000Z"
API = Write("api")


def fill(store: Store, game: str, data: str) -> None:
    """A row in every table; `data` is that of the analysis."""
    with store.writing() as transaction:
        status = {"connected": True}
        transaction.boards.add(
            BoardRow("board1", "inkeek", "/dev/x", game, "open", "S1", "boot", 3, status, 1, TIME, TIME)
        )
        transaction.boards.log("board1", TIME, "gap", {"reason": "lost"})
        transaction.boards.ask("board1", "undo", {"ply": 1}, TIME)
        transaction.inboxes.add(InboxRow("board1", "spool", 1, 1, 0, "boot", 1, {"a": 1}, {"b": 2}, 0, 1, TIME))
        transaction.inboxes.fill("board1", [(1, '{"kind": "turn"}')])
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
    fill(services.store, game, json.dumps(to_json(found)))
    yield app, tmp_path / "inkeek.sqlite3", game
    services.close()


def change(path, statement, *values):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement, values)
        connection.commit()


def test_what_the_service_stores_has_no_faults(filled):
    app, _, _ = filled
    assert [report for report in verify.verify(services_of(app).store) if report.faults] == []


DAMAGE = {
    "boards": ["status = '{'", "status = '[]'", "wanted = 'opem'", "seq = 'x'", "created = '2026'", "version = -1"],
    "board_log": ["data = '{'", "time = '2026-11-20T12:00:00.000000X'", "kind = x'00'", "board_id = 'board2'"],
    "board_requests": ["data = 'x'", "tries = 'a'", "board_id = 'board2'", "number = 99"],
    "inboxes": ["hello = '{'", "guidance = '3'", "last = 1.5", "heard = 'x'"],
    "inbox_events": ["event = 'null'", "board_id = 'board2'"],
    "jobs": ["games = '{'", "games = '{}'", "limits = ']'", "state = 'runninh'", "done = 'x'", "updated = ''||x'ff'"],
    "analyses": ["data = '{'", "data = '[]'", "played = 'g'", "game_id = 'none'"],
    "keys": ["kind = 'tokeo'", "hash = '1'", "limit_kind = 'gane'", "expires = 'x'"],
    "sqlite_sequence": ["seq = 0", "seq = 'x'", "name = 'board_requestt'"],
}


@pytest.mark.parametrize(("table", "damage"), [(table, each) for table, found in DAMAGE.items() for each in found])
def test_a_damaged_row_is_found_and_answered(filled, table, damage):
    app, path, game = filled
    client = with_token(app)
    change(path, f"UPDATE {table} SET {damage}" + (" WHERE id = 'key1'" if table == "keys" else ""))
    assert [report.id for report in verify.verify(services_of(app).store) if report.faults] == [None]
    for route in (
        "boards",
        "boards/board1",
        "boards/board1/log",
        "jobs",
        "jobs/job1",
        f"games/{game}/analysis",
        "tokens",
    ):
        answer = client.get(f"/api/v1/{route}")
        assert answer.status_code in (200, 404, 503), (route, answer.json)
        if answer.status_code == 503:
            assert answer.json["type"] in ("/problems/damaged", "/problems/storage")
