"""What came of a pairing is said by its game, and by nothing else."""

import csv
import io
import json
import re

import pytest

from inkeek.service.games.write import Write
from inkeek.service.http.names import name_id
from inkeek.service.storage import Limit
from tests.service.clients import with_token

API = "/api/v1"
CUP = f"{API}/events/{name_id('cup')}"
SEATED = {"pairings": [{"south": 1, "north": 2}, {"south": 3, "north": 4}, {"south": 5}]}
NAMES = ("Ann", "Ben", "Cleo", "Dan", "Eve")


@pytest.fixture
def cup(client):
    """A Swiss event of five in its first round: Ann – Cleo, Ben – Dan, and Eve without an opponent."""
    return paired(client)


def paired(client, **more):
    players = [{"name": name} for name in NAMES]
    body = {"name": "Cup", "games": [{"game": "bof"}], "players": players, "format": "swiss", **more}
    assert client.post(f"{API}/events", json=body).status_code == 201
    assert client.post(f"{CUP}/rounds", json={}).status_code == 201
    return client


def say(client, table, result, number=1, **more):
    return client.patch(f"{CUP}/rounds/{number}/tables/{table}", json={"result": result, **more})


def pairing(client, table, number=1):
    return client.get(f"{CUP}/plan").json["rounds"][number - 1]["pairings"][table - 1]


def game_at(client, table, number=1):
    return client.get(f"{API}/games/{pairing(client, table, number)['game']}").json


def path_of(client, table):
    return f"{API}/games/{pairing(client, table)['game']}"


def points(client):
    return {one["player"]["name"]: one["points"] for one in client.get(f"{CUP}/standings").json["items"]}


def won(client, name):
    """The games won, drawn and lost on a player's page of the API."""
    records = client.get(f"{API}/players/{name_id(name.lower())}").json["records"]
    return {kind: sum(one[kind] for one in records) for kind in ("won", "drawn", "lost")}


def trf(client, name):
    line = next(one for one in client.get(f"{CUP}/tournament.trf").text.splitlines() if f" {name} " in one)
    return line[91:99].strip()


def table(client, name):
    return list(csv.DictReader(io.StringIO(client.get(f"{CUP}/{name}.csv").text)))


def play(client, path, turns=1):
    for _ in range(turns):
        move = client.get(path).json["legal"][0]
        assert client.post(f"{path}/turns", json={"move": move}).status_code == 201


def kinds(client, table):
    events = client.get(f"{path_of(client, table)}/events?format=ndjson").text.splitlines()
    return [json.loads(one)["kind"] for one in events]


def test_every_pairing_has_a_game_byes_too(cup):
    bye = pairing(cup, 3)
    assert (bye["north"], bye["result"], bye["points"]) == (None, "bye", [1, 0])
    game = game_at(cup, 3)
    assert (game["state"], game["termination"], game["result"], game["tags"]["South"]) == ("ended", "bye", "1-0", "Eve")
    assert "North" not in game["tags"]
    for result, end, scored in (("half", "1/2-1/2", 0.5), ("zero", "*", 0), ("bye", "1-0", 1)):
        assert say(cup, 3, result).json["rounds"][0]["pairings"][2]["points"] == [scored, 0]
        assert (game_at(cup, 3)["result"], points(cup)["Eve"]) == (end, scored)


def test_who_did_not_come_is_the_same_everywhere_also_after_a_correction(cup):
    south, north = (NAMES[pairing(cup, 1)[side] - 1] for side in ("south", "north"))
    say(cup, 1, "north")
    assert say(cup, 1, "south").status_code == 200
    assert (game_at(cup, 1)["result"], game_at(cup, 1)["termination"]) == ("1-0", "forfeit")
    assert (points(cup)[south], points(cup)[north]) == (1, 0)
    assert (won(cup, south)["won"], won(cup, north)["won"]) == (1, 0)
    row = table(cup, "pairings")[0]
    assert (row["south_points"], row["north_points"], row["bye_or_forfeit"]) == ("1.0", "0.0", "south")
    say(cup, 2, "1-0")
    assert (trf(cup, south)[-1], trf(cup, north)[-1]) == ("+", "-")
    assert kinds(cup, 1) == ["created", "ended", "correction"]


def test_a_cleared_forfeit_goes_on_and_counts_for_nothing(cup):
    south = NAMES[pairing(cup, 1)["south"] - 1]
    say(cup, 1, "south")
    assert say(cup, 1, "").status_code == 200
    assert (game_at(cup, 1)["state"], pairing(cup, 1)["points"]) == ("live", None)
    standing = next(one for one in cup.get(f"{CUP}/standings").json["items"] if one["player"]["name"] == south)
    assert (standing["points"], standing["tally"]["won"], standing["tally"]["open"]) == (0, 0, 1)


@pytest.mark.parametrize(
    "tags",
    [
        {"South": "Ben", "North": "Ann"},
        {"Event": "Other"},
        {"Round": "2"},
        {"Board": "9"},
        {"Match": "games 2"},
        {"Match": "games 2", "MatchGame": "1"},
    ],
)
def test_a_paired_game_keeps_its_place(cup, tags):
    before = points(cup)
    answer = cup.patch(path_of(cup, 1), json={"tags": tags})
    assert (answer.status_code, "table 1" in answer.json["detail"]) == (409, True)
    assert cup.patch(path_of(cup, 1), json={"tags": {"SouthTeam": "Blue"}}).status_code == 200
    assert cup.patch(path_of(cup, 1), json={"tags": {"Recorder": "Fay"}}).status_code == 200
    assert points(cup) == before


def test_in_an_event_of_teams_the_plan_says_who_plays_for_which(client):
    players = [{"name": name, "team": team} for name, team in zip(NAMES, "XXYYX", strict=True)]
    cup = paired(client, players=players, format="teams")
    for name in ("SouthTeam", "NorthTeam"):
        assert cup.patch(path_of(cup, 1), json={"tags": {name: "Z"}}).status_code == 409


def test_a_refused_change_names_a_way_that_fits(cup):
    """What a message tells somebody to do works."""
    seats = {"south": 2, "north": 1}

    def detail(path, body):
        refused = cup.patch(path, json=body)
        assert refused.status_code == 409
        return refused.json["detail"]

    table, swapped = f"{CUP}/rounds/1/tables/1", {"tags": {"South": "Ben"}}
    say(cup, 1, "1-0")
    for path, body in ((table, seats), (path_of(cup, 1), swapped)):
        assert "the game decides after all" in detail(path, body)
    say(cup, 1, "")
    assert "page of the event" in detail(path_of(cup, 1), swapped)
    assert "Players and settings" in detail(path_of(cup, 3), swapped)
    assert cup.patch(table, json=seats).status_code == 200
    play(cup, path_of(cup, 1))
    assert "page of the player" in detail(path_of(cup, 1), {"tags": {"South": "Fay"}})


def test_the_next_game_of_a_paired_match_keeps_its_place(client):
    cup = paired(client, legs=2)
    first = pairing(cup, 1)["game"]
    say(cup, 1, "1-0", game=first)
    for tags in ({"Event": "Other"}, {"Round": "2"}, {"South": "Ben"}):
        assert cup.post(f"{API}/matches/{first}/games", json={"tags": tags}).status_code == 409
    assert cup.post(f"{API}/matches/{first}/games", json={}).status_code == 201


def test_an_event_is_shown_though_a_game_of_it_lost_its_tag_before(cup, services):
    game = pairing(cup, 1)["game"]
    say(cup, 1, "1-0")
    services.games.retag(game, {"Event": "Other"}, Write("api"), of_event=True)
    assert pairing(cup, 1)["points"] == [1, 0]
    assert sum(points(cup).values()) == 2
    for page in ("/events/cup", "/events/cup/wall"):
        assert cup.get(page).status_code == 200


def casual(client, result="1/2-1/2", **more):
    tags = {"Event": "Cup", "South": "Ann", "North": "Ben", **more}
    game = client.post(f"{API}/games", json={"game": "bof", "tags": tags})
    end = {"termination": "agreement"} if result == "1/2-1/2" else {"termination": "resignation", "winner": "South"}
    assert client.post(f"{API}/games/{game.json['id']}/end", json=end).status_code == 200
    return game.json["id"]


def test_a_casual_game_counts_for_nothing_in_an_event_with_rounds(cup):
    before = {name: cup.get(f"{CUP}/{name}").text for name in ("standings.csv", "pairings.csv", "tournament.trf")}
    game = casual(cup)
    assert {name: cup.get(f"{CUP}/{name}").text for name in before} == before
    page = cup.get("/events/cup").text
    assert game in page
    assert "count for nothing" in page


def test_a_casual_game_is_at_no_table_of_the_round(cup):
    game = casual(cup, Round="1", Board="1")
    other = casual(cup, Round="final")
    for page in ("hall", "wall"):
        text = cup.get(f"/events/cup/{page}").text
        assert (pairing(cup, 1)["game"] in text, game in text) == (True, False)
        assert (other in cup.get(f"/events/cup/{page}?round=final").text, "final" in text) == (False, False)


def test_every_game_with_its_name_counts_in_a_free_event(client):
    body = {"name": "Cup", "games": [{"game": "bof"}], "players": [{"name": name} for name in NAMES]}
    client.post(f"{API}/events", json=body)
    client.post(f"{CUP}/rounds", json={"pairings": [{"south": 1, "north": 2}]})
    say(client, 1, "1-0")
    casual(client)
    assert (points(client)["Ann"], points(client)["Ben"]) == (1.5, 0.5)
    assert "count for nothing" not in client.get("/events/cup").text


def dispute_end(client, table):
    path = path_of(client, table)
    play(client, path)
    assert client.post(f"{path}/end", json={"termination": "resignation", "winner": "South"}).status_code == 200
    body = {"side": "North", "claim": "I did not give up", "about": "end"}
    return client.post(f"{path}/disputes", json=body).json["id"]


def test_a_disputed_end_holds_the_next_round_and_no_forfeit_replaces_it(cup):
    dispute = dispute_end(cup, 1)
    say(cup, 2, "1-0")
    for result in ("north", "0-1", "none", ""):
        assert say(cup, 1, result, turns=1).status_code == 409
    assert game_at(cup, 1)["result"] == "1-0"
    for body in ({}, SEATED):
        refused = cup.post(f"{CUP}/rounds", json=body)
        assert (refused.status_code, dispute in refused.json["detail"], "table 1" in refused.json["detail"]) == (
            409,
            True,
            True,
        )
    assert cup.post(f"{API}/disputes/{dispute}/ruling", json={"by": "Judge", "outcome": "stands"}).status_code == 201
    assert cup.post(f"{CUP}/rounds", json={}).status_code == 201


def test_an_end_of_an_earlier_round_holds_the_next_round_too(cup):
    play(cup, path_of(cup, 1))
    assert say(cup, 1, "1-0", turns=1).status_code == say(cup, 2, "1-0").status_code == 200
    assert cup.post(f"{CUP}/rounds", json={}).status_code == 201
    for table in (1, 2):
        say(cup, table, "1-0", number=2)
    end = {"side": "North", "claim": "I did not give up", "about": "end"}
    dispute = cup.post(f"{path_of(cup, 1)}/disputes", json=end).json["id"]
    for body in ({}, SEATED):
        refused = cup.post(f"{CUP}/rounds", json=body)
        assert (refused.status_code, "table 1 of round 1" in refused.json["detail"]) == (409, True)
    waiting = waits(cup)
    assert ("round=1#table-1" in waiting, "All results are here" in waiting) == (True, False)
    assert cup.post(f"{API}/disputes/{dispute}/ruling", json={"by": "Judge", "outcome": "stands"}).status_code == 201
    assert "All results are here" in waits(cup)
    assert cup.post(f"{path_of(cup, 2)}/end/reopening", json={"reason": "go on"}).status_code == 200
    refused = cup.post(f"{CUP}/rounds", json={})
    assert (refused.status_code, "Round 1" in refused.json["detail"]) == (409, True)
    waiting = waits(cup)
    assert ("round=1#table-2" in waiting, "All results are here" in waiting) == (True, False)


def waits(client):
    """What waits for the organizer on the page of the event."""
    return re.search('data-fresh="?waiting"?>(.*?)data-fresh', client.get("/events/cup").text, re.DOTALL)[1]


def test_who_plays_has_a_table(cup):
    for table in (1, 2):
        say(cup, table, "1-0")
    some = {"pairings": [*SEATED["pairings"][:1], {"south": 3}]}
    refused = cup.post(f"{CUP}/rounds", json=some)
    assert (refused.status_code, "Dan, Eve" in refused.json["detail"]) == (422, True)
    states = dict(zip(NAMES, ("in", "in", "in", "bye", "out"), strict=True))
    players = [{"id": id, "name": name, "state": states[name]} for id, name in enumerate(NAMES, 1)]
    assert cup.patch(f"{CUP}/plan", json={"players": players}).status_code == 200
    assert cup.post(f"{CUP}/rounds", json=some).status_code == 201
    assert "Without a table" not in cup.get("/events/cup").text
    late = [*cup.get(f"{CUP}/plan").json["players"], {"name": "Kamau"}]
    assert cup.patch(f"{CUP}/plan", json={"players": late}).status_code == 200
    assert re.search("Without a table: .*Kamau", cup.get("/events/cup").text)


def test_a_stale_tap_ends_no_game_that_is_being_played(cup):
    play(cup, path_of(cup, 1), 2)
    for result in ("0-1", "south", "none"):
        assert say(cup, 1, result).status_code == 409
        assert say(cup, 1, result, turns=1).status_code == 409
    assert game_at(cup, 1)["state"] == "live"
    assert say(cup, 1, "0-1", turns=2).status_code == 200
    for result in ("1-0", ""):  # it has a record: its end is corrected there
        refused = say(cup, 1, result, turns=2)
        assert (refused.status_code, "you know of" in refused.json["detail"]) == (409, False)
    assert game_at(cup, 1)["result"] == "0-1"
    play(cup, path_of(cup, 2))
    assert say(cup, 2, "none", turns=1).json["rounds"][0]["pairings"][1]["points"] == [0, 0]
    assert (game_at(cup, 2)["termination"], game_at(cup, 2)["result"]) == ("unplayed", "*")


class TestTwoGamesAtATable:
    @pytest.fixture
    def cup(self, client):
        return paired(client, legs=2)

    def test_a_result_says_of_which_it_is_once_one_has_ended(self, cup):
        first = pairing(cup, 1)["game"]
        assert say(cup, 1, "1-0").status_code == 200
        for result in ("0-1", "north", ""):
            refused = say(cup, 1, result)
            assert (refused.status_code, first in refused.json["detail"]) == (422, True)
        assert (pairing(cup, 1)["points"], game_at(cup, 1)["termination"]) == (None, "adjudication")
        second = cup.post(f"{API}/matches/{first}/games", json={}).json["id"]
        for result in ("0-1", "north"):
            refused = say(cup, 1, result)
            assert (refused.status_code, second in refused.json["detail"]) == (422, True)
        assert say(cup, 1, "1-0", game="x").status_code == 422
        assert say(cup, 1, "0-1", game=second).status_code == 200
        assert say(cup, 1, "1/2-1/2", game=first).status_code == 200
        assert pairing(cup, 1)["points"] == [0, 1]
        assert say(cup, 2, "south").json["rounds"][0]["pairings"][1]["points"] == [1, 0]
        assert say(cup, 3, "half").json["rounds"][0]["pairings"][2]["points"] == [0.5, 0]

    def test_no_result_takes_away_the_game_that_was_begun_from_it(self, cup):
        first = pairing(cup, 1)["game"]
        say(cup, 1, "1-0")
        second = cup.post(f"{API}/matches/{first}/games", json={}).json["id"]
        refused = say(cup, 1, "none", game=first)
        assert (refused.status_code, "Game 2 at table 1" in refused.json["detail"]) == (409, True)
        assert (game_at(cup, 1)["result"], cup.get(f"{API}/games/{second}").json["state"]) == ("1-0", "live")

    def test_the_page_begins_the_second_one_and_offers_the_first_one_again(self, cup):
        first = pairing(cup, 1)["game"]
        begin = f'action="/matches/{first}"'
        assert begin not in cup.get("/events/cup").text
        say(cup, 1, "1-0")
        page = cup.get("/events/cup").text
        assert (begin in page, "no result" in page) == (True, False)
        assert re.search(r"\s2 not begun", page)
        assert "table-1" in waits(cup)
        assert cup.post(f"/matches/{first}").status_code == 303
        second = cup.get(f"{API}/matches/{first}").json["games"][-1]["id"]
        assert (begin in cup.get("/events/cup").text, tapped(cup)) == (False, {second, pairing(cup, 2)["game"]})
        assert say(cup, 1, "", game=first).status_code == 200
        assert tapped(cup) == {first, pairing(cup, 2)["game"]}


def tapped(client):
    """The games whose results the page of the event takes with one tap."""
    forms = re.findall(r'<form\s+class="?results"?.*?</form>', client.get("/events/cup").text, re.DOTALL)
    return {re.search(r'name="?game"? value="?([^" >]+)', form)[1] for form in forms}


class TestWhoMends:
    def test_who_said_it_or_keeps_the_table_until_the_next_round(self, app, cup):
        tapper, other = (with_token(app, "record", limit=Limit("event", "Cup"), name=name) for name in "AB")
        keeper, elsewhere = (with_token(app, "record", limit=Limit("table", f"{at}:Cup")) for at in (1, 2))
        assert say(tapper, 1, "1-0").status_code == 200
        assert say(other, 1, "0-1").status_code == 403
        assert say(elsewhere, 1, "0-1").status_code == 404
        assert say(tapper, 1, "1/2-1/2").status_code == 200
        assert say(keeper, 1, "0-1").status_code == 200
        assert say(keeper, 1, "").status_code == 200
        assert say(tapper, 1, "1-0").status_code == 200
        assert say(tapper, 2, "1-0").status_code == 200
        assert cup.post(f"{CUP}/rounds", json={}).status_code == 201
        for client in (tapper, keeper):
            assert say(client, 1, "0-1").status_code == 403
        assert say(cup, 1, "0-1").status_code == 200  # an arbiter may

    def test_only_an_arbiter_gives_a_bye_and_changes_places(self, app, cup):
        tapper = with_token(app, "record")
        assert say(tapper, 3, "half").status_code == 403
        seats = {"south": 1, "north": 5}
        assert tapper.patch(f"{CUP}/rounds/1/tables/1", json=seats).status_code == 403
        assert cup.patch(f"{CUP}/rounds/1/tables/1", json=seats).status_code == 200

    def test_a_keeper_taps_on_the_page(self, app, cup):
        from tests.service.clients import signed_in

        keeper = signed_in(app, "record", limit=Limit("table", "1:Cup"))
        page = keeper.get("/events/cup").text
        assert len(re.findall('class="?results', page)) == 1
        form = {"round": "1", "table": "1", "turns": "0", "version": "2", "result": "0-1"}
        assert keeper.post("/events/cup/tables", data=form).status_code == 303
        assert game_at(cup, 1)["result"] == "0-1"


def test_two_taps_are_one(cup):
    for _ in range(2):
        assert say(cup, 1, "1-0").status_code == 200
    assert kinds(cup, 1) == ["created", "ended"]
    assert cup.get(f"{CUP}/plan").json["version"] == 2


class TestWhatTheTapperSaw:
    """A result is of the players and the result that whoever gives it saw."""

    def test_it_is_given_to_nobody_else(self, cup):
        seen = pairing(cup, 1)["seen"]
        assert cup.patch(f"{CUP}/rounds/1/tables/1", json={"south": 4, "north": 1}).status_code == 200
        refused = say(cup, 1, "1-0", seen=seen)
        assert (refused.status_code, "Dan – Ann" in refused.json["detail"]) == (409, True)
        assert (pairing(cup, 1)["points"], pairing(cup, 1)["seen"] != seen) == (None, True)
        assert say(cup, 1, "1-0", seen=pairing(cup, 1)["seen"]).status_code == 200

    def test_sides_count(self, cup):
        before = pairing(cup, 1)
        sides = {"south": before["north"], "north": before["south"]}
        assert cup.patch(f"{CUP}/rounds/1/tables/1", json=sides).status_code == 200
        assert say(cup, 1, "1-0", seen=before["seen"]).status_code == 409

    def test_it_overwrites_no_result_of_another_device(self, cup):
        seen = pairing(cup, 1)["seen"]
        assert say(cup, 1, "1-0", seen=seen).status_code == 200
        refused = say(cup, 1, "0-1", seen=seen)
        assert (refused.status_code, "1-0" in refused.json["detail"]) == (409, True)
        assert say(cup, 1, "", seen=seen).status_code == 409
        assert say(cup, 1, "1-0", seen=seen).status_code == 200  # the same tap again
        assert say(cup, 1, "0-1", seen=pairing(cup, 1)["seen"]).status_code == 200

    def test_the_page_says_what_it_shows(self, cup):
        seen = [one["seen"] for one in cup.get(f"{CUP}/plan").json["rounds"][0]["pairings"]]
        forms = re.findall(r'<form\s+class="(?:results|form)".*?</form>', cup.get("/events/cup").text, re.DOTALL)
        shown = [re.search(r'name="?seen"? value="([^"]*)"', form)[1] for form in forms if "tables" in form[:200]]
        assert (sorted({*shown}), len(shown)) == (sorted(seen), 5)
        say(cup, 1, "1-0")
        tap = {"round": "1", "table": "1", "turns": "0", "seen": seen[0], "result": "0-1"}
        assert cup.post("/events/cup/tables", data=tap).status_code == 409
        assert game_at(cup, 1)["result"] == "1-0"


@pytest.mark.parametrize("suffix", ["", "-gzip"])
def test_an_etag_of_before_a_result_changes_nothing(cup, suffix):
    def known():
        return {"If-Match": cup.get(f"{CUP}/plan").headers["ETag"].replace('"', "").join(('"', f'{suffix}"'))}

    before = known()
    path = f"{CUP}/rounds/1/tables/1"
    assert cup.patch(path, json={"result": "1-0"}, headers=before).status_code == 200
    assert cup.patch(path, json={"result": "0-1"}, headers=before).status_code == 412
    assert cup.patch(path, json={"result": "0-1"}, headers=known()).status_code == 200
    for method, path, body in (("PATCH", "plan", {"place": "Narok"}), ("POST", "rounds", SEATED)):
        assert cup.open(f"{CUP}/{path}", method=method, json=body, headers=before).status_code == 412
    version = {"If-Match": '"2"'}
    assert cup.patch(f"{CUP}/plan", json={"place": "Narok"}, headers=version).status_code == 200


def test_a_bye_and_its_table_change_into_a_game_and_back(cup):
    before = pairing(cup, 3)["game"]
    assert cup.patch(f"{CUP}/rounds/1/tables/3", json={"north": 1}).status_code == 200
    assert pairing(cup, 3)["game"] == before
    assert (game_at(cup, 3)["state"], game_at(cup, 3)["tags"]["North"]) == ("live", "Ann")
    assert (pairing(cup, 1)["north"], pairing(cup, 1)["result"], game_at(cup, 1)["termination"]) == (None, "bye", "bye")
    assert cup.patch(f"{CUP}/rounds/1/tables/3", json={"north": None}).status_code == 200
    assert (pairing(cup, 3)["result"], game_at(cup, 3)["termination"]) == ("bye", "bye")
