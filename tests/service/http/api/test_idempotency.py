import threading
from datetime import UTC, datetime, timedelta

import pytest

from inkeek.service.http.api import idempotency
from inkeek.service.storage import Limit
from tests.service.clients import with_token

SMALL = {"game": "enkeshui", "options": {"pits": 8}}


def ask(client, path, body, key="k-1"):
    return client.post(f"/api/v1/{path}", json=body, headers={"Idempotency-Key": key})


def games(client):
    return client.get("/api/v1/games").json["items"]


def test_the_same_request_is_done_once_and_answered_the_same(client):
    first, second = ask(client, "games", SMALL), ask(client, "games", SMALL)
    assert (first.status_code, second.status_code, second.json) == (201, 201, first.json)
    for name in ("Location", "ETag", "Content-Type"):
        assert second.headers[name] == first.headers[name]
    assert "Idempotency-Replayed" not in first.headers
    assert second.headers["Idempotency-Replayed"] == "true"
    assert len(games(client)) == 1


@pytest.mark.parametrize(
    ("path", "body"), [("games", {**SMALL, "by": "x"}), ("boards", {"port": "loop://", "game": "x"})]
)
def test_a_key_is_good_for_one_request(client, path, body):
    ask(client, "games", SMALL)
    other = ask(client, path, body)
    assert (other.status_code, other.json["type"]) == (422, "/problems/idempotency")
    assert len(games(client)) == 1


def test_a_failed_request_may_be_tried_again(client):
    game = ask(client, "games", SMALL).json["id"]
    path = f"games/{game}/turns"
    assert ask(client, path, {"move": "C"}, "t").status_code == 422
    ask(client, path, {"move": "c"}, "other")
    assert ask(client, path, {"move": "C"}, "t").status_code == 201


def test_keys_are_each_callers_own(app, client):
    ask(client, "games", SMALL)
    assert "Idempotency-Replayed" not in ask(with_token(app), "games", SMALL).headers
    assert len(games(client)) == 2


def test_a_key_is_forgotten_in_the_end(client, monkeypatch):
    ask(client, "games", SMALL)
    later = datetime.now(UTC) + timedelta(days=2)
    monkeypatch.setattr(idempotency, "utc_now", lambda: later)
    assert "Idempotency-Replayed" not in ask(client, "games", SMALL).headers
    assert len(games(client)) == 2


def test_of_many_at_once_one_is_done(app, client):
    token = client.environ_base["HTTP_AUTHORIZATION"]
    answers = []

    def write():
        other = app.test_client()
        other.environ_base["HTTP_AUTHORIZATION"] = token
        answers.append(ask(other, "games", SMALL).json["id"])

    threads = [threading.Thread(target=write) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 6
    assert len(set(answers)) == 1
    assert len(games(client)) == 1


@pytest.mark.parametrize("key", ["", "a b", "x" * 256, "ä"])
def test_an_invalid_key_is_refused(client, key):
    answer = ask(client, "games", SMALL, key)
    assert (answer.status_code, answer.json["type"]) == (422, "/problems/invalid")
    assert games(client) == []


def test_a_body_is_read_before_others_wait_for_the_transaction(client, services, monkeypatch):
    begun = []
    together = services.store.together
    monkeypatch.setattr(services.store, "together", lambda: (begun.append(1), together())[1])
    assert ask(client, "games", {"game": "enkeshui", "surprise": 1}).status_code == 422
    assert begun == []
    assert ask(client, "games", SMALL).status_code == 201
    assert begun


def test_a_repetition_names_nothing_that_has_left_the_limit(app, client):
    mine = with_token(app, "record", limit=Limit("event", "Mine"))
    body = {**SMALL, "tags": {"Event": "Mine"}}
    first = ask(mine, "games", body)
    assert ask(mine, "games", body).json == first.json
    client.patch(f"/api/v1/games/{first.json['id']}", json={"tags": {"Event": "Other"}})
    again = ask(mine, "games", body)
    assert again.status_code == 403
    assert first.json["id"] not in again.text
    assert "Location" not in again.headers


def test_a_key_is_refused_where_it_is_not_supported(client):
    answer = ask(client, "tokens", {"name": "x", "scopes": ["read"]})
    assert (answer.status_code, answer.json["type"]) == (422, "/problems/invalid")
    assert "Idempotency-Key" in answer.json["detail"]
