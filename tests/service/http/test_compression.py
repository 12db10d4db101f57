import gzip
import re

import pytest

from inkeek.records.notation.tags import MAX_VALUE
from inkeek.service.http.compression import MIN_SIZE
from tests.service.clients import signed_in

GZIP = {"Accept-Encoding": "gzip, deflate, br"}
TEXTS = (
    "/",
    "/rules/enkeshui",
    "/static/inkeek.css",
    "/static/study/study.js",
    "/docs/swagger-ui.css",
    "/api/v1/rulesets",
    "/api/v1/openapi.json",
)


@pytest.fixture
def game(client) -> str:
    """A game whose JSON and record are long enough."""
    tags = {name: name[0] * MAX_VALUE for name in ("South", "North", "Event", "Site", "Recorder")}
    made = client.post("/api/v1/games", json={"game": "kalah", "tags": tags})
    assert made.status_code == 201, made.text
    return str(made.json["id"])


@pytest.mark.parametrize("path", TEXTS)
def test_texts_are_compressed_for_who_accepts_it(app, path):
    client = app.test_client()
    plain, packed = client.get(path, buffered=True), client.get(path, headers=GZIP)
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert int(packed.headers["Content-Length"]) == len(packed.data) < len(plain.data) / 2
    for answer in (plain, packed):
        assert "Accept-Encoding" in answer.vary
    assert plain.headers.get("ETag") is None or plain.headers["ETag"] != packed.headers["ETag"]


@pytest.mark.parametrize(
    ("accepts", "is_packed"),
    [
        ("", False),
        ("identity", False),
        ("gzip;q=0", False),
        ("br", False),
        ("identity;q=1, gzip;q=0.5", False),
        ("gzip;q=0.5", True),
        ("*", True),
        ("nonsense;;q=x", False),
    ],
)
def test_the_client_decides(client, accepts, is_packed):
    answer = client.get("/", headers={"Accept-Encoding": accepts})
    assert ("Content-Encoding" in answer.headers) is is_packed


def test_short_answers_errors_and_pictures_of_points_stay_as_they_are(client):
    short = client.get("/healthz", headers=GZIP)
    assert (short.status_code, short.headers.get("Content-Encoding")) == (200, None)
    assert len(short.data) < MIN_SIZE
    assert client.get("/docs/favicon-32x32.png", headers=GZIP, buffered=True).headers.get("Content-Encoding") is None


@pytest.mark.parametrize("path", ["/static/inkeek.css", "/api/v1/rulesets"])
def test_what_the_client_has_is_not_sent_again(client, path):
    for headers in ({}, GZIP):
        tag = client.get(path, headers=headers, buffered=True).headers["ETag"]
        again = client.get(path, headers={**GZIP, "If-None-Match": tag}, buffered=True)
        assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)
        assert "Content-Encoding" not in again.headers
        other = client.get(path, headers={**GZIP, "If-None-Match": '"another"'})
        assert other.status_code == 200


def test_the_tag_of_a_compressed_game_guards_a_change(client, game):
    path = f"/api/v1/games/{game}"
    answer = client.get(path, headers=GZIP)
    assert answer.headers["Content-Encoding"] == "gzip"
    tag = answer.headers["ETag"]
    assert client.get(path, headers={**GZIP, "If-None-Match": tag}).status_code == 304
    played = client.post(f"{path}/turns", json={"move": "c"}, headers={"If-Match": tag})
    assert played.status_code == 201
    assert client.get(path, headers={**GZIP, "If-None-Match": tag}).status_code == 200
    assert client.post(f"{path}/turns", json={"move": "D"}, headers={"If-Match": tag}).status_code == 412


def test_a_record_is_compressed_too(client, game):
    packed = client.get(f"/api/v1/games/{game}.pmn", headers=GZIP)
    assert gzip.decompress(packed.data) == client.get(f"/api/v1/games/{game}.pmn").data


def test_a_head_has_the_headers_of_the_compressed_response(client):
    got, head = client.get("/api/v1/rulesets", headers=GZIP), client.head("/api/v1/rulesets", headers=GZIP)
    for name in ("Content-Encoding", "Content-Length", "ETag"):
        assert head.headers[name] == got.headers[name]
    assert head.data == b""


def test_a_live_stream_is_not_compressed_and_sends_each_event_at_once(client, game):
    path = f"/api/v1/games/{game}"
    answer = client.get(f"{path}/events?after=0", headers={**GZIP, "Accept": "text/event-stream"}, buffered=False)
    assert "Content-Encoding" not in answer.headers
    parts = iter(answer.response)
    for kind, following in (("created", "c"), ("turn", None)):
        assert any(f"event: {kind}".encode() in part for part in parts)
        if following:
            assert client.post(f"{path}/turns", json={"move": following}).status_code == 201
    answer.close()


def test_stored_events_are_a_plain_stream(client, game):
    answer = client.get(f"/api/v1/games/{game}/events", headers={**GZIP, "Accept": "application/x-ndjson"})
    assert "Content-Encoding" not in answer.headers
    assert b"created" in answer.data


def test_an_export_is_a_plain_stream(client, game):
    for suffix in ("ndjson", "pmn"):
        answer = client.get(f"/api/v1/games/export.{suffix}", headers=GZIP)
        assert "Content-Encoding" not in answer.headers
        assert answer.data


def test_a_compressed_page_with_an_echo_has_no_secret_that_stays_the_same(app):
    """Else the length of the answer would give it away digit by digit (BREACH)."""
    client = signed_in(app, csrf=False)
    tokens = [re.search(r'name="csrf" value="(\w{64})"', client.get("/games?player=echo").text)[1] for _ in range(2)]
    assert tokens[0][:16] != tokens[1][:16]
    assert tokens[0][16:] != tokens[1][16:]
    for token in tokens:
        assert client.post("/games/new", data={"game": "kalah", "csrf": token}).status_code == 303
