import pytest

from inkeek.records import read_games

SMALL = {"game": "enkeshui", "options": {"pits": 8}}
NEARLY_OVER = "0.1.1.0.0.0.0.0/0.0.0.0.0.0.0.0 29-17 s 10"  # North, to move next, has nothing to move


@pytest.fixture
def game(client):
    return f"/api/v1/games/{client.post('/api/v1/games', json=SMALL).json['id']}"


def play(client, game, *moves):
    return [client.post(f"{game}/turns", json={"move": move, "by": "Nasieku"}).json for move in moves]


def record(client, game):
    (read,) = read_games(client.get(f"{game}.pmn").text.splitlines(keepends=True))
    assert read.errors == ()
    assert client.get(f"{game}/integrity").json == {**client.get(f"{game}/integrity").json, "ok": True, "faults": []}
    return read


def test_the_last_turn_is_taken_back(client, game):
    first, second = play(client, game, "c", "C")
    answer = client.post(
        f"{game}/retractions", json={"reason": "team", "note": "not  what we said", "ply": 2, "by": "Koinet"}
    )
    retraction = {"ply": 2, "move": second["move"], "side": "North", "reason": "team", "note": "not what we said"}
    assert (answer.status_code, answer.json) == (201, retraction)
    now = client.get(game)
    assert (now.json["position"], now.json["ply"], now.headers["ETag"]) == (
        first["position"],
        1,
        answer.headers["ETag"],
    )
    other = now.json["legal"][-1]
    play(client, game, other)
    assert client.get(f"{game}/retractions").json["items"] == [retraction]
    read = record(client, game)
    assert [str(ply.move)[0] for ply in read.plies] == ["c", other[0]]
    assert read.plies[0].comments[-1] == f'[%retract {second["move"]} side=north reason=team note="not what we said"]'
    assert client.get(f"{game}/turns/2/trace").json["move"] == other


def test_what_was_told_at_a_turn_that_is_taken_back_is_kept_but_not_who_made_it(client, game):
    play(client, game, "c")
    client.post(f"{game}/people", json={"action": "join", "side": "North", "name": "A"})
    client.post(f"{game}/retractions", json={"reason": "agreement"})
    read = record(client, game)
    assert [text.split()[0] for text in read.comments] == ["[%join", "[%retract"]
    assert client.get(f"{game}/people").json["teams"]["North"] == ["A"]
    assert client.get(f"{game}/people").json["makers"] == []


def test_turns_are_taken_back_to_the_start(client, game):
    start = client.get(game).json["position"]
    play(client, game, "c", "C")
    for _ in range(2):
        assert client.post(f"{game}/retractions", json={"reason": "agreement"}).status_code == 201
    assert client.get(game).json["position"] == start
    none = client.post(f"{game}/retractions", json={"reason": "agreement"})
    assert (none.status_code, none.json["type"]) == (422, "/problems/invalid")
    record(client, game)


def test_an_end_by_the_rules_is_taken_back_with_its_turn(client):
    game = f"/api/v1/games/{client.post('/api/v1/games', json={**SMALL, 'setup': NEARLY_OVER}).json['id']}"
    legal = client.get(game).json["legal"]
    play(client, game, legal[0])
    assert client.get(game).json["state"] == "ended"
    client.post(f"{game}/retractions", json={"reason": "illegal", "side": "North"})
    now = client.get(game).json
    assert (now["state"], now["result"], now["score"], now["legal"]) == ("live", "*", None, legal)
    assert "Termination" not in record(client, game).tags


def test_a_game_that_was_ended_keeps_its_turns(client, game):
    play(client, game, "c")
    client.post(f"{game}/end", json={"termination": "resignation", "winner": "South"})
    answer = client.post(f"{game}/retractions", json={"reason": "agreement"})
    assert (answer.status_code, answer.json["type"]) == (409, "/problems/game-ended")


AFTER = "0.0.0.6.5.4.5.4/0.0.4.4.4.4.4.4 0-0 n 1"


def test_an_irregular_turn_stands_with_the_position_it_led_to(client, game):
    answer = client.post(f"{game}/irregular-turns", json={"move": "~c", "position": AFTER, "ply": 1, "by": "K"})
    assert (answer.status_code, answer.json["move"], answer.json["position"]) == (201, "~c", AFTER)
    assert client.get(answer.headers["Location"]).json["events"] == []
    read = record(client, game)
    assert read.plies[0].comments == (f'[%after "{AFTER}"]', '[%by "K"]')
    client.post(f"{game}/retractions", json={"reason": "illegal"})
    assert record(client, game).comments == ("[%retract ~c side=south reason=illegal]",)


def open_dispute(client, game, **more):
    body = {"side": "North", "claim": "five seeds were  lifted", "seen": AFTER, "by": "Abdi", **more}
    return client.post(f"{game}/disputes", json=body)


def test_a_dispute_is_opened_and_found(client, game):
    play(client, game, "c")
    answer = open_dispute(client, game, ply=1)
    assert answer.status_code == 201
    dispute = answer.json
    assert (dispute["ply"], dispute["turn"], dispute["state"], dispute["ruling"]) == (1, 2, "open", None)
    assert (dispute["claim"], dispute["seen"], dispute["by"]) == ("five seeds were lifted", AFTER, "Abdi")
    assert client.get(answer.headers["Location"]).json == dispute
    assert client.get(f"{game}/disputes").json["items"] == [dispute]
    assert client.get("/api/v1/disputes?state=open").json == {"items": [dispute], "next": None}
    assert client.get("/api/v1/disputes?state=ruled").json["items"] == []
    again = open_dispute(client, game)
    assert (again.status_code, dispute["id"] in again.json["detail"]) == (409, True)
    command = f'[%dispute side=north claim="five seeds were lifted" seen="{AFTER}"]'
    assert record(client, game).plies[0].comments[-1] == command


def test_a_turn_that_stands_stands(client, game):
    (first,) = play(client, game, "c")
    named = open_dispute(client, game).json["id"]
    answer = client.post(f"/api/v1/disputes/{named}/ruling", json={"outcome": "stands", "by": "Judge", "note": "seen"})
    assert answer.status_code == 201
    assert answer.json["game"]["position"] == first["position"]
    ruling = answer.json["dispute"]["ruling"]
    assert (ruling["outcome"], ruling["by"], ruling["note"]) == ("stands", "Judge", "seen")
    assert client.get(f"/api/v1/disputes/{named}").json == answer.json["dispute"]
    assert record(client, game).plies[0].comments[-1] == '[%ruling outcome=stands by="Judge" note="seen"]'
    twice = client.post(f"/api/v1/disputes/{named}/ruling", json={"outcome": "stands"})
    assert (twice.status_code, twice.json["type"]) == (409, "/problems/conflict")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("turns", {"move": "C"}),
        ("irregular-turns", {"move": "~C", "position": AFTER.replace("n 1", "s 2")}),
        ("trials", {"move": "C"}),
        ("retractions", {"reason": "agreement"}),
        ("end", {"termination": "resignation", "winner": "South"}),
        ("disputes", {"side": "South", "claim": "again"}),
    ],
)
def test_play_stops_until_a_dispute_is_ruled_on(client, game, path, body):
    play(client, game, "c")
    assert client.get(game).json["dispute"] is None
    named = open_dispute(client, game).json["id"]
    assert client.get(game).json["dispute"] == named
    assert client.get("/api/v1/games").json["items"][0]["dispute"] == named
    seq = client.get(game).json["seq"]
    refused = client.post(f"{game}/{path}", json=body)
    assert (refused.status_code, refused.json["type"], refused.json["dispute"]) == (409, "/problems/disputed", named)
    assert client.get(game).json["seq"] == seq
    client.post(f"/api/v1/disputes/{named}/withdrawal", json={"note": "settled"})
    assert client.get(game).json["dispute"] is None
    assert client.post(f"{game}/{path}", json=body).status_code in (200, 201)


@pytest.mark.parametrize("named", ["x", "nothere-1", "-", "a-99999999999"])
def test_a_dispute_that_is_not_there_is_not_found(client, named):
    assert client.get(f"/api/v1/disputes/{named}").status_code == 404
    assert client.post(f"/api/v1/disputes/{named}/ruling", json={"outcome": "stands"}).status_code == 404
