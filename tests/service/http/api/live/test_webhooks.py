"""Webhooks by the API: who may have which, and what is refused."""

import pytest

from service.jobs.webhooks.webhooks import MOST_OF_KEY
from service.storage import Limit
from tests.service.clients import signed_in, with_token

HOOKS = "/api/v1/webhooks"
HERE = "https://tally.example/inkeek"


def make(client, **body):
    return client.post(HOOKS, json={"url": HERE, **body})


@pytest.fixture
def reader(app):
    return with_token(app, "read")


def test_a_token_makes_sees_tests_and_removes_its_own_webhooks(app, reader, client):
    made = make(reader, kinds=["turn"])
    assert made.status_code == 201
    assert made.json["secret"].startswith("whsec_")
    hook = made.json["id"]
    (listed,) = reader.get(HOOKS).json["items"]
    assert (listed["id"], listed["kinds"], "secret" in listed) == (hook, ["turn"], False)
    assert reader.post(f"{HOOKS}/{hook}/test").status_code == 202
    (test,) = reader.get(f"{HOOKS}/{hook}/deliveries?state=queued").json["items"]
    assert (test["kind"], test["cursor"]) == ("test", None)
    changed = reader.patch(f"{HOOKS}/{hook}", json={"url": f"{HERE}/2", "kinds": []})
    assert changed.json == reader.get(f"{HOOKS}/{hook}").json == {**listed, "url": f"{HERE}/2", "kinds": []}
    assert reader.patch(f"{HOOKS}/{hook}", json={"url": "http://tally.example/"}).status_code == 422
    assert reader.patch(f"{HOOKS}/{hook}", json={"kinds": ["turn"]}).json == {**listed, "url": f"{HERE}/2"}
    other = with_token(app, "read")
    assert other.get(HOOKS).json["items"] == []
    for answer in (
        other.get(f"{HOOKS}/{hook}"),
        other.patch(f"{HOOKS}/{hook}", json={"kinds": []}),
        other.delete(f"{HOOKS}/{hook}"),
        other.post(f"{HOOKS}/{hook}/test"),
        other.get(f"{HOOKS}/{hook}/deliveries"),
        other.post(f"{HOOKS}/{hook}/redelivery", json={}),
    ):
        assert answer.status_code == 404
    assert [one["id"] for one in client.get(HOOKS).json["items"]] == [hook]  # an administrator
    assert reader.post(f"{HOOKS}/{hook}/redelivery", json={}).json == {"queued": 0}
    assert reader.post(f"{HOOKS}/{hook}/redelivery", json={"cursor": "7.1"}).status_code == 404
    assert reader.delete(f"{HOOKS}/{hook}").status_code == 204
    assert reader.get(HOOKS).json["items"] == []


@pytest.mark.parametrize(
    "url",
    ["http://tally.example/", "ftp://tally.example/", "https://user@tally.example/", "https:///x", "https://a:b/", "https://x.example/#f"],
)  # fmt: skip
def test_addresses_that_cannot_be_reached_safely_are_refused(reader, url):
    assert make(reader, url=url).status_code == 422


def test_a_secret_that_was_replaced_makes_no_webhook(reader):
    me = reader.get("/api/v1/tokens/current").json["id"]
    assert reader.post(f"/api/v1/tokens/{me}/rotation", json={"grace": 60}).status_code == 201
    assert reader.get(HOOKS).status_code == 200  # it still reads
    assert make(reader).status_code == 403


def test_a_browser_has_no_webhooks(app):
    assert make(signed_in(app, "admin")).status_code == 403


def test_webhooks_of_a_token_are_bounded(reader):
    assert [make(reader).status_code for _ in range(MOST_OF_KEY + 1)] == [201] * MOST_OF_KEY + [422]


def test_a_limited_token_names_nothing_outside_its_limit(app, client):
    games = [
        client.post("/api/v1/games", json={"game": "oware", "tags": {"Event": event}}).json["id"]
        for event in ("Cup", "Other")
    ]
    limited = with_token(app, "read", limit=Limit("event", "Cup"))
    assert [make(limited, game_id=game).status_code for game in games] == [201, 404]
    assert [make(limited, event=event).status_code for event in ("cup", "Other")] == [201, 404]
