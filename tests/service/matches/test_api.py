import threading

import pytest

from inkeek.service.errors import Conflict
from inkeek.service.games.corrections import take_back
from inkeek.service.games.write import Write
from inkeek.service.storage.tables.games import GameTable

SURPLUS = {
    "game": "enkeshui",
    "title": "surplus, at the well",
    "options": {"pits": 8},
    "tags": {"South": "A", "North": "B"},
}


@pytest.fixture
def match(client):
    return client.post("/api/v1/matches", json=SURPLUS).json


def finish(client, game_id, winner="South"):
    client.post(
        f"/api/v1/games/{game_id}/turns", json={"move": client.get(f"/api/v1/games/{game_id}").json["legal"][0]}
    )
    return client.post(f"/api/v1/games/{game_id}/end", json={"termination": "resignation", "winner": winner}).json


def go_on(client, match, **body):
    return client.post(f"/api/v1/matches/{match['id']}/games", json=body)


def test_a_match_begins_with_its_first_game(client):
    answer = client.post("/api/v1/matches", json=SURPLUS)
    match = answer.json
    assert answer.status_code == 201
    assert client.get(answer.headers["Location"]).json == match
    assert (match["kind"], match["agreed"], match["tally"]) == ("surplus", None, {"South": 0, "North": 0, "drawn": 0})
    assert (match["seeds"], match["outcome"], match["coming"]) == ([24, 24], None, None)
    assert [game["number"] for game in match["games"]] == [1]
    game = client.get(f"/api/v1/games/{match['id']}").json
    assert (game["match"], game["tags"]["MatchGame"], game["options"]["match"]) == (match["id"], "1", "surplus")
    assert client.get(f"/api/v1/games/{match['id']}/integrity").json["ok"]


def test_the_next_game_has_the_set_up_that_follows(client, match):
    ended = finish(client, match["id"])
    standing = client.get(f"/api/v1/matches/{match['id']}").json
    assert standing["tally"] == {"South": 1, "North": 0, "drawn": 0}
    assert standing["coming"]["number"] == 2
    answer = go_on(client, match, by="K")
    assert answer.status_code == 201
    game = client.get(answer.headers["Location"]).json
    assert game["position"] == standing["coming"]["start"]
    assert (game["tags"]["MatchGame"], game["tags"]["South"], game["match"]) == ("2", "A", match["id"])
    assert (game["to_move"], ended["result"]) == (standing["coming"]["first"], "1-0")
    assert [row["id"] for row in client.get(f"/api/v1/matches/{match['id']}").json["games"]] == [
        match["id"],
        game["id"],
    ]
    assert client.get(f"/api/v1/games/{game['id']}/integrity").json["ok"]


def test_a_round_closes_the_pits_that_are_named(client):
    match = client.post("/api/v1/matches", json={"game": "bof", "title": "rounds"}).json
    client.post(f"/api/v1/games/{match['id']}/turns", json={"move": "e"})
    game = finish(client, match["id"])
    standing = client.get(f"/api/v1/matches/{match['id']}").json
    assert sum(standing["seeds"]) == 40
    assert game["state"] == "ended"
    short = min(standing["seeds"])
    assert short < 20
    wrong = go_on(client, match, closed="z")
    assert (wrong.status_code, wrong.json["type"]) == (422, "/problems/record")
    letters = "abcde" if standing["seeds"][0] == short else "ABCDE"
    answer = go_on(client, match, closed=letters[short // 4 :])
    assert answer.status_code == 201
    row = answer.json["position"].split(" ")[0].split("/")[letters.isupper()]
    assert row == ".".join(["4"] * (short // 4) + ["x"] * (5 - short // 4))


def test_a_match_that_is_over_has_no_next_game(client):
    match = client.post("/api/v1/matches", json={"game": "oware", "title": "games 1"}).json
    finish(client, match["id"], "North")
    match = client.get(f"/api/v1/matches/{match['id']}").json
    assert match["outcome"] == {"winner": "North", "reason": "games-played"}
    answer = go_on(client, match)
    assert (answer.status_code, answer.json["type"]) == (409, "/problems/conflict")


def test_one_game_is_played_at_a_time(client, match):
    answer = go_on(client, match)
    assert (answer.status_code, answer.json["game"]) == (409, match["id"])


def test_a_game_that_was_broken_off_is_played_again(client, match):
    client.post(f"/api/v1/games/{match['id']}/end", json={"termination": "abandoned"})
    again = go_on(client, match)
    assert (again.status_code, again.json["tags"]["MatchGame"]) == (201, "1")
    match = client.get(f"/api/v1/matches/{match['id']}").json
    assert [game["number"] for game in match["games"]] == [1, 1]
    finish(client, again.json["id"])
    assert client.get(f"/api/v1/matches/{match['id']}").json["tally"]["South"] == 1


def test_what_the_next_game_follows_from_stays(client, match):
    game = f"/api/v1/games/{match['id']}"
    for name in ("Match", "MatchGame", "South"):
        refused = client.patch(game, json={"tags": {name: "x"}})
        assert (refused.status_code, name in refused.json["detail"]) == (422, True)
    assert client.patch(game, json={"tags": {"Event": "x"}}).status_code == 200


def test_a_match_that_began_from_a_position_goes_on_from_it(client):
    start = "0.1.1.0.0.5.0.0/0.0.2.0.0.0.0.0 22-17 s 10"
    body = {"game": "enkeshui", "options": {"pits": 8}, "setup": start, "title": "games 3"}
    match = client.post("/api/v1/matches", json=body).json
    finish(client, match["id"])
    answer = go_on(client, match)
    assert answer.status_code == 201, answer.json
    assert client.get(answer.headers["Location"]).json["position"] == start.replace(" s ", " n ")


def test_a_turn_is_not_taken_back_while_the_next_game_begins(client, services, match, monkeypatch):
    finish(client, match["id"])
    second = go_on(client, match).json["id"]
    moves = 0
    while client.get(f"/api/v1/games/{second}").json["state"] == "live":  # the rules end it
        legal = client.get(f"/api/v1/games/{second}").json["legal"]
        client.post(f"/api/v1/games/{second}/turns", json={"move": legal[moves % len(legal)]})
        moves += 1
    locks, refused = threading.Event(), []

    def undo():
        try:
            take_back(services.games, second, "agreement", Write("api"))
        except Conflict as error:
            refused.append(error)

    other = threading.Thread(target=undo)
    get = GameTable.get

    def announced(table, game_id, *, lock=False):
        if lock and threading.current_thread() is other:
            locks.set()
        return get(table, game_id, lock=lock)

    monkeypatch.setattr(GameTable, "get", announced)
    with services.store.together():
        third = services.matches.go_on(match["id"], "", {}, Write("api"))
        other.start()
        if services.store.ledger_lags:  # PostgreSQL; with SQLite nothing at all happens at the same time
            assert locks.wait(60)
        other.join(0.3)
    other.join()
    assert refused
    assert services.games.row(second).state == "ended"
    assert services.games.row(third.id).state == "live"
