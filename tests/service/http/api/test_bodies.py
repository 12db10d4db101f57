import json

import pytest
from flask import request
from marshmallow import Schema, fields, validate
from werkzeug.exceptions import BadRequest

from inkeek.service.errors import InvalidFields
from inkeek.service.http.api.bodies import MAX_NAMES, load_body, read_json
from inkeek.service.http.language import error_text


def refusal(app, names: list[str]) -> str:
    """Why an object with these names is refused."""
    body = "{" + ",".join(f'"{name}":1' for name in names) + "}"
    with app.test_request_context("/api/v1/jobs", method="POST", data=body):
        request.max_content_length = len(body) + 1
        with pytest.raises(BadRequest) as refused:
            read_json(request)
    return str(refused.value.description)


@pytest.mark.parametrize(
    ("path", "body", "pointer"),
    [
        ("/paper", {"game": "bof", "text": "1. a \ud800"}, "/text"),
        ("/jobs", {"games": ["\udfff"]}, "/games/0"),
        ("/boards", {"port": "far:x", "driver": "far", "game": "\ud800"}, "/game"),
    ],
)
def test_half_of_a_surrogate_pair_is_refused_with_its_place(client, path, body, pointer):
    answer = client.post(f"/api/v1{path}", json=body)
    assert (answer.status_code, [error["pointer"] for error in answer.json["errors"]]) == (422, [pointer])


def test_a_name_that_stands_twice_is_quoted(app):
    names = [f"{number:x}" for number in range(MAX_NAMES - 1)]
    assert repr(names[-1]) in refusal(app, [*names, names[-1]])


def test_an_object_with_very_many_names_is_refused_as_one(app):
    assert "1150 names" in refusal(app, [f"{number:x}" for number in range(1150)])


def test_a_parameter_that_is_given_twice_is_quoted(client):
    answer = client.get("/api/v1/games?sort=created&sort=-created&limit=2")
    assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (422, "sort")
    assert 'sort is "created"' in answer.json["detail"]
    assert "'-created'" in answer.json["detail"]


@pytest.mark.parametrize(
    ("path", "accept", "given"),
    [
        ("/games", "text/html", "application/json"),
        ("/games", "text/html, */*;q=0.1", None),
        ("/games", "application/*", None),
        ("/games/export", "application/json", "application/x-ndjson, application/x-mancala-pmn"),
        ("/games/export.pmn", "application/x-ndjson", "application/x-mancala-pmn"),
        ("/feed?format=ndjson", "application/json", None),
        ("/feed", "application/json", "text/event-stream, application/x-ndjson"),
    ],
)
def test_what_a_client_does_not_accept_is_refused_with_what_can_be_given(client, path, accept, given):
    with client.get(f"/api/v1{path}", headers={"Accept": accept}) as answer:
        assert answer.status_code == (406 if given else 200)
        if given:
            assert (answer.json["type"], given in answer.json["detail"]) == ("/problems/not-acceptable", True)


def test_a_filter_that_is_given_more_than_once_means_any_of(client):
    games = [client.post("/api/v1/games", json={"game": game}).json["id"] for game in ("bof", "oware", "kalah")]
    client.post(f"/api/v1/games/{games[0]}/end", json={"termination": "agreement"})
    for query, found in (
        ("state=live&state=ended", games[::-1]),
        ("game=bof&game=oware&limit=1", [games[1], games[0]]),
        ("game=bof&game=oware&state=live", [games[1]]),
    ):
        listed, following = [], f"/api/v1/games?{query}"
        while following:
            answer = client.get(following)
            listed += [game["id"] for game in answer.json["items"]]
            following = answer.headers.get("Link", "").partition(">")[0].removeprefix("<")
        assert listed == found, query
    lines = client.get("/api/v1/feed?format=ndjson&game=bof&game=kalah").text.splitlines()[:-1]
    assert {json.loads(line)["game_id"] for line in lines} == {games[0], games[2]}
    exported = client.get("/api/v1/games/export?updated_since=2020-01-01").text.splitlines()
    assert {json.loads(line)["id"] for line in exported} == set(games)
    rest = client.get(f"/api/v1/games/export?updated_since=2020-01-01&cursor={json.loads(exported[1])['cursor']}")
    assert rest.text.splitlines() == exported[2:]
    assert client.get("/api/v1/games?" + "&".join(["state=live"] * 21)).status_code == 422


def test_pages_translate_what_is_wrong_with_a_value_and_keep_its_bounds(app):
    """The Swahili texts have the same numbers and words."""
    schema = Schema.from_dict(
        {
            "most": fields.Integer(validate=validate.Range(1, 9)),
            "side": fields.String(validate=validate.OneOf(("South", "North"))),
            "name": fields.String(validate=validate.Length(1, 60)),
        }
    )()
    with pytest.raises(InvalidFields) as refused:
        load_body(schema, {"most": 10, "side": "East", "name": ""})
    with app.test_request_context("/?lang=sw"):
        said = str(error_text(refused.value))
    assert "Must be" not in said
    assert "Length" not in said
    assert all(part in said for part in ("10", "9", "East", "South, North", "60"))
