import pytest

from inkeek.records import read_games

SMALL = {"game": "enkeshui", "options": {"pits": 8}, "tags": {"SouthTeam": "Koinet; Nasieku"}}


@pytest.fixture
def game(client):
    return f"/api/v1/games/{client.post('/api/v1/games', json=SMALL).json['id']}"


def test_people_come_and_go(client, game):
    answer = client.post(f"{game}/people", json={"action": "join", "side": "North", "name": "Abdi  Ali", "by": "K"})
    assert (answer.status_code, answer.json) == (201, {"South": ["Koinet", "Nasieku"], "North": ["Abdi Ali"]})
    assert answer.headers["ETag"] == client.get(game).headers["ETag"]
    client.post(f"{game}/turns", json={"move": "c", "by": "Nasieku"})
    client.post(f"{game}/people", json={"action": "leave", "side": "South", "name": "Nasieku"})
    people = client.get(f"{game}/people").json
    assert people == {"teams": {"South": ["Koinet"], "North": ["Abdi Ali"]}, "makers": ["Nasieku"], "faults": []}
    text = client.get(f"{game}.pmn").text
    assert '{[%join north "Abdi Ali"]}' in text
    assert '[%leave south "Nasieku"]' in text
    (read,) = read_games(text.splitlines(keepends=True))
    assert read.people().teams[-1].south == ("Koinet",)
    assert client.get(f"{game}/integrity").json["ok"]


def test_a_team_has_five_people(client, game):
    for name in "ABC":
        assert client.post(f"{game}/people", json={"action": "join", "side": "South", "name": name}).status_code == 201
    sixth = client.post(f"{game}/people", json={"action": "join", "side": "South", "name": "D"})
    assert (sixth.status_code, sixth.json["type"]) == (409, "/problems/conflict")
    assert "Koinet, Nasieku, A, B, C" in sixth.json["detail"]


def test_a_trial_has_the_number_of_the_turn_that_was_tried(client, game):
    first = client.post(f"{game}/trials", json={"move": "d", "by": "Nasieku", "ply": 1})
    assert (first.status_code, first.json) == (201, {"ply": 1, "move": "d", "by": "Nasieku"})
    client.post(f"{game}/turns", json={"move": "c"})
    client.post(f"{game}/trials", json={"move": "A"})  # which the rules forbid: it was tried all the same
    tried = [{"ply": 1, "move": "d", "by": "Nasieku"}, {"ply": 2, "move": "A", "by": ""}]
    assert client.get(f"{game}/trials").json["items"] == tried
    assert client.post(f"{game}/retractions", json={"reason": "team", "ply": 1}).json["ply"] == 1
    assert client.get(f"{game}/trials").json["items"] == tried
    client.post(f"{game}/turns", json={"move": "c"})
    assert client.get(game).json["ply"] == 1
    assert '{[%trial d by="Nasieku"]}' in client.get(f"{game}.pmn").text
    assert client.get(f"{game}/integrity").json["ok"]


def test_nothing_is_tried_when_the_game_is_over(client, game):
    client.post(f"{game}/end", json={"termination": "agreement"})
    assert client.post(f"{game}/trials", json={"move": "c"}).json["type"] == "/problems/game-ended"
