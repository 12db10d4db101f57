"""What was played from a position in the stored games."""

import random
from collections import Counter

from inkeek.records import Move, ruleset


def new_game(client, moves, game="oware", options=None, **tags):
    made = client.post("/api/v1/games", json={"game": game, "options": options or {}, "tags": tags}).json["id"]
    for move in moves:
        answer = client.post(f"/api/v1/games/{made}/turns", json={"move": move})
        assert answer.status_code == 201, answer.text
    return made


def resign(client, game, winner):
    client.post(f"/api/v1/games/{game}/end", json={"termination": "resignation", "winner": winner})


def explore(client, status=200, **query):
    answer = client.get("/api/v1/explorer", query_string={"game": "oware", **query})
    assert answer.status_code == status, answer.text
    return answer.json


def played(found):
    return {turn["move"]: turn["times"] for turn in found["turns"] if turn["times"]}


def test_turns_are_counted_with_their_results(client):
    games = [new_game(client, [move]) for move in "ccd"]
    resign(client, games[0], "South")
    resign(client, games[2], "North")
    found = explore(client)
    assert played(found) == {"c": 2, "d": 1}
    assert (found["times"], found["other"], len(found["turns"])) == (3, 0, 6)
    first, second = found["turns"][:2]
    assert (first["move"], first["south"], first["north"], first["drawn"], first["newest"]) == ("c", 1, 0, 0, games[1])
    assert (second["south"], second["north"], second["difference"]) == (0, 1, None)


def test_a_position_is_met_whatever_led_to_it(client):
    new_game(client, ["c", "D", "f"])
    new_game(client, ["c", "D", "a"])
    position = ruleset("oware").start()
    for move in ("c", "D"):
        position = ruleset("oware").play(position, Move.parse(move)).position
    later = position.replaced(ply=90)
    assert played(explore(client, position=str(position))) == played(explore(client, position=str(later)))
    assert sum(played(explore(client, position=str(position))).values()) == 2


def test_a_turn_that_was_taken_back_does_not_count(client):
    game = new_game(client, ["c"])
    client.post(f"/api/v1/games/{game}/retractions", json={"reason": "team"})
    assert explore(client)["times"] == 0
    client.post(f"/api/v1/games/{game}/turns", json={"move": "e"})
    assert played(explore(client)) == {"e": 1}


def test_an_irregular_turn_counts_as_another(client):
    game = new_game(client, [])
    after = "0.5.5.5.5.5/4.4.4.4.4.3 0-0 n 1"
    answer = client.post(f"/api/v1/games/{game}/irregular-turns", json={"move": "~a", "position": after})
    assert answer.status_code == 201, answer.text
    found = explore(client)
    assert (found["times"], found["other"], played(found)) == (1, 1, {})


def test_games_under_other_options_do_not_count(client):
    new_game(client, ["c"], options={"repetition": 5})
    assert explore(client)["times"] == 0
    assert explore(client, options="repetition=5")["times"] == 1
    explore(client, 422, options="pits")


def test_random_games_are_counted_as_a_plain_count_of_them_does(client):
    rules, chance = ruleset("bof"), random.Random(4)
    counts: dict[str, Counter] = {}
    for _ in range(10):
        position, moves = rules.start(), []
        for _ in range(3):
            turn = chance.choice(rules.turns(position)[:2])
            counts.setdefault(str(position), Counter())[str(turn.move)] += 1
            moves.append(str(turn.move))
            position = turn.position
        new_game(client, moves, "bof")
    assert len(counts) >= 5
    for position, expected in counts.items():
        assert played(explore(client, game="bof", position=position)) == expected


def test_a_size_with_a_set_up_of_ones_own_is_explored_as_it_is_filtered(client):
    rows = ("4.4.4.4.4.4.0.0.0.0", "4.4.4.4.4.4.0.0")
    for row in rows:
        pits = len(row.split("."))
        setup = f"{row}/{row} 0-0 s 0"
        made = [{"pits": pits}] if pits == 10 else [{"pits": pits}, {"pits": pits, "setup": "fours-left"}]
        for options in made:
            given = None if "setup" in options else setup
            id = client.post("/api/v1/games", json={"game": "enkeshui", "options": options, "setup": given}).json["id"]
            client.post(f"/api/v1/games/{id}/turns", json={"move": "c"})
        query = {"game": "enkeshui", "position": setup}
        found = client.get("/api/v1/games", query_string=query).json["items"]
        explored = client.get("/api/v1/explorer", query_string={**query, "options": f"pits={pits}"}).json
        assert explored["times"] == len(found) == len(made)
