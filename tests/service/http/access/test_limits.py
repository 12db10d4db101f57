"""Limited keys, through the Flask client: they use what their limit covers, and nothing else."""

import json

import pytest

from inkeek.service.http.access.scopes import SCOPES
from inkeek.service.storage import Limit
from tests.service.clients import with_token

API = "/api/v1"
AFAR = {"REMOTE_ADDR": "192.0.2.9"}  # where reading needs a key
HERE, THERE = "Narok Open", "Kajiado Cup"
BUT_ADMIN = tuple(scope for scope in SCOPES if scope != "admin")


@pytest.fixture
def places(client):
    """What stands in paths, for each of two events: a match, a far board that plays its first game, and a dispute."""

    def fill(event):
        match = client.post(f"{API}/matches", json={"game": "oware", "title": "games 2", "tags": {"Event": event}})
        game = match.json["id"]
        client.post(f"{API}/games/{game}/turns", json={"move": "a"})
        claim = {"side": "North", "claim": "no"}
        dispute = client.post(f"{API}/games/{game}/disputes", json=claim).json["id"]
        far = {"port": f"far:{event}", "driver": "far", "game": game}
        board = client.post(f"{API}/boards", json=far).json["id"]
        return {"game_id": game, "match_id": game, "board_id": board, "dispute_id": dispute}

    return {event: fill(event) for event in (HERE, THERE)}


@pytest.fixture
def limits(places):
    """A limit of each kind to what is in the first event."""
    game = places[HERE]["game_id"]
    return {"game": Limit("game", game), "match": Limit("match", game), "event": Limit("event", HERE.upper())}


def limited(app, limit, *scopes):
    client = with_token(app, *(scopes or BUT_ADMIN), limit=limit)
    client.environ_base.update(AFAR)
    return client


@pytest.mark.parametrize("kind", ["game", "match", "event"])
def test_lists_and_exports_hold_what_is_within_the_limit(app, client, places, limits, kind):
    client.environ_base.update(AFAR)
    mine = limited(app, limits[kind])
    inside = {name: places[HERE][name] for name in places[HERE]}
    for path, name in (
        ("games", "game_id"),
        ("matches", "match_id"),
        ("disputes", "dispute_id"),
        ("boards", "board_id"),
    ):
        assert len(client.get(f"{API}/{path}").json["items"]) == 2
        found = [item["id"] for item in mine.get(f"{API}/{path}").json["items"]]
        assert found == ([] if (kind, path) == ("game", "matches") else [inside[name]]), path
    assert [json.loads(line)["id"] for line in mine.get(f"{API}/games/export.ndjson").text.splitlines()] == [
        inside["game_id"]
    ]
    assert mine.get(f"{API}/games/export.pmn").text.count("[Game ") == 1
    assert mine.get(f"{API}/games?event={THERE}").json["items"] == []


def test_where_reading_is_open_it_has_no_limit_and_writing_has(app, places):
    client = with_token(app, "record", limit=Limit("event", HERE))
    game = places[THERE]["game_id"]
    assert client.get(f"{API}/games/{game}").status_code == 200
    assert len(client.get(f"{API}/games").json["items"]) == 2
    assert client.post(f"{API}/games/{game}/turns", json={"move": "a"}).status_code == 404


def test_a_token_for_an_event_creates_games_of_that_event_only(app, services):
    client = limited(app, Limit("event", HERE), "record")
    for tags in ({}, {"Event": THERE}, {"Event": ""}):
        answer = client.post(f"{API}/games", json={"game": "enkeshui", "tags": tags})
        assert (answer.status_code, answer.json["type"]) == (403, "/problems/outside-limit")
        begun = client.post(f"{API}/matches", json={"game": "oware", "title": "games 2", "tags": tags})
        assert begun.status_code == 403
    assert services.games.page(9) == ([], None)
    tags = {"Event": f"  {HERE.lower()} "}
    assert client.post(f"{API}/games", json={"game": "enkeshui", "tags": tags}).status_code == 201
    assert client.post(f"{API}/matches", json={"game": "oware", "title": "games 2", "tags": tags}).status_code == 201


@pytest.mark.parametrize("kind", ["game", "match"])
def test_a_token_for_a_game_or_a_match_creates_no_other_game(app, limits, kind):
    client = limited(app, limits[kind], "record")
    answer = client.post(f"{API}/games", json={"game": "enkeshui"})
    assert (answer.status_code, answer.json["type"]) == (403, "/problems/outside-limit")
    assert str(limits[kind]) in answer.json["detail"]
    assert client.post(f"{API}/matches", json={"game": "oware", "title": "games 2"}).status_code == 403


def test_a_token_for_a_match_begins_its_next_game_and_one_for_its_first_game_does_not(app, places, limits):
    match = places[HERE]["match_id"]
    path = f"{API}/matches/{match}/games"
    mine = limited(app, limits["match"], "record")
    assert mine.post(path, json={}).status_code == 409  # the first one is not over
    ruling = f"{API}/disputes/{places[HERE]['dispute_id']}/ruling"
    assert limited(app, limits["match"], "arbiter").post(ruling, json={"outcome": "stands"}).status_code == 201
    assert (
        mine.post(f"{API}/games/{match}/end", json={"termination": "resignation", "winner": "South"}).status_code == 200
    )
    assert limited(app, limits["game"], "record").post(path, json={}).status_code == 404
    tags = {"Event": THERE}
    assert limited(app, limits["event"], "record").post(path, json={"tags": tags}).status_code == 403
    following = mine.post(path, json={})
    assert following.status_code == 201
    assert mine.get(f"{API}/games/{following.json['id']}").status_code == 200


def test_a_token_for_an_event_moves_no_game_out_of_it_or_into_it(app, places, services):
    client = limited(app, Limit("event", HERE), "record")
    inside, outside = (places[event]["game_id"] for event in (HERE, THERE))
    for value in (THERE, None):
        assert client.patch(f"{API}/games/{inside}", json={"tags": {"Event": value}}).status_code == 403
    assert client.patch(f"{API}/games/{outside}", json={"tags": {"Event": HERE}}).status_code == 404
    assert [services.games.row(game).tags["Event"] for game in (inside, outside)] == [HERE, THERE]
    assert client.patch(f"{API}/games/{inside}", json={"tags": {"Site": "Narok"}}).status_code == 200


@pytest.mark.parametrize("kind", ["game", "match"])
def test_a_token_for_a_game_or_a_match_does_not_change_where_it_counts(app, client, services, kind):
    """Or the result of its game would count in another event, or for another player."""
    tags = {"Event": HERE, "South": "Naisula", "North": "Lemayian"}
    game = client.post(f"{API}/games", json={"game": "oware", "tags": tags}).json["id"]
    match = client.post(f"{API}/matches", json={"game": "oware", "title": "games 2", "tags": tags}).json["id"]
    mine = limited(app, Limit("game", game) if kind == "game" else Limit("match", match), "record")
    path = f"{API}/games/{game if kind == 'game' else match}"
    for name, value in (("Event", THERE), ("Event", None), ("Round", "2"), ("South", "Lemayian"), ("North", None)):
        if not (kind == "match" and name in ("South", "North")):  # which nobody changes
            answer = mine.patch(path, json={"tags": {name: value}})
            assert (answer.status_code, answer.json["type"]) == (403, "/problems/outside-limit"), name
            assert name in answer.json["detail"]
    answer = mine.patch(path, json={"tags": {"Event": HERE, "Site": "Narok", "Recorder": "Nasieku"}})
    assert answer.status_code == 200
    assert answer.json["tags"].items() >= {**tags, "Site": "Narok"}.items()


def test_a_token_for_a_match_begins_its_next_game_where_the_match_counts(app, client):
    tags = {"Event": HERE, "South": "Naisula", "North": "Lemayian"}
    match = client.post(f"{API}/matches", json={"game": "oware", "title": "games 2", "tags": tags}).json["id"]
    end = {"termination": "resignation", "winner": "South"}
    mine = limited(app, Limit("match", match), "record")
    assert mine.post(f"{API}/games/{match}/end", json=end).status_code == 200
    for wrong in ({"Event": THERE}, {"Event": ""}, {"Round": "2"}, {"South": "Nasieku"}):
        answer = mine.post(f"{API}/matches/{match}/games", json={"tags": wrong})
        assert (answer.status_code, answer.json["type"]) == (403, "/problems/outside-limit"), wrong
    answer = mine.post(f"{API}/matches/{match}/games", json={"tags": {"Board": "7"}})
    assert (answer.status_code, answer.json["tags"]["Event"]) == (201, HERE)


def test_an_import_stores_only_the_games_within_the_limit(app, services):
    client = limited(app, Limit("event", HERE), "record")
    text = "".join(f'[Game "enkeshui"]\n[Event "{event}"]\n\n1. cx4 *\n\n' for event in (THERE, HERE))
    answer = client.post(f"{API}/games/import", data=text, content_type="application/x-mancala-pmn")
    assert [json.loads(line)["ok"] for line in answer.text.splitlines()] == [False, True]
    assert [row.tags["Event"] for row in services.games.page(9)[0]] == [HERE]


def test_a_board_is_bound_only_to_a_game_within_the_limit(app, client):
    games = {
        event: client.post(f"{API}/games", json={"game": "enkeshui", "tags": {"Event": event}}).json["id"]
        for event in (HERE, THERE)
    }
    mine = limited(app, Limit("event", HERE), "attach")
    far = {"port": "far:bench", "driver": "far"}
    assert mine.post(f"{API}/boards", json={**far, "game": games[THERE]}).status_code == 404
    bound = mine.post(f"{API}/boards", json={**far, "game": games[HERE]})
    assert bound.status_code == 201
    other = {"port": "far:there", "driver": "far", "serial": "B-1", "game": games[THERE]}
    assert client.post(f"{API}/boards", json=other).status_code == 201
    # A number takes nothing from the other: far boards keep nobody out.
    assert mine.patch(f"{API}/boards/{bound.json['id']}", json={"serial": "B-1"}).status_code == 200
    assert mine.patch(f"{API}/boards/{bound.json['id']}", json={"serial": "B-2"}).status_code == 200


@pytest.mark.parametrize("port", ["socket://127.0.0.1:5432", "rfc2217://127.0.0.1:1", "/dev/tty"])
def test_a_limited_key_opens_no_port_that_is_not_a_serial_one(app, places, limits, port):
    """Behind it could be any program of the machine or its network, whose answers the board's page would show."""
    for limit in limits.values():
        board = {"port": port, "driver": "inkeek", "game": places[HERE]["game_id"]}
        answer = limited(app, limit, "board").post(f"{API}/boards", json=board)
        assert (answer.status_code, answer.json["type"]) == (403, "/problems/outside-limit")


def test_what_is_not_about_games_is_readable(app, limits):
    client = limited(app, limits["game"], "read")
    for path in ("rulesets", "rulesets/oware", "drivers", "openapi.json", "tokens/current"):
        assert client.get(f"{API}/{path}").status_code == 200, path
    assert client.get("/readyz").status_code == 200
    for path in ("nothing", "boards/all/events"):
        assert client.get(f"{API}/{path}").status_code == 404
