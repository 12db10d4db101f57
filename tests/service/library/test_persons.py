import pytest

from inkeek.service.games.library import persons
from inkeek.service.http.names import name_id

API = "/api/v1"


def new_game(client, south, north="Ben", **tags):
    body = {"game": "oware", "tags": {"South": south, "North": north, "Event": "Cup", **tags}}
    return client.post(f"{API}/games", json=body).json["id"]


def player(name):
    return f"{API}/players/{name_id(name)}"


def listed(client):
    return [item["name"] for item in client.get(f"{API}/players").json["items"]]


def standing_names(client):
    items = client.get(f"{API}/events/{name_id('cup')}/standings").json["items"]
    return sorted(item["player"]["name"] for item in items)


def state(client):
    """All that lists, standings and searches say of the players."""
    found = client.get(f"{API}/players").json, client.get(f"{API}/events/{name_id('cup')}/standings").json
    games = [client.get(f"{API}/games?player={name}").json for name in ("lemayan", "lemayian", "ben")]
    return *found, *games


@pytest.fixture
def games(client):
    """Lemayan wins a game, Lemayian loses one, each against Ben."""
    found = [new_game(client, "Lemayan"), new_game(client, "Lemayian")]
    for game, winner in zip(found, ("South", "North"), strict=True):
        client.post(f"{API}/games/{game}/end", json={"termination": "resignation", "winner": winner})
    return found


def test_a_new_spelling_changes_no_name(client, games):
    new_game(client, "LEMAYAN", "  ben ")
    assert listed(client) == ["Ben", "Lemayan", "Lemayian"] == standing_names(client)
    assert client.get(player("lemayan")).json["games"] == 2


def test_a_name_is_spelled_in_another_way_and_its_games_keep_the_old_one(client, games):
    answer = client.patch(player("lemayan"), json={"name": " LeMayan ", "by": "Nasieku"})
    assert (answer.status_code, answer.json["name"]) == (200, "LeMayan")
    assert "LeMayan" in listed(client)
    assert "LeMayan" in standing_names(client)
    assert client.get(f"{API}/games/{games[0]}").json["tags"]["South"] == "Lemayan"
    change = client.get(f"{player('lemayan')}/changes").json["items"][0]
    assert (change["kind"], change["by"], change["undone"]) == ("name", "Nasieku", False)


def test_the_old_name_leads_to_the_new_one(client, games):
    answer = client.patch(player("lemayan"), json={"name": "Saitoti"}).json
    assert (answer["id"], answer["games"], answer["joined"]) == (name_id("saitoti"), 1, ["lemayan"])
    assert client.get(player("lemayan")).json == answer
    new_game(client, "Lemayan")
    assert client.get(player("saitoti")).json["games"] == 2
    by_old, by_new = (client.get(f"{API}/games?player={name}").json for name in ("lemayan", "Saitoti"))
    assert by_old == by_new
    back = client.patch(player("saitoti"), json={"name": "Lemayan"}).json
    assert (back["id"], back["games"], back["joined"]) == (name_id("lemayan"), 2, ["saitoti"])


def test_two_names_become_one_player_and_two_again(client, app, games):
    before = state(client)
    answer = client.post(f"{player('lemayan')}/join", json={"into": name_id("lemayian"), "by": "Nasieku"}).json
    (record,) = answer["records"]
    assert (answer["name"], answer["games"], record["won"], record["lost"]) == ("Lemayian", 2, 1, 1)
    assert listed(client) == ["Ben", "Lemayian"] == standing_names(client)
    found = client.get(f"{API}/games?player=LEMAYAN").json["items"]
    assert [game["tags"]["South"] for game in found] == ["Lemayian", "Lemayan"]
    assert all(client.get(f"{API}/games/{game}/integrity").json["ok"] for game in games)
    change = client.get(f"{player('lemayan')}/changes").json["items"][0]
    assert (change["kind"], change["by"], sorted(change["names"])) == ("join", "Nasieku", ["lemayan", "lemayian"])
    undo = f"{player('lemayian')}/changes/{change['number']}/undo"
    assert client.post(undo, json={}).json["name"] == "Lemayan"
    assert state(client) == before
    assert client.post(undo, json={}).status_code == 409
    kinds = [(one["kind"], one["undone"]) for one in client.get(f"{player('lemayan')}/changes").json["items"]]
    assert kinds == [("undo", False)]
    assert all(client.get(f"{API}/games/{game}/integrity").json["ok"] for game in games)


def test_a_game_of_both_names_counts_once(client, games):
    client.post(f"{player('lemayan')}/join", json={"into": name_id("lemayian")})
    game = new_game(client, "Lemayan", "Lemayian")
    client.post(f"{API}/games/{game}/end", json={"termination": "resignation", "winner": "South"})
    record = client.get(player("lemayian")).json["records"][0]
    assert (record["won"], record["lost"], record["both"]) == (1, 1, 1)
    assert client.get(f"{API}/games/{game}/integrity").json["ok"]


def test_a_change_that_another_builds_on_is_not_undone(client, games):
    client.post(f"{player('lemayan')}/join", json={"into": name_id("lemayian")})
    number = client.get(f"{player('lemayan')}/changes").json["items"][0]["number"]
    client.patch(player("lemayian"), json={"name": "LEMAYIAN"})
    assert client.post(f"{player('lemayian')}/changes/{number}/undo", json={}).status_code == 409


def test_initials_stand_in_lists_and_the_record_keeps_the_name(client, games):
    client.patch(player("lemayan"), json={"name": "Lemayan Ole Kina"})
    assert client.put(f"{player('lemayan')}/initials", json={"initials": True}).json["name"] == "L. O. K."
    assert "L. O. K." in listed(client)
    assert "L. O. K." in standing_names(client)
    assert client.get(f"{API}/games?player=lemayan").json["items"][0]["tags"]["South"] == "L. O. K."
    assert client.get(f"{API}/games/{games[0]}").json["tags"]["South"] == "Lemayan"
    client.post(f"{player('lemayan')}/join", json={"into": name_id("lemayian")})
    assert client.get(player("lemayian")).json["initials"]
    assert not client.put(f"{player('lemayian')}/initials", json={"initials": False}).json["initials"]


def test_who_is_taken_out_is_replaced_in_tags_also_in_those_of_a_match(client, games, monkeypatch):
    match = client.post(
        f"{API}/matches", json={"game": "oware", "title": "games 2", "tags": {"South": "Ann", "North": "LEMAYAN"}}
    ).json["id"]
    client.post(f"{API}/games/{match}/end", json={"termination": "resignation", "winner": "South"})
    second = client.post(f"{API}/matches/{match}/games", json={}).json["id"]
    client.patch(player("lemayan"), json={"name": "Lemayan K"})
    answer = client.post(f"{player('lemayan')}/removal", json={"by": "Nasieku"}).json
    assert (answer["games"], answer["more"]) == (3, False)
    for game, side in ((games[0], "South"), (match, "North"), (second, "North")):
        assert client.get(f"{API}/games/{game}").json["tags"][side] == answer["name"]
        assert client.get(f"{API}/games/{game}/integrity").json["ok"]
    assert client.get(player("lemayan")).status_code == 404
    assert client.get(f"{player('lemayan k')}/changes").status_code == 404


def test_taking_out_goes_on_where_it_stopped(client, monkeypatch):
    monkeypatch.setattr(persons, "TAKEN_AT_ONCE", 2)
    for _ in range(3):
        new_game(client, "Lemayan")
    assert [client.post(f"{player('lemayan')}/removal", json={}).json["more"] for _ in range(2)] == [True, False]
    assert "Lemayan" not in listed(client)


def test_names_that_are_near_are_found(client, games):
    new_game(client, "Ole Kina", "Zoe")
    new_game(client, "Kina Ole", "Zoe")
    near = [one["name"] for one in client.get(player("lemayan")).json["near"]]
    assert near == ["Lemayian"]
    assert [one["name"] for one in client.get(player("ole kina")).json["near"]] == ["Kina Ole"]
    assert client.get(player("ben")).json["near"] == []
