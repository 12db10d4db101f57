from concurrent.futures import ThreadPoolExecutor

import pytest

from inkeek.service.http.access.caller import TOKEN
from inkeek.service.http.names import name_id
from tests.service.clients import with_token

API = "/api/v1"
PLAN = f"{API}/events/{name_id('saturday cup')}"
BODY = {
    "name": "Saturday Cup",
    "games": [{"game": "bof"}],
    "players": [{"name": name} for name in ("Nasieku", "Koinet", "Lemayian", "Hawo")],
    "format": "all",
}


@pytest.fixture
def cup(client):
    answer = client.post(f"{API}/events", json=BODY)
    assert (answer.status_code, answer.headers["Location"]) == (201, f"{PLAN}/plan")
    return client


def test_an_event_is_listed_before_its_games(cup):
    assert [one["name"] for one in cup.get(f"{API}/events").json["items"]] == ["Saturday Cup"]
    assert cup.get(PLAN).json["games"] == 0
    assert [one["player"]["name"] for one in cup.get(f"{PLAN}/standings").json["items"]] == [
        "Hawo",
        "Koinet",
        "Lemayian",
        "Nasieku",
    ]
    assert cup.post(f"{API}/events", json=BODY).status_code == 409
    assert cup.get(f"{API}/events/{name_id('none')}/plan").status_code == 404


def test_of_several_results_for_the_plan_that_all_have_seen_one_is_stored(app, cup):
    """What ``If-Match`` says is compared in the transaction that writes."""
    cup.post(f"{PLAN}/rounds", json={})
    seen = {"If-Match": cup.get(f"{PLAN}/plan").headers["ETag"]}
    clients = [with_token(app) for _ in range(6)]

    def tap(client, result):
        return client.patch(f"{PLAN}/rounds/1/tables/1", json={"result": result}, headers=seen).status_code

    with ThreadPoolExecutor() as pool:
        statuses = [*pool.map(tap, clients, 3 * ["1-0", "0-1"])]
    assert sorted(statuses) == [200, *5 * [412]]


def test_rounds_results_and_exports(cup):
    pairings = cup.post(f"{PLAN}/rounds", json={"by": "Hawo"}).json["rounds"][0]["pairings"]
    assert [(one["south"], one["north"], one["points"]) for one in pairings] == [(1, 4, None), (2, 3, None)]
    game = cup.get(f"{API}/games/{pairings[0]['game']}").json
    assert (game["tags"]["Event"], game["tags"]["Board"]) == ("Saturday Cup", "1")
    changed = cup.patch(f"{PLAN}/rounds/1/tables/1", json={"result": "north"}).json
    assert changed["rounds"][0]["pairings"][0]["points"] == [0, 1]
    changed = cup.patch(f"{PLAN}/rounds/1/tables/2", json={"south": 3, "north": 2}).json
    assert changed["rounds"][0]["pairings"][1]["south"] == 3
    assert cup.patch(f"{PLAN}/rounds/1/tables/9", json={"result": ""}).status_code == 404
    standings = cup.get(f"{PLAN}/standings").json
    assert (standings["items"][0]["player"]["name"], standings["items"][0]["points"]) == ("Hawo", 1)
    assert len(standings["items"][0]["tie_breaks"]) == len(standings["tie_breaks"])
    assert cup.get(f"{PLAN}/standings?game=oware").json["items"] == []
    for path, first in (("standings.csv", "rank,"), ("pairings.csv", "round,"), ("tournament.trf", "012 Sat")):
        assert cup.get(f"{PLAN}/{path}").text.startswith(first)


def test_teams_have_standings_and_a_table(cup):
    players = [{"name": name, "team": team} for name, team in zip("PQRS", "ABAB", strict=True)]
    body = {"name": "Teams", "games": [{"game": "bof"}], "players": players, "format": "teams", "planned_rounds": 1}
    teams = cup.post(f"{API}/events", json=body).headers["Location"].removesuffix("/plan")
    assert cup.post(f"{teams}/rounds", json={}).status_code == 201
    found = cup.get(f"{teams}/standings").json
    assert ([one["team"] for one in found["teams"]], found["finished"]) == (["A", "B"], False)
    for table in (1, 2):
        cup.patch(f"{teams}/rounds/1/tables/{table}", json={"result": "south"})
    found = cup.get(f"{teams}/standings").json
    assert [(one["points"], one["boards"]) for one in found["teams"]] == [(1, 1), (1, 1)]
    assert found["finished"]
    assert len(found["teams"][0]["tie_breaks"]) == len(found["team_tie_breaks"])
    assert cup.get(f"{teams}/standings.csv?of=teams").text.startswith("rank,team,")
    assert cup.get(f"{PLAN}/standings").json["teams"] == []


def test_only_who_may_open_ports_says_which_board_stands_at_a_table(app, cup, services):
    boards = [{"table": 1, "port": "socket://127.0.0.1:7001", "serial": "B-1"}]
    arbiter = app.test_client()
    arbiter.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {services.keys.create(TOKEN, 'Hawo', ('arbiter',), None)[1]}"
    assert arbiter.patch(f"{PLAN}/plan", json={"boards": boards}).status_code == 403
    assert cup.patch(f"{PLAN}/plan", json={"boards": boards}).json["boards"][0]["driver"] == "inkeek"
    assert arbiter.patch(f"{PLAN}/plan", json={"boards": boards, "place": "Narok"}).status_code == 200
    for wrong in ({"port": "nowhere"}, {"port": "far:bench", "driver": "far"}, {"driver": "none"}):
        assert cup.patch(f"{PLAN}/plan", json={"boards": [{**boards[0], **wrong}]}).status_code == 422
    game = cup.post(f"{PLAN}/rounds", json={}).json["rounds"][0]["pairings"][0]["game"]
    assert [board["game"] for board in cup.get(f"{API}/boards").json["items"]] == [game]


def test_who_changed_what_is_listed_page_by_page(cup):
    cup.patch(f"{PLAN}/plan", json={"place": "Narok"})
    cup.post(f"{PLAN}/rounds", json={"by": "Hawo"})
    cup.patch(f"{PLAN}/rounds/1/tables/1", json={"result": "1-0", "by": "Koinet"})
    cup.patch(f"{PLAN}/rounds/1/tables/2", json={"result": "north"})
    first = cup.get(f"{PLAN}/changes?limit=3").json
    rest = cup.get(f"{PLAN}/changes?limit=3&cursor={first['next']}").json
    assert rest["next"] is None
    found = [(one["kind"], one["by"], {part["field"] for part in one["parts"]}) for one in first["items"]]
    found += [(one["kind"], one["by"], {part["field"] for part in one["parts"]}) for one in rest["items"]]
    assert found == [
        ("plan", "", {"result"}),
        ("plan", "Koinet", {"result"}),
        ("plan", "Hawo", {"round", "state"}),
        ("plan", "", {"place"}),
        ("created", "", {"name", "games", "format", "player"}),
    ]
    place = {"field": "place", "at": "", "before": None, "after": "Narok"}
    assert rest["items"][0]["parts"] == [place]
    assert first["items"][0]["parts"] == [{"field": "result", "at": "1/2", "before": None, "after": "north"}]


def test_an_event_offers_a_game_also_over_the_api(app):
    client = with_token(app)
    players = {"players": [{"name": "Ann"}, {"name": "Ben"}]}
    for games in ({}, {"games": []}):
        assert client.post("/api/v1/events", json={"name": "Cup", **players, **games}).status_code == 422
    made = client.post("/api/v1/events", json={"name": "Cup", **players, "games": [{"game": "bof"}]})
    assert made.status_code == 201
    path, headers = f"/api/v1/events/{made.json['id']}/plan", {"If-Match": made.headers["ETag"]}
    assert client.patch(path, json={"games": []}, headers=headers).status_code == 422
    assert client.patch(path, json={"place": "Narok"}, headers=headers).status_code == 200
