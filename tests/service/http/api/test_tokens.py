from __future__ import annotations

import pytest

from service.http.access.keys import SECRET
from tests.service.clients import signed_in


def test_a_token_is_made_shown_once_used_and_revoked(client, app):
    made = client.post("/api/v1/tokens", json={"name": "score desk", "scopes": ["record"], "days": 7})
    assert made.status_code == 201
    secret = made.json["token"]
    assert SECRET.fullmatch(secret)
    other = {"Authorization": f"Bearer {secret}"}
    assert app.test_client().post("/api/v1/games", json={"game": "enkeshui"}, headers=other).status_code == 201
    listed = client.get("/api/v1/tokens")
    assert secret not in listed.text
    mine, theirs = listed.json["items"]
    assert (mine["name"], theirs["name"], theirs["good"], theirs["kind"]) == ("tests", "score desk", True, "token")
    assert theirs["used"] > theirs["created"]
    assert "hash" not in theirs
    assert client.delete(f"/api/v1/tokens/{theirs['id']}").status_code == 204
    assert app.test_client().get("/api/v1/games", headers=other).status_code == 401
    assert [key["good"] for key in client.get("/api/v1/tokens").json["items"]] == [True, False]


def test_a_browser_can_be_signed_out_from_afar(client, app):
    browser = signed_in(app)
    session = next(key for key in client.get("/api/v1/tokens").json["items"] if key["kind"] == "session")
    client.delete(f"/api/v1/tokens/{session['id']}")
    assert browser.post("/api/v1/games", json={"game": "enkeshui"}).status_code == 401


@pytest.mark.parametrize(
    "body",
    [
        {"name": "x"},
        {"name": "x", "scopes": []},
        {"name": "x", "scopes": ["write"]},
        {"name": "", "scopes": ["read"]},
        {"name": "a:b", "scopes": ["read"]},
        {"name": "x", "scopes": ["read"], "days": 0},
        {"name": "x", "scopes": ["read"], "until": "2030"},
    ],
)
def test_what_can_be_no_token_is_refused(client, body):
    assert client.post("/api/v1/tokens", json=body).status_code == 422
    assert len(client.get("/api/v1/tokens").json["items"]) == 1


def test_a_token_that_is_not_there_cannot_be_revoked(client):
    answer = client.delete("/api/v1/tokens/nothing")
    assert (answer.status_code, answer.json["type"]) == (404, "/problems/not-found")
