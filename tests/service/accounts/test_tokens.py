import pytest

from inkeek.service.http.access.keys import SECRET
from inkeek.service.storage import Limit
from tests.service.clients import signed_in, with_token


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


def test_who_am_i(app, services):
    client = with_token(app, "record", limit=Limit("event", "Narok Open"))
    answer = client.get("/api/v1/tokens/current")
    (key,) = services.keys.list()
    expected = {"id": key.id, "name": "tests", "scopes": ["record"], "expires": None, "good": True, "kind": "token"}
    assert answer.json.items() >= expected.items()
    assert answer.json["limit"] == {"kind": "event", "value": "Narok Open"}
    assert "token" not in answer.json
    assert key.hash not in answer.text
    browser = signed_in(app, "read").get("/api/v1/tokens/current").json
    assert (browser["kind"], browser["limit"]) == ("session", None)
    assert app.test_client().get("/api/v1/tokens/current").status_code == 401


def test_a_token_rotates_itself_and_no_other(app, services):
    client, other = with_token(app, "read"), with_token(app, "record")
    mine, theirs = (key.id for key in services.keys.list())
    assert client.post(f"/api/v1/tokens/{theirs}/rotation", json={}).status_code == 403
    assert client.post(f"/api/v1/tokens/{mine}/rotation", json={"days": 7}).status_code == 403
    answer = client.post(f"/api/v1/tokens/{mine}/rotation", json={"grace": 60})
    assert answer.status_code == 201
    assert answer.json["previous_until"] > answer.json["created"]
    new = {"Authorization": f"Bearer {answer.json['token']}"}
    for headers in ({}, new):
        assert client.get("/api/v1/tokens/current", headers=headers).json["id"] == mine
    again = app.test_client().post(f"/api/v1/tokens/{mine}/rotation", json={}, headers=new)
    assert again.status_code == 201
    assert client.get("/api/v1/tokens/current").status_code == 401
    assert other.get("/api/v1/tokens/current").status_code == 200


@pytest.mark.parametrize("scope", ["read", "admin"])
def test_a_secret_in_its_grace_does_nothing_about_keys(app, services, scope):
    """Who has stolen a secret that is being replaced cannot take the token over."""
    client = with_token(app, scope)
    mine, rightful = services.keys.list()[0].id, with_token(app, scope)
    other = services.keys.list()[1].id
    answer = client.post(f"/api/v1/tokens/{mine}/rotation", json={"grace": 60})
    rightful.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {answer.json['token']}"
    new = {"name": "x", "scopes": ["admin"]}
    for key in (mine, other):
        assert client.post(f"/api/v1/tokens/{key}/rotation", json={"grace": 60}).status_code == 403
        assert client.delete(f"/api/v1/tokens/{key}").status_code == 403
        assert client.post(f"/tokens/{key}/rotate").status_code == 403
        assert client.post(f"/tokens/{key}/revoke").status_code == 403
    assert client.post("/api/v1/tokens", json=new).status_code == 403
    for path in ("/api/v1/tokens", "/tokens"):
        assert client.get(path).status_code == 403
    assert client.get("/api/v1/games").status_code == 200
    assert rightful.delete(f"/api/v1/tokens/{mine}").status_code == 204


def test_an_admin_rotates_any_token_and_moves_its_expiry(client, app, services):
    with_token(app, "read")
    key = services.keys.list()[1]
    answer = client.post(f"/api/v1/tokens/{key.id}/rotation", json={"days": 30})
    assert answer.json["expires"]
    assert (answer.json["id"], answer.json["previous_until"]) == (key.id, None)
    assert client.post("/api/v1/tokens/nothing/rotation", json={}).status_code == 404
    assert client.post(f"/api/v1/tokens/{key.id}/rotation", json={"grace": 604801}).status_code == 422
    client.delete(f"/api/v1/tokens/{key.id}")
    assert client.post(f"/api/v1/tokens/{key.id}/rotation", json={}).status_code == 409


def test_a_token_revokes_itself_and_no_other(app, services):
    client = with_token(app, "read", limit=Limit("event", "Narok Open"))
    with_token(app, "record")
    mine, theirs = (key.id for key in services.keys.list())
    assert client.delete(f"/api/v1/tokens/{theirs}").status_code == 403
    assert client.delete(f"/api/v1/tokens/{mine}").status_code == 204
    assert client.get("/api/v1/tokens/current").status_code == 401


def test_the_last_admin_is_not_revoked_over_http(client, app, services):
    (mine,) = (key.id for key in services.keys.list())
    answer = client.delete(f"/api/v1/tokens/{mine}")
    assert (answer.status_code, answer.json["type"]) == (409, "/problems/last-admin")
    assert "inkeek token revoke" in answer.json["detail"]
    signed_in(app, "admin")
    assert client.delete(f"/api/v1/tokens/{mine}").status_code == 204


def test_a_token_for_an_event_is_created(client, app):
    limit = {"kind": "event", "value": "Narok Open"}
    made = client.post("/api/v1/tokens", json={"name": "x", "scopes": ["record"], "limit": limit})
    assert (made.status_code, made.json["limit"]) == (201, limit)
    headers = {"Authorization": f"Bearer {made.json['token']}"}
    assert app.test_client().get("/api/v1/tokens/current", headers=headers).json["limit"] == limit
