"""A game of a match that goes on again after the next one has begun: the later games stand still until it has ended."""

import pytest

from tests.service.clients import with_token

SOUTH_WINS = {"termination": "resignation", "winner": "South"}
NORTH_WINS = {"termination": "resignation", "winner": "North"}
TAGS = {"South": "Naisula", "North": "Tipape", "Event": "Evening"}


@pytest.fixture
def match(client):
    """Begins a match whose first game South has won after two turns, and whose second goes on; returns both games."""

    def begin(starter: str = "alternate", turns: int = 2) -> tuple[str, str]:
        body = {"game": "bof", "title": "games 3", "options": {"starter": starter}, "tags": TAGS}
        first = client.post("/api/v1/matches", json=body).json["id"]
        for _ in range(turns):
            play(client, first)
        assert client.post(f"/api/v1/games/{first}/end", json=SOUTH_WINS).status_code == 200
        second = client.post(f"/api/v1/matches/{first}/games", json={}).json["id"]
        play(client, second)
        return first, second

    return begin


def game(client, id):
    return client.get(f"/api/v1/games/{id}").json


def play(client, id, status=201):
    answer = client.post(f"/api/v1/games/{id}/turns", json={"move": game(client, id)["legal"][0]})
    assert answer.status_code == status, answer.json
    return answer


def reopen(client, id, **more):
    return client.post(f"/api/v1/games/{id}/end/reopening", json={"reason": "nobody gave up", **more})


def test_the_next_game_stands_still_and_keeps_its_turns(client, match):
    first, second = match()
    before = game(client, second)
    refused = reopen(client, first)
    assert refused.status_code == 409
    assert [(one["id"], one["follows"]) for one in refused.json["later"]] == [(second, None)]
    assert reopen(client, first, confirm=True).status_code == 200
    assert game(client, second) == before
    found = client.get(f"/api/v1/matches/{first}").json
    assert [one["still"] for one in found["games"]] == [False, True]
    assert (found["tally"], found["coming"]) == ({"South": 0, "North": 0, "drawn": 0}, None)
    assert play(client, second, 409).json["type"] == "/problems/conflict"
    refused = client.post(f"/api/v1/matches/{first}/games", json={})
    assert (refused.status_code, refused.json["game"]) == (409, first)
    assert client.get(f"/matches/{first}").status_code == 200


def test_it_goes_on_once_the_first_has_ended_again(client, match):
    first, second = match()
    reopen(client, first, confirm=True)
    play(client, first)
    assert client.post(f"/api/v1/games/{first}/retractions", json={"reason": "team"}).status_code == 201
    assert client.post(f"/api/v1/games/{first}/end", json=NORTH_WINS).status_code == 200
    play(client, second)
    found = client.get(f"/api/v1/matches/{first}").json
    assert [(one["state"], one["still"]) for one in found["games"]] == [("ended", False), ("live", False)]
    assert found["tally"]["North"] == 1
    assert client.post(f"/api/v1/games/{first}/retractions", json={"reason": "team"}).status_code == 409


@pytest.mark.parametrize("by_rules", [False, True])
def test_it_counts_no_more_only_if_it_no_longer_follows(client, match, by_rules):
    first, second = match("winner")
    reopen(client, first, confirm=True)
    assert game(client, second)["state"] == "live"
    if by_rules:
        while game(client, first)["state"] == "live":
            play(client, first)
    else:
        assert client.post(f"/api/v1/games/{first}/end", json=NORTH_WINS).status_code == 200
    follows = game(client, first)["result"] == "1-0"
    found = client.get(f"/api/v1/matches/{first}").json
    assert (game(client, second)["state"], found["games"][1]["lost"] is None) == ("live", follows)
    if not follows:
        assert found["coming"]["number"] == 2
    assert client.get(f"/matches/{first}").status_code == 200


def test_it_counts_no_more_if_the_one_before_it_has_no_result_now(client, match):
    first, second = match()
    body = {"termination": "abandoned", "reason": "it was another evening", "confirm": True}
    assert client.post(f"/api/v1/games/{first}/end/correction", json=body).status_code == 200
    found = client.get(f"/api/v1/matches/{first}").json
    assert [one["id"] for one in found["games"] if one["lost"]] == [second]
    assert (found["coming"]["number"], client.get(f"/matches/{first}").status_code) == (1, 200)


def test_the_board_of_a_game_that_stands_still_and_a_dispute_in_it_harm_nothing(client, match):
    first, second = match()
    reopen(client, first, confirm=True)
    assert client.post(f"/api/v1/games/{second}/end", json=SOUTH_WINS).status_code == 200
    found = client.get(f"/api/v1/matches/{first}").json
    assert (found["tally"]["South"], [one["still"] for one in found["games"]]) == (0, [False, True])
    (event,) = client.get("/api/v1/events").json["items"]
    standing = client.get(f"/api/v1/events/{event['id']}/standings").json["items"][0]
    assert (standing["tally"]["won"], standing["tally"]["open"], standing["matches"]["open"]) == (0, 2, 1)
    assert client.post(f"/api/v1/games/{first}/end", json=SOUTH_WINS).status_code == 200
    standing = client.get(f"/api/v1/events/{event['id']}/standings").json["items"][0]
    assert (standing["player"]["name"], standing["tally"]["won"]) == ("Naisula", 2)


END = {"termination": "time", "winner": "North"}
RULINGS = {
    "stands": ("turn", {}, True),
    "retracted": ("turn", {}, None),
    "retracted, to the start": ("turn", {"to": 0}, None),
    "corrected": ("turn", {"move": "LAST"}, None),
    "corrected, later kept": ("turn", {"move": "LAST", "keeps": True}, None),
    "ended": ("turn", END, False),
    "end stands": ("end", {}, True),
    "end corrected": ("end", END, False),
    "reopened": ("end", {}, None),
}


@pytest.mark.parametrize("ruling", RULINGS)
@pytest.mark.parametrize("starter", ["winner", "alternate"])
def test_what_a_preview_says_of_match_board_and_standings_comes_true(app, client, games, match, ruling, starter):
    about, terms, follows = RULINGS[ruling]
    first, _ = match(starter)
    terms = {"outcome": ruling.removeprefix("end ").split(",")[0], "note": "both saw it", **terms}
    if terms.get("move"):
        loaded = games.load(first)
        terms["move"] = str(loaded.rules.legal_moves(loaded.position_at(1))[-1].choice)
    body = {"side": "South", "claim": "no", "about": about, **({"disputed": 2} if about == "turn" else {})}
    dispute = client.post(f"/api/v1/games/{first}/disputes", json=body).json["id"]
    arbiter = with_token(app, "arbiter", name="Koinet")
    shown = arbiter.post(f"/api/v1/disputes/{dispute}/preview", json={**terms, "clocks": [{"side": "South", "to": 60}]})
    assert shown.status_code == 200, shown.json
    effects, (event,) = shown.json, client.get("/api/v1/events").json["items"]
    assert effects["clocks"] == [{"side": "South", "to": 60, "add": None}]
    path = f"/api/v1/events/{event['id']}/standings"
    before, recorded = client.get(path).json["items"], game(client, first)
    changes = effects["then"]["state"] != "ended" or effects["then"]["result"] != recorded["result"]
    assert effects["match"] or not changes
    refused = arbiter.post(f"/api/v1/disputes/{dispute}/ruling", json=terms)
    assert refused.status_code == (409 if changes else 201)
    if changes:
        assert refused.json["later"] == effects["match"]
        assert arbiter.post(f"/api/v1/disputes/{dispute}/ruling", json={**terms, "confirm": True}).status_code == 201
    after = game(client, first)
    assert {name: after[name] for name in effects["then"]} == effects["then"]
    for one in effects["match"]:
        (found,) = (row for row in client.get(f"/api/v1/matches/{first}").json["games"] if row["id"] == one["id"])
        assert (found["still"], found["lost"] is not None) == (one["follows"] is None, one["follows"] is False)
        if changes:
            assert one["follows"] is (True if starter == "alternate" and follows is not None else follows)
    ranks = {item["player"]["id"]: {name: item[name] for name in ("rank", "points")} for item in before}
    for change in effects["standings"]:
        assert ranks[change["player"]["id"]] == change["now"] != change["then"]
        ranks[change["player"]["id"]] = change["then"]
    assert ranks == {
        item["player"]["id"]: {name: item[name] for name in ("rank", "points")}
        for item in client.get(path).json["items"]
    }
    then, now = (client.get(f"/api/v1/games/{first}").json["position"], recorded["position"])
    assert bool(effects["board"]) is (then.split()[:2] != now.split()[:2])
    assert client.get(f"/games/{first}/disputes/{dispute.split('-')[1]}").status_code == 200
