import os
import threading

import pytest

from inkeek.records import __version__
from inkeek.service import create_app
from inkeek.service.errors import StorageError
from inkeek.service.games.repository import GameCache
from inkeek.service.http import timed_calls
from inkeek.service.http.context import services_of
from inkeek.service.processes.heartbeats import STILL_AFTER, beat
from inkeek.service.settings import METRICS_FOLDER
from inkeek.service.storage.migrate import latest
from tests.service.clients import with_token
from tests.service.waiting import until


def test_a_service_with_its_tables_is_ready(client):
    assert client.get("/healthz").json == {"ok": True, "version": __version__}
    assert client.get("/readyz").json == {"ok": True, "revision": latest()}


def test_a_service_without_tables_answers_but_is_not_ready(tmp_path):
    (tmp_path / "inkeek.sqlite3").touch()
    app = create_app({"data": str(tmp_path)})
    client = app.test_client()
    assert client.get("/healthz").status_code == 200
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json["type"]) == (503, "/problems/storage")
    assert "inkeek db upgrade" in answer.json["detail"]
    services_of(app).store.close()


@pytest.mark.parametrize("table", ["events", "positions"])
def test_a_missing_table_is_told_and_nothing_is_acknowledged(client, services, table):
    game = client.post("/api/v1/games", json={"game": "bof"}).json
    with services.store.writing() as transaction:
        transaction.games._session.exec_driver_sql(f"DROP TABLE {table}")
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json["type"]) == (503, "/problems/damaged")
    assert table in answer.json["detail"]
    answer = client.post(f"/api/v1/games/{game['id']}/turns", json={"move": game["legal"][0]})
    assert (answer.status_code, answer.json["type"]) == (503, "/problems/storage")
    assert client.get("/healthz").status_code == 200


@pytest.mark.parametrize("column", ["options", "tags"])
def test_a_game_that_cannot_be_read_is_a_problem(client, services, column):
    game = client.post("/api/v1/games", json={"game": "bof"}).json["id"]
    with services.store.writing() as transaction:
        transaction.games._session.exec_driver_sql(f"UPDATE games SET {column} = '{{'")
    for path in (f"/api/v1/games/{game}", "/api/v1/games", f"/api/v1/games/{game}.pmn"):
        answer = client.get(path)
        assert (answer.status_code, answer.json["type"]) == (503, "/problems/damaged")


def test_events_that_make_no_game_are_a_problem_of_the_database(client, services, caplog, monkeypatch):
    """Valid JSON that no code expects: without the check it would be a traceback and 500."""
    game = client.post("/api/v1/games", json={"game": "bof"}).json["id"]
    with services.store.writing() as transaction:
        transaction.games._session.exec_driver_sql("UPDATE events SET data = '[1]'")
    monkeypatch.setattr(services.games, "_cache", GameCache())
    answer = client.get(f"/api/v1/games/{game}.pmn")
    assert (answer.status_code, answer.json["type"]) == (503, "/problems/damaged")
    assert game in answer.json["detail"]
    assert not any(record.exc_info for record in caplog.records)


def test_a_part_that_stands_still_is_told(client, tmp_path, monkeypatch):
    monkeypatch.setenv(METRICS_FOLDER, str(tmp_path))
    beat("desk")
    assert client.get("/readyz").status_code == 200
    (file,) = tmp_path.glob("desk*")
    os.utime(file, (file.stat().st_mtime - STILL_AFTER - 1,) * 2)
    answer = client.get("/readyz")
    text = client.get("/metrics").text
    assert "inkeek_ready 0" in text
    assert 'inkeek_part_idle_seconds{part="desk"} 3' in text
    assert (answer.status_code, answer.json["type"]) == (503, "/problems/not-ready")
    assert "desk" in answer.json["detail"]


@pytest.mark.parametrize("fails", ["hangs", "refuses"])
def test_who_watches_learns_that_the_database_is_away(app, services, monkeypatch, fails):
    watcher, unknown = with_token(app, "metrics"), with_token(app, "metrics", name="unknown")
    for client in (watcher, unknown):
        client.environ_base["REMOTE_ADDR"] = "192.0.2.9"
    assert 'inkeek_jobs{state="queued"} 0' in watcher.get("/metrics").text
    assert watcher.get("/readyz").status_code == 200
    assert watcher.get("/api/v1/games").status_code == 403
    is_back = threading.Event()

    def away(call):
        def answer(*arguments, **options):
            if fails == "hangs":
                is_back.wait(60)
            if not is_back.is_set():
                raise StorageError("away")
            return call(*arguments, **options)

        return answer

    monkeypatch.setattr(timed_calls, "PATIENCE", 0.1)
    monkeypatch.setattr(services.store, "key", away(services.store.key))
    monkeypatch.setattr(services.store, "check_revision", away(services.store.check_revision))
    assert "inkeek_ready 0" in watcher.get("/metrics").text
    assert [client.get("/readyz").status_code for client in (watcher, unknown)] == [503, 503]
    is_back.set()
    until(lambda: unknown.get("/readyz").status_code == 200)
    revoked = next(key for key in services.keys.list() if key.name == "tests")
    services.keys.revoke(revoked.id)
    assert watcher.get("/metrics").status_code == 401
    is_back.clear()
    assert unknown.get("/metrics").status_code == 200
    assert watcher.get("/metrics").status_code == 503
    is_back.set()
    until(lambda: unknown.get("/readyz").status_code == 200)  # no thread is left that waits


def test_a_ledger_that_stands_still_is_told(client, services):
    client.post("/api/v1/games", json={"game": "bof"})
    with services.store.writing() as transaction:
        transaction.games._session.exec_driver_sql("UPDATE unsealed SET time = '2026-01-01T00:00:00.000000Z'")
    answer = client.get("/readyz")
    assert (answer.status_code == 503) == services.store.ledger_lags
    assert ("ledger" in answer.text) == services.store.ledger_lags
