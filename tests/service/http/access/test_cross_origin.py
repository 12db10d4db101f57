"""Requests that pages of other origins send to the API, through the Flask client."""

import pytest

from inkeek.service.http.access.guard import REQUEST_HEADERS, RESPONSE_HEADERS
from inkeek.service.http.api import openapi
from inkeek.service.http.context import services_of
from tests.service.clients import signed_in, with_token

APP, OTHER = "https://app.example", "https://other.example"
ORIGINS = (APP, "capacitor://localhost", "null")
GAMES = "/api/v1/games"
ALLOWED = "Access-Control-Allow-Origin"


@pytest.fixture
def open_app(make):
    return make(allowed_origins=", ".join(ORIGINS))


def access_control(answer):
    return {name for name, _ in answer.headers if name.startswith("Access-Control-")}


@pytest.mark.parametrize("origin", ORIGINS)
def test_a_page_of_an_allowed_origin_uses_the_api_with_a_token(open_app, origin):
    client = with_token(open_app)
    sent = {"headers": {"Origin": origin, "Sec-Fetch-Site": "cross-site"}}
    made = client.post(GAMES, json={"game": "oware"}, **sent)
    found = client.get(made.headers["Location"], **sent)
    refused = client.post(f"{GAMES}/{made.json['id']}/turns", json={"move": "z"}, **sent)
    again = client.get(made.headers["Location"], headers={**sent["headers"], "If-None-Match": found.headers["ETag"]})
    assert [answer.status_code for answer in (made, found, refused, again)] == [201, 200, 422, 304]
    for answer in (made, found, refused, again):
        assert answer.headers[ALLOWED] == origin
        assert "Access-Control-Allow-Credentials" not in answer.headers
        assert "Origin" in ", ".join(answer.headers.getlist("Vary"))


def test_a_preflight_request_names_what_the_route_takes(open_app):
    asked = {"Origin": APP, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    answer = open_app.test_client().options(GAMES, headers=asked, environ_base={"REMOTE_ADDR": "192.0.2.9"})
    assert (answer.status_code, answer.headers[ALLOWED]) == (204, APP)
    methods = set(answer.headers["Access-Control-Allow-Methods"].split(", "))
    assert methods == set(answer.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS", "POST"}
    assert "Authorization" in answer.headers["Access-Control-Allow-Headers"]
    assert int(answer.headers["Access-Control-Max-Age"]) > 0


def test_all_headers_of_the_document_may_be_sent_and_read(open_app):
    assert {parameter["name"] for parameter in openapi.PARAMETERS} <= set(REQUEST_HEADERS.split(", "))
    assert openapi.HEADERS.keys() <= set(RESPONSE_HEADERS.split(", "))


def test_no_other_origin_is_let_in(open_app, make):
    for app, origin in ((open_app, OTHER), (open_app, f"{APP}.evil.example"), (make(), APP), (make(), "null")):
        client = with_token(app)
        sent = {"headers": {"Origin": origin}}
        answers = [client.get(GAMES, **sent), client.options(GAMES, **sent), client.get(f"{GAMES}/none", **sent)]
        assert [access_control(answer) for answer in answers] == [set()] * 3
        assert client.post(GAMES, json={"game": "oware"}, **sent).status_code == 403


def test_caches_keep_answers_apart_by_origin(open_app):
    assert "Origin" in ", ".join(with_token(open_app).get(GAMES).headers.getlist("Vary"))


def test_pages_are_not_opened(open_app):
    client = with_token(open_app)
    for path in ("/", "/games", "/static/base.css", "/nothing"):
        assert access_control(client.get(path, headers={"Origin": APP})) == set(), path
        assert access_control(client.options(path, headers={"Origin": APP})) == set(), path
    assert signed_in(open_app).post("/games/new", data={"game": "oware"}, headers={"Origin": APP}).status_code == 403


@pytest.mark.parametrize("csrf", [True, False])
def test_a_cookie_never_crosses(open_app, csrf):
    browser = signed_in(open_app, "admin", csrf=csrf)
    assert browser.get("/api/v1/tokens", headers={"Origin": APP}).status_code == 401
    assert browser.post(GAMES, json={"game": "oware"}, headers={"Origin": APP}).status_code == 401
    assert browser.get("/api/v1/tokens").status_code == 200


def test_a_page_elsewhere_is_not_this_machine(open_app):
    client = open_app.test_client()
    assert client.get(GAMES).status_code == 200
    refused = client.get(GAMES, headers={"Origin": APP})
    assert (refused.status_code, refused.headers[ALLOWED]) == (401, APP)
    assert client.get(GAMES, headers={"Origin": "http://localhost"}).status_code == 200  # our own


def test_anyone_who_may_watch_may_do_so_from_a_page_elsewhere(open_app):
    services_of(open_app).keys.let_anyone_watch(True)
    assert open_app.test_client().get(GAMES, headers={"Origin": APP}).status_code == 200


def test_what_is_left_of_the_rate_is_said_where_there_is_one(make):
    remote = with_token(make(host="0.0.0.0", rate=0.5, rate_burst=3, allowed_origins=APP))
    answers = [remote.get(GAMES, headers={"Origin": APP}) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert {answer.headers["RateLimit-Policy"] for answer in answers} == {'"requests";q=3;w=6'}
    assert [answer.headers["RateLimit"].split(";t=")[0] for answer in answers] == [
        f'"requests";r={left}' for left in (2, 1, 0, 0)
    ]
    assert answers[-1].headers[ALLOWED] == APP
    assert int(answers[-1].headers["Retry-After"]) in (1, 2)
    for free in (make(), make(host="0.0.0.0", rate=0)):
        assert "RateLimit" not in with_token(free).get(GAMES).headers
