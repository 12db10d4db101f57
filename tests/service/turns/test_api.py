import json

import pytest

from inkeek.records import Rules
from tests.service.http.api.test_openapi import properties

SMALL = {"game": "enkeshui", "options": {"pits": 8}}


@pytest.fixture
def turns(client):
    return f"/api/v1/games/{client.post('/api/v1/games', json=SMALL).json['id']}/turns"


def test_a_turn_returns_its_result(client, turns):
    answer = client.post(turns, json={"move": "c", "ply": 1, "by": "Koinet", "comments": ["so"]})
    assert answer.status_code == 201
    assert set(answer.json) == properties(client.application, "StoredTurn")
    assert (answer.json["seq"], answer.json["ply"], answer.json["ended"]) == (2, 1, None)
    game = client.get(turns.removesuffix("/turns"))
    assert game.json["position"] == answer.json["position"]
    assert game.headers["ETag"] == answer.headers["ETag"]
    trace = client.get(answer.headers["Location"])
    assert trace.json["position"] == answer.json["position"]


class CountingKernel:
    """A kernel that counts the turns that are sown on it."""

    def __init__(self, kernel, sown):
        self._kernel = kernel
        self._sown = sown

    def __getattr__(self, name):
        return getattr(self._kernel, name)

    def sow(self, *arguments):
        self._sown.append(1)
        return self._kernel.sow(*arguments)

    def turns(self, *arguments):
        turns = self._kernel.turns(*arguments)
        self._sown.append(len(turns))
        return turns

    def follow(self, codes, first, track):
        count = self._kernel.follow(codes, first, track)
        self._sown.append(count - first)
        return count


def test_a_posted_turn_is_sown_at_most_twice(client, turns, monkeypatch):
    client.post(turns, json={"move": "c", "ply": 1})
    move = client.get(turns.removesuffix("/turns")).json["legal"][0]
    load, sown = Rules._load, []
    monkeypatch.setattr(Rules, "_load", lambda rules, *given: CountingKernel(load(rules, *given), sown))
    answer = client.post(turns, json={"move": move, "ply": 2})
    assert answer.status_code == 201
    assert 1 <= sum(sown) <= 2


def test_an_illegal_move_is_a_problem_with_what_is_legal(client, turns):
    answer = client.post(turns, json={"move": "a"})
    assert (answer.status_code, answer.json["type"]) == (422, "/problems/illegal-move")
    assert answer.json["reason"] == "empty-pit"
    assert answer.json["move"] == "a"
    assert answer.json["position"] == "0.0.4.4.4.4.4.4/0.0.4.4.4.4.4.4 0-0 s 0"
    assert [move[0] for move in answer.json["legal"]] == sorted(move[0] for move in answer.json["legal"])
    assert answer.json["trace"] == []


def test_the_slower_of_two_gets_a_conflict(client, turns):
    client.post(turns, json={"move": "c", "ply": 1})
    late = client.post(turns, json={"move": "d", "ply": 1})
    assert (late.status_code, late.json["type"]) == (409, "/problems/conflict")
    assert late.json["current"]["ply"] == 1
    stale = client.post(turns, json={"move": "C"}, headers={"If-Match": '"1"'})
    assert (stale.status_code, stale.json["current"]["seq"]) == (412, 2)


def test_the_trace_is_the_turn_seed_by_seed(client, turns):
    played = client.post(turns, json={"move": "c"}).json
    trace = client.get(f"{turns}/1/trace").json
    assert (trace["ply"], trace["move"]) == (1, played["move"])
    assert trace["events"][0] == {"kind": "lift", "pit": 2, "letter": "c", "count": 4, "other": 0, "reason": ""}
    assert trace["events"][-1]["kind"] == "end"
    assert trace["events"][-1]["reason"]
    assert trace["sentences"]


def test_an_irregular_turn_has_no_trace_but_a_position(client):
    after = "0.0.4.4.4.4.4.4/0.0.4.4.4.4.4.4 0-0 n 1"
    text = f'[Game "enkeshui"]\n[Options "pits=8"]\n\n1. ~? {{[%after "{after}"]}} *\n'
    imported = client.post("/api/v1/games/import", data=text, content_type="text/plain").text
    trace = client.get(f"/api/v1/games/{json.loads(imported)['id']}/turns/1/trace").json
    assert (trace["move"], trace["position"], trace["events"]) == ("~?", after, [])
    assert "irregular" in trace["sentences"][0]


def test_positions_turns_and_replay_agree(client, turns):
    game = turns.removesuffix("/turns")
    for _ in range(4):
        legal = client.get(game).json["legal"]
        client.post(turns, json={"move": legal[0]})
    replay = client.get(f"{game}/replay").json
    assert replay["plies"] == client.get(turns).json["items"]
    assert replay["outcome"] is None
    positions = [client.get(f"{game}/positions/{ply}").json["position"] for ply in range(5)]
    assert positions == [replay["start"], *(ply["position"] for ply in replay["plies"])]
    assert client.get(f"{game}/positions/5").status_code == 404
    assert client.get(f"{turns}/5/trace").status_code == 404
    assert client.get(f"{turns}/0/trace").status_code == 404


@pytest.mark.parametrize(
    "end",
    [
        {"termination": "resignation", "winner": "North"},
        {"termination": "agreement", "winner": None},
        {"termination": "abandoned", "winner": None},
    ],
    ids=lambda end: end["termination"],
)
def test_a_replay_has_the_end_of_its_game(client, turns, end):
    game = turns.removesuffix("/turns")
    assert client.post(f"{game}/end", json=end).status_code == 200
    ended = client.get(game).json
    replay = client.get(f"{game}/replay").json
    assert replay["outcome"] == {name: ended[name] for name in ("termination", "winner", "score", "result")}
    assert replay["outcome"]["score"] is None


def test_the_last_turn_tells_the_end(client):
    body = {**SMALL, "setup": "0.1.1.0.0.0.0.0/0.0.0.0.0.0.0.0 29-17 s 10"}
    game = f"/api/v1/games/{client.post('/api/v1/games', json=body).json['id']}"
    answer = client.post(f"{game}/turns", json={"move": client.get(game).json["legal"][0]}).json
    assert answer["ended"] == {"termination": "normal", "winner": "South", "score": [31, 17], "result": "1-0"}
    ended = client.get(game).json
    assert (ended["result"], ended["score"], ended["legal"], ended["to_move"]) == ("1-0", [31, 17], [], None)
    assert client.get(f"{game}/replay").json["outcome"] == answer["ended"]
    late = client.post(f"{game}/turns", json={"move": "c"})
    assert (late.status_code, late.json["type"]) == (409, "/problems/game-ended")


def test_turns_that_nobody_saw_are_stored_with_what_lies_afterwards(client, turns):
    game = turns.removesuffix("/turns")
    gap = {"turns": 2, "position": "?.?.?.?.?.?.?.?/?.?.?.?.?.?.?.? 0-? s 2", "ply": 1, "comments": ["called away"]}
    answer = client.post(f"{game}/gaps", json=gap)
    assert answer.status_code == 201
    assert (answer.json["move"], answer.json["position"]) == ("~~2", gap["position"])
    assert client.get(answer.headers["Location"]).json["events"] == []
    assert client.post(turns, json={"move": "c", "ply": 2}).status_code == 201
    assert [turn["move"] for turn in client.get(f"{game}/replay").json["plies"]] == ["~~2", "c"]
    assert any("1… " in text or "2. c" in text for text in client.get(game).json["warnings"])
    again = client.post(f"{game}/gaps", json=gap)
    assert (again.status_code, again.json["type"]) == (409, "/problems/conflict")
