import re
from datetime import timedelta

from inkeek.service.http.access.caller import SESSION, TOKEN
from inkeek.service.storage import Limit
from tests.service.clients import signed_in


def secret_in(response) -> str:
    return re.search(r"data-secret>([^<]+)<", response.get_data(as_text=True))[1]


def listed(page: str) -> set[str]:
    return set(re.findall(r'data-token="(\w+)"', page))


def test_an_administrator_makes_a_token_and_sees_its_secret_once(admin, services):
    response = admin.post("/tokens", data={"name": "score desk", "scope": ["record", "board"], "days": "7"})
    assert response.headers["Cache-Control"] == "no-store"
    secret = secret_in(response)
    caller = services.keys.find(secret, TOKEN)
    assert (caller.name, caller.scopes) == ("score desk", {"record", "board"})
    page = admin.get("/tokens").get_data(as_text=True)
    assert secret not in page
    assert caller.id in listed(page)


def test_what_a_scope_allows_names_paths_as_code(admin):
    page = admin.get("/tokens").text
    assert "<code>/metrics</code>" in page
    assert "`" not in page


def test_a_token_can_be_limited(admin, services, new_game):
    game_id = new_game()
    data = {"name": "desk", "scope": "record", "limit_kind": "game", "limit": game_id}
    caller = services.keys.find(secret_in(admin.post("/tokens", data=data)), TOKEN)
    assert caller.limit == Limit("game", game_id)


def test_a_link_signs_a_browser_in_once(app, admin, services):
    link = secret_in(admin.post("/tokens", data={"name": "Ann", "scope": "arbiter", "kind": "link"}))
    browser = app.test_client()
    sent = {"key": link.partition("=")[2]}
    assert browser.post("/sign-in", data=sent).status_code == 303
    assert re.search(r'data-me="\w+"', browser.get("/tokens").get_data(as_text=True))
    assert app.test_client().post("/sign-in", data=sent).status_code == 401


def test_rotating_replaces_the_secret(admin, services):
    key, old = services.keys.create(TOKEN, "desk", ("record",), timedelta(days=1))
    new = secret_in(admin.post(f"/tokens/{key.id}/rotate"))
    assert services.keys.find(old, TOKEN) is None
    assert services.keys.find(new, TOKEN).id == key.id


def test_revoking_ends_a_token_or_a_session(admin, services):
    for kind in (TOKEN, SESSION):
        key, secret = services.keys.create(kind, "desk", ("record",), None)
        assert admin.post(f"/tokens/{key.id}/revoke").status_code == 303
        assert services.keys.find(secret, kind) is None


def test_others_see_only_who_they_are(app, services):
    services.keys.create(TOKEN, "secret desk", ("admin",), None)
    for client in (app.test_client(), signed_in(app, "board")):
        page = client.get("/tokens").get_data(as_text=True)
        assert "secret desk" not in page
        assert listed(page) == set()
