import pytest

from inkeek.service.http.names import key_of, name_id

NAMES = ["Ann", "ann lee", "Ánna", "Anna", "Ben", "José", "a/b", "../x", "?", "", "Ｚoë", "አበበ"]


def pages(client, path, limit):
    found, answer = [], client.get(f"/api/v1/{path}&limit={limit}").json
    while answer["next"] is not None:
        assert len(answer["items"]) == limit
        found += answer["items"]
        answer = client.get(f"/api/v1/{path}&limit={limit}&cursor={answer['next']}").json
    return found + answer["items"]


@pytest.fixture
def games(client):
    return [
        client.post(
            "/api/v1/games", json={"game": "bof", "tags": {"South": name, "North": "Ann", "Event": f"{name} cup"}}
        ).json["id"]
        for name in NAMES
    ]


@pytest.mark.parametrize("limit", [1, 3, 50])
def test_players_are_listed_by_name_and_found_by_prefix(client, games, limit):
    def names(prefix):
        return [item["name"] for item in pages(client, f"players?prefix={prefix}", limit)]

    assert names("") == ["../x", "a/b", "Ann", "ann lee", "Anna", "Ben", "José", "Ｚoë", "Ánna", "አበበ"]
    assert names("ANN") == ["Ann", "ann lee", "Anna"]
    assert names("jose") == []
    assert names("JOSE%CC%81") == ["José"]
    assert names("zo") == ["Ｚoë"]
    assert names("አ") == ["አበበ"]


def test_events_are_listed_by_name_and_found_by_prefix(client, games):
    assert [item["name"] for item in pages(client, "events?prefix=ann", 2)] == ["Ann cup", "ann lee cup", "Anna cup"]


def test_each_listed_player_and_event_can_be_read(client, games):
    for path in ("players", "events"):
        for item in client.get(f"/api/v1/{path}").json["items"]:
            found = client.get(f"/api/v1/{path}/{item['id']}").json
            assert {name: found[name] for name in item} == item
            assert found["games"] >= 1


def test_a_player_has_records_and_an_event_dates_and_standings(client, games):
    for game in games[:2]:
        client.post(f"/api/v1/games/{game}/end", json={"termination": "resignation", "winner": "North"})
    client.patch(f"/api/v1/games/{games[1]}", json={"tags": {"Date": "2026.11.??"}})
    ann = client.get(f"/api/v1/players/{name_id('ann')}").json
    assert (ann["name"], ann["games"], ann["complete"]) == ("Ann", len(NAMES), True)
    scores = {"won": 1, "drawn": 0, "lost": 0, "live": len(NAMES) - 2, "unfinished": 0, "both": 1}
    assert ann["records"] == [{"game": "bof", "rules": None, **scores}]
    event = client.get(f"/api/v1/events/{name_id('ann lee cup')}").json
    assert (event["games"], event["first_date"], event["last_date"]) == (1, "2026-11", "2026-11")
    standings = client.get(f"/api/v1/events/{event['id']}/standings").json["items"]
    assert [(one["rank"], one["player"]["name"], one["points"]) for one in standings] == [
        (1, "Ann", 1),
        (2, "ann lee", 0),
    ]


def test_matches_of_a_player_or_an_event_are_listed(client):
    tags = {"South": "Ann", "North": "Ben", "Event": "Cup"}
    match = client.post("/api/v1/matches", json={"game": "oware", "title": "games 2", "tags": tags}).json["id"]
    client.post("/api/v1/matches", json={"game": "oware", "title": "games 2"})
    client.post("/api/v1/games", json={"game": "oware", "tags": tags})
    for query in ("player=BEN", "event=cup", "player=ann&event=cup"):
        assert [one["id"] for one in client.get(f"/api/v1/matches?{query}").json["items"]] == [match]
    assert client.get("/api/v1/matches?player=cleo").json["items"] == []
    assert client.get(f"/api/v1/players/{name_id('ann')}").json["matches"] == 1


@pytest.mark.parametrize("wrong", ["!", "QQ", "QW5uAA", "AA", "YQ==", "YQ=", "A" * 5])
def test_what_is_no_id_is_not_found(client, wrong):
    assert key_of(wrong) is None
    for path in (f"players/{wrong}", f"events/{wrong}", f"events/{wrong}/standings"):
        assert client.get(f"/api/v1/{path}").status_code == 404
    assert client.get(f"/api/v1/players?cursor={wrong}").status_code == 422


def test_games_are_listed_by_time_of_creation(client, games):
    oldest = client.get("/api/v1/games?sort=created&limit=5").json
    rest = client.get(f"/api/v1/games?sort=created&cursor={oldest['next']}").json
    assert [one["id"] for one in (*oldest["items"], *rest["items"])] == games
    middle = client.get(f"/api/v1/games/{games[6]}").json["created"]
    late = client.get(f"/api/v1/games?created_since={middle}").json["items"]
    assert [one["id"] for one in late] == games[:5:-1]
    early = client.get(f"/api/v1/games?created_until={middle}&sort=created&player=ann").json["items"]
    assert [one["id"] for one in early] == games[:7]
