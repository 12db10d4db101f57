import json
import sqlite3
from contextlib import closing

import pytest

from inkeek.service import create_app
from inkeek.service.games.library import transfer
from inkeek.service.http.context import services_of
from tests.service.clients import with_token

GOOD = '[Round "{}"]\n[Game "enkeshui"]\n[Options "pits=8"]\n\n1. {} *\n\n'
TEXT = GOOD.format(1, "c") + GOOD.format(2, "a") + GOOD.format(3, "c")
ITSELF = "/api/v1/games/import"


def ask(client, text=TEXT, query="", **headers):
    answer = client.post(f"{ITSELF}{query}", data=text, content_type="text/plain", headers=headers)
    assert answer.status_code == 200, answer.json
    return [json.loads(line) for line in answer.text.splitlines()], answer


def stored(client):
    return [game["id"] for game in client.get("/api/v1/games").json["items"]][::-1]


def test_a_repeated_import_says_what_is_present(client):
    first, _ = ask(client)
    again, _ = ask(client)
    assert [(line["ok"], line.get("present")) for line in first] == [(True, False), (False, None), (True, False)]
    assert [(line["ok"], line.get("present")) for line in again] == [(True, True), (False, None), (True, True)]
    assert [line["id"] for line in again if line["ok"]] == stored(client)
    assert first[1] == again[1]


def test_a_dry_run_reports_and_stores_nothing(client):
    dry, _ = ask(client, query="?dry_run=true")
    assert stored(client) == []
    assert [(line["ok"], line.get("id"), line.get("present")) for line in dry] == [
        (True, None, False),
        (False, None, None),
        (True, None, False),
    ]
    real, _ = ask(client)
    assert dry[1] == real[1]
    assert [line["id"] for line in ask(client, query="?dry_run=true")[0] if line["ok"]] == stored(client)


def test_an_import_with_a_key_is_repeated_with_the_same_body_only(client):
    first, answer = ask(client, **{"Idempotency-Key": "k"})
    assert "Idempotency-Replayed" not in answer.headers
    again, answer = ask(client, **{"Idempotency-Key": "k"})
    assert answer.headers["Idempotency-Replayed"] == "true"
    assert [line.get("id") for line in again] == [line.get("id") for line in first]
    other = client.post(ITSELF, data=GOOD.format(9, "d"), content_type="text/plain", headers={"Idempotency-Key": "k"})
    assert (other.status_code, other.json["type"]) == (422, "/problems/idempotency")
    game = client.post("/api/v1/games", json={"game": "bof"}, headers={"Idempotency-Key": "k"})
    assert (game.status_code, game.json["type"]) == (422, "/problems/idempotency")
    assert len(stored(client)) == 2


def test_a_dry_run_leaves_the_key_free(client):
    ask(client, query="?dry_run=true", **{"Idempotency-Key": "k"})
    assert "Idempotency-Replayed" not in ask(client, **{"Idempotency-Key": "k"})[1].headers


def test_an_import_that_broke_off_goes_on_when_it_is_repeated(client, services, monkeypatch):
    monkeypatch.setattr(transfer, "MOST_GAMES", 1)
    answer = client.post(ITSELF, data=TEXT, content_type="text/plain", headers={"Idempotency-Key": "k"}, buffered=False)
    first = json.loads(next(answer.iter_encoded()))
    answer.close()
    assert stored(client) == [first["id"]]
    again, _ = ask(client, **{"Idempotency-Key": "k"})
    assert (again[0]["id"], again[0]["present"], again[2]["present"]) == (first["id"], True, False)


@pytest.mark.parametrize("query", ["?dry_run=maybe", "?dryrun=true"])
def test_a_wrong_query_is_a_problem(client, query):
    answer = client.post(f"{ITSELF}{query}", data=TEXT, content_type="text/plain")
    assert (answer.status_code, answer.json["type"]) == (422, "/problems/fields")
    assert stored(client) == []


@pytest.mark.parametrize("times", [1, 300], ids=["small", "in a process of its own"])
def test_an_import_into_a_locked_database_can_be_repeated(tmp_path, times):
    app = create_app({"data": str(tmp_path), "lock_timeout": 0.2})
    services_of(app).store.upgrade()
    client, text = with_token(app), TEXT * times
    with closing(sqlite3.connect(tmp_path / "inkeek.sqlite3", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        answer = client.post(ITSELF, data=text, content_type="text/plain")
        assert (answer.status_code, answer.json["type"]) == (503, "/problems/storage")
        assert int(answer.headers["Retry-After"]) > 0
        other.execute("ROLLBACK")
    assert stored(client) == []
    assert len(ask(client, text)[0]) == 3 * times
    assert len(stored(client)) == 2
    services_of(app).close()


def test_a_read_with_a_key_waits_for_no_writer(tmp_path, caplog):
    app = create_app({"data": str(tmp_path), "lock_timeout": 0.2})
    services = services_of(app)
    services.store.upgrade()
    client = with_token(app)
    with closing(sqlite3.connect(tmp_path / "inkeek.sqlite3", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert client.get("/api/v1/games").status_code == 200
        other.execute("ROLLBACK")
        assert [key.used for key in services.keys.list()] == [None]
    assert not [record for record in caplog.records if record.levelname == "WARNING"]  # it would have waited
    client.get("/api/v1/games")
    assert [key.used is None for key in services.keys.list()] == [False]
    services.close()
