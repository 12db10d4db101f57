"""Apps that register, ask for a right, fetch the token and use it, as programs elsewhere do; and what is refused."""

import hashlib
import re
from base64 import urlsafe_b64encode
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest

from service.http.access import apps
from service.http.access.apps import BURST
from service.http.access.caller import SESSION
from service.storage import Limit
from tests.service.clients import signed_in, with_token

AFAR = {"REMOTE_ADDR": "192.0.2.9"}
BACK = "https://tally.example/signed-in"
VERIFIER = "v" * 50
CHALLENGE = urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")


class App:
    """An app elsewhere."""

    def __init__(self, app, *uris, name="Tally"):
        self.client = app.test_client()
        made = self.client.post("/oauth/register", json={"client_name": name, "redirect_uris": uris or [BACK]})
        assert made.status_code == 201, made.text
        assert "client_secret" not in made.json
        self.id, self.back = made.json["client_id"], (uris or [BACK])[0]

    def request(self, **changes):
        return {
            "response_type": "code",
            "client_id": self.id,
            "redirect_uri": self.back,
            "scope": "record",
            "state": "s1",
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
            **changes,
        }

    def fetch(self, good_code, **changes):
        form = {
            "grant_type": "authorization_code",
            "client_id": self.id,
            "redirect_uri": self.back,
            "code": good_code,
            "code_verifier": VERIFIER,
            **changes,
        }
        return self.client.post("/oauth/token", data=form)

    def lent(self, person, **changes):
        """The answer to the app once the person has allowed what it asked for."""
        return self.fetch(code_of(allow(person, self.request(**changes))))


def allow(person, request, do="allow"):
    answer = person.post("/oauth/authorize", data={**request, "do": do})
    assert answer.status_code == 302, answer.text
    return answer.headers["Location"]


def code_of(location):
    query = parse_qs(urlsplit(location).query)
    assert query["state"] == ["s1"]
    return query["code"][0]


def bearer(app, token):
    client = app.test_client()
    client.environ_base.update(AFAR, HTTP_AUTHORIZATION=f"Bearer {token}")
    return client


def game(client, **tags):
    return client.post("/api/v1/games", json={"game": "oware", "tags": {"Event": "Cup", **tags}}).json["id"]


@pytest.fixture
def tally(app):
    return App(app)


@pytest.fixture
def naisula(app):
    return signed_in(app, "record")


def test_an_app_plays_for_who_allowed_it_until_they_end_it(app, tally, naisula):
    found = app.test_client().get("/.well-known/oauth-authorization-server").json
    assert found["authorization_endpoint"] == "http://localhost/oauth/authorize"
    assert found["code_challenge_methods_supported"] == ["S256"]
    page = naisula.get("/oauth/authorize", query_string=tally.request())
    assert "Tally" in page.text
    assert BACK in page.text
    assert "form-action 'self' https://tally.example;" in page.headers["Content-Security-Policy"]
    lent = tally.lent(naisula)
    assert lent.headers["Cache-Control"] == "no-store"
    assert lent.json["token_type"] == "Bearer"
    assert lent.json["scope"] == "record"
    program = bearer(app, lent.json["access_token"])
    made = game(program)
    turn = program.post(f"/api/v1/games/{made}/turns", json={"move": "a"})
    assert turn.status_code == 201
    me = program.get("/api/v1/tokens/current").json
    assert (me["name"], me["scopes"], me["app"]) == ("Naisula", ["record"], tally.id)
    listed = naisula.get("/apps").text
    assert "Tally" in listed
    end = re.search(r'action="(/apps/[^"]+/end)"', listed)[1]
    assert signed_in(app, "record").post(end).status_code == 404  # somebody else's
    assert naisula.post(end).status_code == 303
    assert program.get("/api/v1/games").status_code == 401
    assert "Tally" not in naisula.get("/apps").text


@pytest.mark.parametrize("ends", ["signs out", "is revoked by an administrator", "gives it back"])
def test_what_was_lent_ends_with_the_right_of_the_lender(app, services, tally, naisula, ends):
    token = tally.lent(naisula).json["access_token"]
    session = next(key for key in services.keys.list() if key.kind == SESSION)
    if ends == "signs out":
        naisula.post("/sign-out")
    elif ends == "gives it back":
        other = App(app, name="Other")
        form = {"token": token, "client_id": other.id}
        assert other.client.post("/oauth/revoke", data=form).json["error"] == "invalid_grant"
        assert tally.client.post("/oauth/revoke", data={**form, "client_id": tally.id}).status_code == 200
    else:
        services.keys.revoke(session.id)
    assert bearer(app, token).get("/api/v1/games").status_code == 401


def test_a_token_ends_no_later_than_the_session_that_lent_it(app, services, tally):
    key, secret = services.keys.create(SESSION, "Farah", ["record"], timedelta(hours=2))
    person = signed_in(app, "record")
    person.set_cookie("inkeek_80", secret, domain="localhost")
    person.environ_base["HTTP_X_CSRF_TOKEN"] = re.search(r'name="csrf" value="([^"]+)', person.get("/apps").text)[1]
    lent = tally.lent(person).json
    assert 7000 < lent["expires_in"] <= 7200
    token = services.apps.find_lent(lent["access_token"])
    assert (token.lender, token.expires) == (key.id, key.expires)


def test_an_app_gets_no_more_than_the_lender_has(app, client, tally):
    here, there = game(client, Board="3"), game(client, Board="4")
    keeper = signed_in(app, "record", limit=Limit("table", "3:Cup"))
    token = tally.lent(keeper).json["access_token"]
    program = bearer(app, token)
    assert program.post(f"/api/v1/games/{here}/turns", json={"move": "a"}).status_code == 201
    assert program.post(f"/api/v1/games/{there}/turns", json={"move": "a"}).status_code == 404
    watcher = signed_in(app, "read")
    page = watcher.get("/oauth/authorize", query_string=tally.request()).text
    assert "which you may not do here" in page
    assert tally.lent(watcher).json["scope"] == "read"


def test_who_loses_the_right_to_write_has_lent_no_more_than_reading(app, services, store, tally):
    keeper = signed_in(app, "record", limit=Limit("table", "3:Cup"))
    token = tally.lent(keeper).json["access_token"]
    with services.store.writing() as transaction:
        key = next(key for key in transaction.keys.of_kinds((SESSION,)) if key.limit)
        transaction.keys.put(key._replace(scopes=("read",)))
    program = bearer(app, token)
    assert program.get("/api/v1/games").status_code == 200
    assert program.post("/api/v1/games", json={"game": "oware"}).status_code == 403


def test_an_app_can_ask_for_one_game_only(app, client, tally):
    here, there = game(client, Board="3"), game(client, Board="4")
    keeper = signed_in(app, "record", limit=Limit("table", "3:Cup"))
    hidden = keeper.get("/oauth/authorize", query_string=tally.request(scope=f"record game:{there}"))
    assert hidden.status_code == 404
    lent = tally.lent(keeper, scope=f"record game:{here}").json
    assert lent["scope"] == f"record game:{here}"
    program = bearer(app, lent["access_token"])
    assert [one["id"] for one in program.get("/api/v1/games").json["items"]] == [here]
    client.patch(f"/api/v1/games/{here}", json={"tags": {"Board": "4"}})  # the lender may not write it any more
    assert program.get("/api/v1/games").status_code == 401


def test_nothing_is_sent_before_who_is_signed_in_allows_it(app, tally, naisula):
    stranger = app.test_client()
    stranger.environ_base.update(AFAR)
    first = stranger.get("/oauth/authorize", query_string=tally.request())
    again = re.search(r'http-equiv="refresh" content="0; url=([^"]+)"', first.text)[1].replace("&amp;", "&")
    again = "/oauth/authorize" + again
    assert "http-equiv" not in stranger.get(again).text  # once
    assert 'value="allow"' in naisula.get(again).text
    assert stranger.post("/oauth/authorize", data={**tally.request(), "do": "allow"}).status_code == 401
    program = with_token(app, "record")
    assert program.post("/oauth/authorize", data={**tally.request(), "do": "allow"}).status_code == 403
    forged = signed_in(app, "record", csrf=False)
    assert forged.post("/oauth/authorize", data={**tally.request(), "do": "allow"}).status_code == 403
    query = parse_qs(urlsplit(allow(naisula, tally.request(), "no")).query)
    assert (query["error"], query["state"], "code" in query) == (["access_denied"], ["s1"], False)


@pytest.mark.parametrize(
    "changes",
    [
        {"redirect_uri": "https://evil.example/"},
        {"redirect_uri": BACK + "/"},
        {"redirect_uri": 'https://tally.example/"'},
        {"client_id": "nobody"},
    ],
)
def test_an_answer_goes_only_to_an_address_that_the_app_registered(naisula, tally, changes):
    for answer in (
        naisula.get("/oauth/authorize", query_string=tally.request(**changes)),
        naisula.post("/oauth/authorize", data={**tally.request(**changes), "do": "allow"}),
    ):
        assert answer.status_code in (400, 422)
        assert "Location" not in answer.headers


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge": ""}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"scope": "admin"}, "invalid_scope"),
        ({"scope": "read game:a game:b"}, "invalid_scope"),
    ],
)
def test_the_app_is_told_what_it_cannot_ask_for(naisula, tally, changes, error):
    answer = naisula.get("/oauth/authorize", query_string=tally.request(**changes))
    assert answer.status_code == 302
    assert parse_qs(urlsplit(answer.headers["Location"]).query)["error"] == [error]


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"code_verifier": "w" * 50}, "invalid_grant"),
        ({"code_verifier": ""}, "invalid_request"),
        ({"redirect_uri": "https://tally.example/other"}, "invalid_grant"),
        ({"code": "nothing"}, "invalid_grant"),
        ({"client_id": "nobody"}, "invalid_client"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
        ({"code": "\N{HEAVY CHECK MARK}"}, "invalid_request"),
    ],
)
def test_a_code_is_worth_nothing_without_all_that_belongs_to_it(tally, naisula, changes, error):
    code = code_of(allow(naisula, tally.request()))
    refused = tally.fetch(code, **changes)
    assert (refused.status_code, refused.json["error"]) == (400, error)


def test_a_code_of_one_app_is_none_of_another(app, tally, naisula):
    code = code_of(allow(naisula, tally.request()))
    assert App(app).fetch(code).json["error"] == "invalid_grant"


def test_a_code_works_once_and_used_again_ends_the_token(app, tally, naisula):
    code = code_of(allow(naisula, tally.request()))
    token = tally.fetch(code).json["access_token"]
    assert bearer(app, token).get("/api/v1/games").status_code == 200
    assert tally.fetch(code).json["error"] == "invalid_grant"
    assert bearer(app, token).get("/api/v1/games").status_code == 401


def test_an_app_that_asks_again_gets_a_new_token_in_place_of_the_old_one(app, tally, naisula):
    old, new = (tally.lent(naisula).json["access_token"] for _ in range(2))
    assert bearer(app, old).get("/api/v1/games").status_code == 401
    assert bearer(app, new).get("/api/v1/games").status_code == 200


@pytest.mark.parametrize(
    "uri",
    ["http://127.0.0.1:49152/back", "http://[::1]:5000/back", "http://localhost:1/back", "org.example.tally:/back"],
)
def test_programs_on_the_persons_machine_get_their_answer_at_any_port(app, naisula, uri):
    app = App(app, re.sub(r":\d+/", "/", uri) if uri.startswith("http") else uri)
    assert allow(naisula, app.request(redirect_uri=uri)).startswith(uri + "?code=")


@pytest.mark.parametrize(
    "uri",
    [
        "http://tally.example/back",
        "javascript:alert(1)",
        "data:text/html,x",
        "tally:/back",
        "https://tally.example/#x",
        "https://user@tally.example/",
        "https://tally.example;script-src/",
        "https://tally.example:x/",
        "https://tally.example/" + "x" * 500,
        "//tally.example/",
        "",
    ],
)
def test_addresses_to_which_codes_cannot_be_sent_safely_are_refused(app, uri):
    refused = app.test_client().post("/oauth/register", json={"client_name": "x", "redirect_uris": [uri]})
    assert (refused.status_code, refused.json["error"]) == (400, "invalid_redirect_uri")


@pytest.mark.parametrize(
    "body",
    [
        [],
        {},
        {"client_name": "x"},
        {"client_name": " ", "redirect_uris": [BACK]},
        {"client_name": "\u3164\u200b", "redirect_uris": [BACK]},
        {"client_name": "x" * 61, "redirect_uris": [BACK]},
        {"client_name": "x", "redirect_uris": []},
    ],
)
def test_an_app_without_a_name_or_an_address_is_refused(app, body):
    assert app.test_client().post("/oauth/register", json=body).json["error"] == "invalid_client_metadata"


def test_apps_are_bounded_and_those_in_use_stay(app, services, tally, naisula, monkeypatch):
    monkeypatch.setattr(apps, "MAX_APPS", 5)
    tally.lent(naisula)
    unused = App(app)
    for number in range(4):
        services.apps.register("Flood", [BACK], f"192.0.2.{number}")
    assert services.apps.get(unused.id) is None
    assert services.apps.get(tally.id) is not None
    for _ in range(BURST):
        app.test_client().post("/oauth/register", json={"client_name": "x", "redirect_uris": [BACK]}, environ_base=AFAR)
    one_more = app.test_client().post(
        "/oauth/register", json={"client_name": "x", "redirect_uris": [BACK]}, environ_base=AFAR
    )
    assert one_more.status_code == 429


def test_a_person_lends_to_a_bounded_number_of_apps(app, naisula, tally, monkeypatch):
    monkeypatch.setattr(apps, "MAX_OF_ONE", 2)
    assert [one.lent(naisula).status_code for one in (tally, App(app))] == [200, 200]
    assert naisula.post("/oauth/authorize", data={**App(app).request(), "do": "allow"}).status_code == 409
    assert tally.lent(naisula).status_code == 200  # one that acts for them already


def test_codes_that_were_fetched_before_are_counted_when_they_are_used(app, naisula, tally, monkeypatch):
    monkeypatch.setattr(apps, "MAX_OF_ONE", 2)
    all_apps = [tally, App(app), App(app)]
    codes = [code_of(allow(naisula, one.request())) for one in all_apps]
    assert [one.fetch(code).status_code for one, code in zip(all_apps, codes, strict=True)] == [200, 200, 400]


def test_an_app_to_which_nothing_is_lent_any_more_gives_way(app, services, tally, naisula, monkeypatch):
    monkeypatch.setattr(apps, "MAX_APPS", 1)
    form = {"token": tally.lent(naisula).json["access_token"], "client_id": tally.id}
    refused = app.test_client().post("/oauth/register", json={"client_name": "Other", "redirect_uris": [BACK]})
    assert "1 apps in use" in refused.json["error_description"]
    tally.client.post("/oauth/revoke", data=form)
    assert App(app, name="Other").id != tally.id
    assert services.apps.get(tally.id) is None


def test_asking_again_and_again_leaves_one_token(services, tally, naisula):
    for _ in range(3):
        lent = tally.lent(naisula).json["access_token"]
    assert [key.id for key in services.keys.list() if key.app] == [services.apps.find_lent(lent).id]


def test_what_was_lent_shares_the_places_of_who_lent_it(app, services, tally, naisula):
    session = next(key for key in services.keys.list() if key.kind == SESSION)
    others = [bearer(app, one.lent(naisula, scope="read").json["access_token"]) for one in (tally, App(app))]
    made = [others[number % 2].post("/api/v1/webhooks", json={"url": BACK}).status_code for number in range(6)]
    assert made == [201] * 5 + [422]
    callers = [services.keys.find(client.environ_base["HTTP_AUTHORIZATION"][7:], "token") for client in others]
    assert {caller.sender("192.0.2.9").name for caller in callers} == {session.id}


def test_over_the_network_codes_and_tokens_need_tls(app, tally, naisula):
    plain = app.test_client().get("/oauth/authorize", query_string=tally.request(), base_url="http://localhost.local")
    assert plain.status_code == 400


def test_an_administrator_sees_what_is_lent_and_gives_it_no_new_secret(app, services, client, tally, naisula):
    tally.lent(naisula)
    lent = next(key for key in client.get("/api/v1/tokens").json["items"] if key["app"])
    assert client.post(f"/api/v1/tokens/{lent['id']}/rotation", json={}).status_code == 422
