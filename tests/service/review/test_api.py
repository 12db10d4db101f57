import json

import pytest

from tests.service.clients import with_token

LINE = {"plies": [{"move": "d"}]}


@pytest.fixture
def game(client):
    """The path of a game with one turn."""
    path = "/api/v1/games/" + client.post("/api/v1/games", json={"game": "enkeshui", "options": {"pits": 8}}).json["id"]
    client.post(f"{path}/turns", json={"move": "c"})
    return path


def change(client, game, **body):
    return client.post(f"{game}/annotations", json=body)


def added(client, game, **values):
    """The annotation that was added."""
    answer = change(client, game, add=[values], by="Nasieku")
    assert answer.status_code == 200, answer.text
    return answer.json["items"][0]


def test_annotations_are_added_listed_changed_and_removed(client, game):
    answer = change(
        client,
        game,
        add=[{"ply": 0, "comment": "before"}, {"ply": 1, "nag": 3}, {"ply": 1, "variation": LINE}],
        by="Nasieku",
    )
    assert (answer.status_code, answer.json["seq"]) == (200, 3)
    comment, nag, variation = answer.json["items"]
    assert (comment["ply"], comment["comment"], comment["nag"], comment["by"]) == (0, "before", None, "Nasieku")
    assert nag["nag"] == 3
    assert variation["variation"]["plies"][0]["move"][0] == "d"
    listed = client.get(f"{game}/annotations")
    assert listed.json["items"] == [comment, nag, variation]
    changed = change(
        client,
        game,
        change=[{"id": comment["id"], "comment": "long before", "seq": comment["seq"]}],
        remove=[{"id": nag["id"]}],
    )
    assert [one["comment"] for one in changed.json["items"]] == ["long before"]
    assert [one["id"] for one in client.get(f"{game}/annotations").json["items"]] == [comment["id"], variation["id"]]


def test_annotations_show_in_turns_replay_record_and_events(client, game):
    added(client, game, ply=0, comment="before")
    added(client, game, ply=1, nag=1)
    added(client, game, ply=1, comment="[%value 2.5]")
    variation = added(client, game, ply=1, variation=LINE)["variation"]
    (turn,) = client.get(f"{game}/turns").json["items"]
    assert (turn["nags"], turn["comments"], turn["variations"]) == ([1], ["[%value 2.5]"], [variation])
    assert client.get(f"{game}/replay").json["comments"] == ["before"]
    text = client.get(f"{game}.pmn").text
    assert "{before} 1. c" in text
    assert "{[%value 2.5]} ( 1. d" in text
    assert "[%value 2.5]" in client.get("/api/v1/games/export.ndjson").text
    events = client.get(f"{game}/events?format=ndjson").text.splitlines()
    assert len(events) == 6
    assert json.loads(events[-1])["kind"] == "annotations"


def test_the_etag_of_the_game_is_a_precondition_and_changes(client, game):
    etag = client.get(game).headers["ETag"]
    headers = {"If-Match": etag}
    first = client.post(f"{game}/annotations", json={"add": [{"ply": 1, "nag": 1}]}, headers=headers)
    assert first.status_code == 200
    assert client.get(game).headers["ETag"] != etag
    second = client.post(f"{game}/annotations", json={"add": [{"ply": 1, "nag": 1}]}, headers=headers)
    assert (second.status_code, second.json["type"], second.json["current"]["seq"]) == (412, "/problems/stale", 3)
    headers = {"If-Match": client.get(f"{game}/annotations").headers["ETag"]}
    third = client.post(f"{game}/annotations", json={"add": [{"ply": 1, "nag": 1}]}, headers=headers)
    assert third.status_code == 200


def test_only_author_and_arbiter_change_an_annotation(app, client, game):
    desk = with_token(app, "record")
    mine = added(client, game, ply=1, comment="mine")
    assert change(desk, game, remove=[{"id": mine["id"]}]).status_code == 200  # a key of the same name
    mine = added(client, game, ply=1, comment="mine")
    guest, arbiter = (with_token(app, *scopes, name="guest") for scopes in (("record",), ("record", "arbiter")))
    refused = change(guest, game, change=[{"id": mine["id"], "comment": "theirs"}])
    assert (refused.status_code, refused.json["type"]) == (403, "/problems/forbidden")
    assert change(arbiter, game, change=[{"id": mine["id"], "comment": "theirs"}]).status_code == 200
