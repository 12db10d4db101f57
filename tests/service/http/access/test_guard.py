"""The guard, through the Flask client: who may send which requests, and from where."""

import io
import json
import re
from datetime import timedelta

import pytest
from flask import Flask
from werkzeug.test import EnvironBuilder

from inkeek.service import create_app
from inkeek.service.errors import TooSlow
from inkeek.service.games.write import Write
from inkeek.service.http.access.caller import LINK, SESSION, TOKEN
from inkeek.service.http.context import CALLER, HEADERS_ONLY, MAX_BODY, REFUSAL, services_of
from inkeek.service.http.problems import MEDIA_TYPE
from tests.service.clients import signed_in, with_token

GAME = {"game": "enkeshui"}
HOUR = timedelta(hours=1)


def test_on_this_machine_reading_is_open_and_writing_is_not(app):
    client = app.test_client()
    assert client.get("/api/v1/games").status_code == 200
    refused = client.post("/api/v1/games", json=GAME)
    assert (refused.status_code, refused.json["type"]) == (401, "/problems/unauthorized")
    assert refused.headers["WWW-Authenticate"].startswith("Bearer")
    assert "'record'" in refused.json["detail"]
    assert "inkeek token" in refused.json["detail"]


@pytest.mark.parametrize(
    ("settings", "sent"),
    [
        ({"host": "0.0.0.0"}, {}),
        ({"host": "192.0.2.7"}, {"base_url": "http://192.0.2.7"}),
        ({"proxies": 1}, {}),
        ({"allowed_hosts": "games.example.org"}, {"base_url": "http://games.example.org"}),
        ({}, {"environ_base": {"REMOTE_ADDR": "192.0.2.9"}}),
    ],
)
def test_nothing_is_open_to_remote_callers(make, settings, sent):
    app = make(**settings)
    for path in ("/api/v1/games", "/", "/readyz", "/metrics", "/api/v1/openapi.json", "/nothing", "/api/v1/nothing"):
        assert app.test_client().get(path, **sent).status_code == 401, path
    assert app.test_client().get("/healthz", **sent).status_code == 200
    assert with_token(app, "read").get("/api/v1/games", **sent).status_code == 200


def test_nothing_that_a_proxy_passed_on_is_local(app):
    for name in (
        *("X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Server", "X-Forwarded", "Forwarded", "Via", "CDN-Loop"),
        *("X-Real-IP", "CF-Connecting-IP", "X-Cluster-Client-IP"),
    ):
        assert app.test_client().get("/api/v1/games", headers={name: "192.0.2.9"}).status_code == 401, name


@pytest.mark.parametrize(
    ("settings", "host", "status"),
    [
        ({}, "localhost", 200),
        ({}, "192.0.2.7", 400),
        ({}, "games.example.org", 400),
        ({}, "[", 400),
        ({}, "[::1]:8000", 200),
        ({}, "127.0.0.1", 200),
        ({}, "localhost.evil.example", 400),
        ({}, "localhost#.evil.example", 400),
        ({}, "localhost/evil.example", 400),
        ({}, "localhost?.evil.example", 400),
        ({}, "localhost\\.evil.example", 400),
        ({}, "evil.example@127.0.0.1", 400),
        ({}, "localhost:80:.evil.example", 400),
        ({"allowed_hosts": "games.example.org"}, "Games.Example.org:8000", 200),
        ({"allowed_hosts": "games.example.org"}, "evil.example", 400),
        ({"host": "0.0.0.0"}, "192.0.2.7:8000", 200),
        ({"host": "::"}, "[2001:db8::1]:8000", 200),
        ({"host": "0.0.0.0"}, "games.example.org", 400),
        ({"host": "0.0.0.0"}, "inkeek.local", 400),
        ({"host": "desk.example.org"}, "desk.example.org", 200),
    ],
)
def test_only_the_services_own_names_are_served(make, settings, host, status):
    answer = with_token(make(**settings)).get("/healthz", headers={"Host": host})
    assert answer.status_code == status
    if status == 400 and host != "[":
        assert "allowed_hosts" in answer.json["detail"]


@pytest.mark.parametrize("host", ["a..b", f"{70 * 'x'}.org"])
def test_a_page_refuses_a_host_that_no_name_can_be(make, host):
    assert with_token(make()).get("/", headers={"Host": host}).status_code == 400


@pytest.mark.parametrize(
    ("authorization", "quoted"), [("Basic eDp5", "Basic"), ("Bearer", ""), ("Bearer ink_t_" + "a" * 43, "")]
)
def test_an_invalid_key_is_refused_even_where_none_is_needed(app, authorization, quoted):
    answer = app.test_client().get("/api/v1/games", headers={"Authorization": authorization})
    assert (answer.status_code, answer.json["type"]) == (401, "/problems/unauthorized")
    assert quoted in answer.json["detail"]


def test_a_refusal_names_the_route_the_needed_scope_and_the_held_ones(app):
    answer = with_token(app, "record").get("/api/v1/tokens")
    assert (answer.status_code, answer.json["type"]) == (403, "/problems/forbidden")
    assert all(word in answer.json["detail"] for word in ("GET /api/v1/tokens", "'admin'", "'tests'", "record"))


def test_a_secret_is_valid_only_for_its_kind_of_key(app, services):
    _, session = services.keys.create(SESSION, "x", ("admin",), None)
    _, link = services.keys.create(LINK, "x", ("admin",), None)
    for secret in (session, link):
        answer = app.test_client().get("/api/v1/games", headers={"Authorization": f"Bearer {secret}"})
        assert answer.status_code == 401
    client = app.test_client()
    client.set_cookie("inkeek_80", services.keys.create(TOKEN, "x", ("admin",), None)[1], domain="localhost")
    assert client.post("/api/v1/games", json=GAME).status_code == 401


def test_a_browser_writes_only_with_its_sessions_csrf_token(app, services):
    client = signed_in(app, csrf=False)
    for headers in ({}, {"X-CSRF-Token": "x"}, {"X-CSRF-Token": "é"}):
        answer = client.post("/api/v1/games", json=GAME, headers=headers)
        assert (answer.status_code, answer.json["type"]) == (403, "/problems/forbidden")
    other = re.search(r'name="csrf" value="(\w{64})"', signed_in(app, csrf=False).get("/").text)[1]
    assert client.post("/games/new", data={**GAME, "csrf": other}).status_code == 403
    assert client.post("/games/new", data=GAME).status_code == 403
    assert services.games.page(1) == ([], None)
    mine = re.search(r'name="csrf" value="(\w{64})"', client.get("/").text)[1]
    assert client.post("/games/new", data={**GAME, "csrf": mine}).status_code == 303
    assert client.post("/api/v1/games", json=GAME, headers={"X-CSRF-Token": mine}).status_code == 201
    sent = client.post("/games/new", data={**GAME, "csrf": mine}, headers={"Origin": "http://evil.example"})
    assert sent.status_code == 403


def test_an_administrators_cookie_alone_administers_nothing(app, services, monkeypatch):
    link = services.keys.create(LINK, "Owner", ("admin",), HOUR)[1]
    other, unused, used = (
        services.keys.create(LINK, "Hawo", (scope,), HOUR)[1] for scope in ("record", "admin", "admin")
    )
    services.keys.sign_in(used, HOUR)
    session = services.keys.sign_in(link, HOUR)[1]
    stolen = app.test_client()
    stolen.set_cookie("inkeek_80", session, domain="localhost")
    csrf = re.search(r'name="csrf" value="(\w{64})"', stolen.get("/").text)[1]  # which the cookie gets
    token = {"name": "mine", "scopes": "admin", "csrf": csrf}

    def status(path, base_url="http://localhost", **more):
        return stolen.post(path, data={**token, **more}, base_url=base_url).status_code

    assert status("/tokens") != 403  # who has just signed in needs no script
    monkeypatch.setattr("inkeek.service.http.access.keys.FRESH", timedelta())
    for path in ("/tokens", "/api/v1/tokens", "/welcome/phones", "/mine/device"):
        for proof in ("", session, other, unused, used):
            assert status(path, proof=proof) == 403, (path, proof)
    assert status("/tokens", proof=link) != 403
    assert stolen.post("/games/new", data={**GAME, "csrf": csrf}).status_code == 303  # what is no administration
    stolen.set_cookie("__Host-inkeek", session, domain="localhost", secure=True)
    assert status("/tokens", "https://localhost") != 403


def test_pages_tell_a_browser_that_is_not_signed_in_how_to_join(app, services):
    game = services.games.create("enkeshui", {}, {}, Write("api")).id
    for client in (app.test_client(), signed_in(app, "read")):
        live = client.get(f"/games/{game}/live").text
        assert "data-join-hint" in live
        assert "data-enter" not in live
        for path in ("/games/new?game=enkeshui", "/matches/new?game=oware", "/boards"):
            assert "data-join-hint" in client.get(path).text, path


def test_events_name_the_key_they_came_with(app, services):
    game = with_token(app, "record").post("/api/v1/games", json={**GAME, "by": "Lemayian"}).json["id"]
    signed_in(app).post(f"/api/v1/games/{game}/turns", json={"move": "c"})
    text = '[Game "enkeshui"]\n[Event "Another game"]\n\n1. cx4 *\n'
    imported = json.loads(with_token(app).post("/api/v1/games/import", data=text).text)
    token, browser, importer = services.keys.list()
    events = [event for id in (game, imported["id"]) for event in services.games.load(id).events]
    assert [(event.actor, event.source) for event in events] == [
        ("Lemayian", f"api:tests:{token.id}"),
        ("", f"page:Naisula:{browser.id}"),
        ("", f"import:tests:{importer.id}"),
        ("", f"import:tests:{importer.id}"),
    ]
    assert services.games.integrity(game) == []


def test_a_remote_client_above_the_rate_limit_is_told_when_to_try_again(make):
    app = make(host="0.0.0.0", rate=0.01, rate_burst=2)
    one, other = with_token(app), with_token(app)
    assert [one.get("/api/v1/games").status_code for _ in range(3)] == [200, 200, 429]
    refused = one.get("/api/v1/games")
    assert (refused.content_type, refused.json["type"]) == (MEDIA_TYPE, "/problems/too-many-requests")
    assert 90 <= int(refused.headers["Retry-After"]) <= 100
    assert one.get("/").status_code == 429
    assert one.get("/").headers["Retry-After"]
    assert other.get("/api/v1/games").status_code == 200


def test_guessing_keys_is_limited_by_address(make):
    app = make(host="0.0.0.0", rate=0.01, rate_burst=3)
    guess = {"Authorization": "Bearer ink_t_" + "a" * 43}
    assert [app.test_client().get("/", headers=guess).status_code for _ in range(4)] == [401, 401, 401, 429]
    assert with_token(app).get("/api/v1/games").status_code == 200


def test_this_machine_has_no_rate_limit(make):
    client = make(rate=0.01, rate_burst=1).test_client()
    assert {client.get("/healthz").status_code for _ in range(20)} == {200}


def test_forwarded_headers_count_only_with_the_setting_proxies(make):
    forwarded = {"X-Forwarded-For": "192.0.2.9", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "games.example.org"}
    behind = make(proxies=1, allowed_hosts="games.example.org")
    answer = with_token(behind).get("/api/v1/games", headers=forwarded)
    assert answer.status_code == 200
    assert "Strict-Transport-Security" in answer.headers
    assert with_token(behind).get("/api/v1/games", headers={**forwarded, "X-Forwarded-Host": "x.y"}).status_code == 400
    answer = with_token(make(allowed_hosts="games.example.org")).get("/api/v1/games", headers=forwarded)
    assert answer.status_code == 200
    assert "Strict-Transport-Security" not in answer.headers


def test_a_link_signs_in_once_and_scripts_cannot_read_the_cookie(app, services):
    _, link = services.keys.create(LINK, "Naisula", ("record",), timedelta(minutes=1))
    client = app.test_client()
    page = client.get(f"/sign-in?key={link}")
    assert page.status_code == 200
    assert "Naisula" in page.text
    assert page.headers["Cache-Control"] == "no-store"
    answer = client.post("/sign-in", data={"key": link})
    assert (answer.status_code, answer.location) == (303, "/")
    cookie = answer.headers["Set-Cookie"]
    assert re.match(r"inkeek_80=ink_s_[\w-]{43}; ", cookie)
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert "Path=/" in cookie
    assert "Secure" not in cookie
    assert "/sign-out" in client.get("/").text
    for again in (
        app.test_client().get(f"/sign-in?key={link}"),
        app.test_client().post("/sign-in", data={"key": link}),
    ):
        assert again.status_code == 401
        assert "Set-Cookie" not in again.headers


def test_fetching_a_link_does_not_use_it_up_and_no_other_site_can(app, services):
    """Previews in chats, images of other sites and browsers that look ahead fetch links."""
    _, link = services.keys.create(LINK, "Naisula", ("record",), timedelta(minutes=1))
    for _ in range(3):
        fetched = app.test_client().get(f"/sign-in?key={link}")
        assert (fetched.status_code, "Set-Cookie" in fetched.headers) == (200, False)
    assert app.test_client().head(f"/sign-in?key={link}").status_code == 200
    for foreign in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}):
        assert app.test_client().post("/sign-in", data={"key": link}, headers=foreign).status_code == 403
    assert app.test_client().post("/sign-in", data={"key": link}).status_code == 303


def test_over_tls_the_cookie_is_bound_to_the_host(make):
    app = make()
    keys = services_of(app).keys
    _, link = keys.create(LINK, "x", ("record",), timedelta(minutes=1))
    client = app.test_client()
    cookie = client.post("/sign-in", data={"key": link}, base_url="https://localhost").headers["Set-Cookie"]
    assert cookie.startswith("__Host-inkeek=ink_s_")
    assert "Secure" in cookie
    assert "/sign-out" in client.get("/", base_url="https://localhost").text


def test_signing_out_ends_the_session_for_good(app, services):
    client = signed_in(app)
    cookie = client.get_cookie("inkeek_80").value
    assert client.post("/sign-out").status_code == 303
    assert client.get_cookie("inkeek_80") is None
    assert services.keys.find(cookie, SESSION) is None
    assert app.test_client().post("/sign-out").status_code == 303


def test_a_view_without_a_scope_keeps_the_application_from_starting(tmp_path, monkeypatch):
    from inkeek.service import app as module

    monkeypatch.setattr(module, "LIBRARY_VIEWS", {})
    with pytest.raises(LookupError, match="static"):
        create_app({"data": str(tmp_path)})


class Sent:
    """What an application answered to a request of which it saw the headers, and then perhaps the body."""

    def __init__(self, app: Flask, path: str, secret: str, body: bytes, **headers: str) -> None:
        builder = EnvironBuilder(path, method="POST", headers=headers | {"Authorization": f"Bearer {secret}"})
        self.environ = builder.get_environ() | {"CONTENT_LENGTH": str(len(body))}
        self._app = app
        self._body = body

    def headers(self) -> str:
        """The status of the answer to the headers; empty if they are not refused."""
        return self._status(self.environ | {HEADERS_ONLY: True})

    def whole(self, **more: object) -> str:
        return self._status(self.environ | more | {"wsgi.input": io.BytesIO(self._body)})

    def _status(self, environ: dict[str, object]) -> str:
        statuses: list[str] = []
        app_iter = self._app(environ, lambda status, headers, exc_info=None: statuses.append(status[:3]))
        for _ in app_iter:
            pass
        self.environ |= {name: environ[name] for name in (CALLER, MAX_BODY) if name in environ}
        return "".join(statuses)


def token(app: Flask, *scopes: str) -> tuple[str, str]:
    """The id and the secret of a new token."""
    key, secret = services_of(app).keys.create(TOKEN, "tests", scopes, None)
    return key.id, secret


def test_what_passes_on_its_headers_is_answered_when_the_body_is_there(make):
    app = make(rate=0.001, rate_burst=1, host="0.0.0.0")
    key_id, secret = token(app, "record")
    body = json.dumps(GAME).encode()
    sent = Sent(app, "/api/v1/games", secret, body, **{"Content-Type": "application/json"})
    assert sent.headers() == ""
    assert sent.environ[CALLER].id == key_id
    assert sent.environ[MAX_BODY] == services_of(app).settings.max_body
    assert sent.whole() == "201"  # it counts once
    again = Sent(app, "/api/v1/games", secret, body, **{"Content-Type": "application/json"})
    assert again.headers() == "429"


def test_a_key_that_is_revoked_while_a_body_arrives_stores_nothing(make):
    app = make()
    key_id, secret = token(app, "record")
    sent = Sent(app, "/api/v1/games", secret, json.dumps(GAME).encode(), **{"Content-Type": "application/json"})
    assert sent.headers() == ""
    services_of(app).keys.revoke(key_id)
    assert sent.whole() == "401"


def test_a_body_that_the_server_could_not_read_has_an_answer(make):
    app = make()
    _, secret = token(app, "record")
    sent = Sent(app, "/api/v1/games", secret, b"{}", **{"Content-Type": "application/json"})
    assert sent.headers() == ""
    assert sent.whole(**{REFUSAL: TooSlow("slow")}) == "408"


def test_forms_are_checked_for_their_session_when_they_have_arrived(make):
    app = make()
    browser = signed_in(app, "record", csrf=False)
    form = b"csrf=wrong&text=x"
    sent = Sent(app, "/import", "", form, **{"Content-Type": "application/x-www-form-urlencoded"})
    del sent.environ["HTTP_AUTHORIZATION"]
    sent.environ["HTTP_COOKIE"] = f"inkeek_80={browser.get_cookie('inkeek_80').value}"
    assert sent.headers() == ""
    assert sent.whole() == "403"
