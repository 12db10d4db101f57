import json
import re

import pytest

from inkeek.records import read_games
from inkeek.service.maintenance import archive, verify

SMALL = {"game": "enkeshui", "options": {"pits": 8, "setup": "fours-right"}}
NEARLY_OVER = "0.1.1.0.0.0.0.0/0.0.0.0.0.0.0.0 29-17 s 10"  # over after South's next turn
MISTAKE = {"termination": "resignation", "winner": "South"}
RIGHT = {"termination": "resignation", "winner": "North", "reason": "South  resigned", "by": "Judge"}


@pytest.fixture
def game(client):
    """A game of one turn in which the wrong side was entered as the winner."""
    path = f"/api/v1/games/{client.post('/api/v1/games', json=SMALL).json['id']}"
    client.post(f"{path}/turns", json={"move": "c"})
    assert client.post(f"{path}/end", json={**MISTAKE, "by": "Desk"}).status_code == 200
    return path


def kinds(client, game):
    return [json.loads(line)["kind"] for line in ndjson(client, game)]


def ndjson(client, game):
    return client.get(f"{game}/events?format=ndjson").text.splitlines()


def record(client, game):
    (read,) = read_games(client.get(f"{game}.pmn").text.splitlines(keepends=True))
    assert read.errors == ()
    return read


def is_whole(client, game):
    return client.get(f"{game}/integrity").json["ok"]


def test_an_end_is_corrected_and_the_old_one_stays_in_log_and_record(client, game):
    answer = client.post(f"{game}/end/correction", json={**RIGHT, "score": [20, 28]})
    assert answer.status_code == 200
    assert (answer.json["result"], answer.json["winner"], answer.json["score"]) == ("0-1", "North", [20, 28])
    assert (answer.json["state"], answer.json["termination"], answer.json["seq"]) == ("ended", "resignation", 4)
    assert kinds(client, game) == ["created", "turn", "ended", "correction"]
    assert client.get(game).json == answer.json
    assert [found["id"] for found in client.get("/api/v1/games?result=0-1").json["items"]] == [answer.json["id"]]
    assert client.get("/api/v1/games?result=1-0").json["items"] == []
    read = record(client, game)
    assert (read.tags["Result"], read.tags["Score"], read.tags["Termination"]) == ("0-1", "20-28", "resignation")
    assert read.plies[-1].comments == (
        '[%end 1-0 termination=resignation by="Desk"]',
        '[%correction 0-1 termination=resignation score=20-28 by="Judge" reason="South resigned"]',
    )
    assert is_whole(client, game)


def test_a_corrected_end_is_corrected_again(client, game):
    client.post(f"{game}/end/correction", json=RIGHT)
    again = client.post(f"{game}/end/correction", json={"termination": "agreement", "reason": "they had agreed"})
    assert (again.json["result"], again.json["termination"], again.json["winner"]) == ("1/2-1/2", "agreement", None)
    assert [comment.split()[0] for comment in record(client, game).plies[-1].comments] == [
        "[%end",
        "[%correction",
        "[%correction",
    ]


def test_a_game_is_reopened_goes_on_and_ends_otherwise(client, game):
    answer = client.post(f"{game}/end/reopening", json={"reason": "nobody had resigned"})
    assert answer.status_code == 200
    assert (answer.json["state"], answer.json["result"], answer.json["to_move"]) == ("live", "*", "North")
    assert record(client, game).tags["Result"] == "*"
    assert client.post(f"{game}/retractions", json={"reason": "team"}).status_code == 201
    assert client.post(f"{game}/turns", json={"move": "d"}).status_code == 201
    assert record(client, game).comments[-3:] == (
        '[%end 1-0 termination=resignation by="Desk"]',
        '[%reopen reason="nobody had resigned"]',
        "[%retract cx2=A side=south reason=team]".replace("cx2=A", record_move(client, game)),
    )
    client.post(f"{game}/end", json={"termination": "time", "winner": "North"})
    assert record(client, game).tags["Result"] == "0-1"
    assert is_whole(client, game)


def record_move(client, game):
    """The move that was taken back, as the record has it."""
    return client.get(f"{game}/retractions").json["items"][0]["move"]


def test_the_rules_decide_a_game_that_is_over_on_the_board(client):
    path = f"/api/v1/games/{client.post('/api/v1/games', json={**SMALL, 'setup': NEARLY_OVER}).json['id']}"
    over = client.post(f"{path}/turns", json={"move": "b"}).json["ended"]
    assert over["termination"] == "normal"
    for body in ({"termination": "resignation", "winner": "North"}, {"termination": "adjudication", "score": [1, 2]}):
        answer = client.post(f"{path}/end/correction", json={**body, "reason": "I say so"})
        assert (answer.status_code, answer.json["type"]) == (409, "/problems/conflict")
    assert client.post(f"{path}/end/reopening", json={"reason": "I say so"}).status_code == 409
    assert client.post(f"{path}/retractions", json={"reason": "team"}).status_code == 201
    assert client.get(path).json["state"] == "live"


def test_a_correction_comes_once_and_not_too_late(client, game):
    key = {"Idempotency-Key": "k1"}
    first = client.post(f"{game}/end/correction", json=RIGHT, headers=key)
    again = client.post(f"{game}/end/correction", json=RIGHT, headers=key)
    assert (again.status_code, again.json) == (200, first.json)
    assert first.headers["ETag"] == '"4"'
    late = client.post(f"{game}/end/reopening", json={"reason": "so"}, headers={"If-Match": '"3"'})
    assert (late.status_code, late.json["type"]) == (412, "/problems/stale")
    assert kinds(client, game) == ["created", "turn", "ended", "correction"]


class TestDisputes:
    def dispute(self, client, game, **more):
        body = {"side": "South", "claim": "North resigned", "about": "end", "by": "A", **more}
        return client.post(f"{game}/disputes", json=body)

    def rule(self, client, dispute, **body):
        return client.post(f"/api/v1/disputes/{dispute['id']}/ruling", json={"by": "Judge", **body})

    def test_an_end_that_stands(self, client, game):
        dispute = self.dispute(client, game).json
        assert (dispute["about"], dispute["ply"], dispute["turn"]) == ("end", 1, 3)
        assert self.rule(client, dispute, outcome="stands").json["game"]["result"] == "1-0"
        assert record(client, game).plies[-1].comments[0] == ('[%dispute side=south claim="North resigned" about=end]')

    def test_an_end_that_is_corrected(self, client, game):
        dispute = self.dispute(client, game).json
        change = {"outcome": "corrected", "termination": "time", "winner": "North", "score": [20, 28]}
        assert self.rule(client, dispute, **change).status_code == 422  # no note says why
        answer = self.rule(client, dispute, **change, note="the clock shows it")
        assert answer.status_code == 201
        assert (answer.json["game"]["result"], answer.json["game"]["score"]) == ("0-1", [20, 28])
        assert answer.json["dispute"]["ruling"]["outcome"] == "corrected"
        assert kinds(client, game)[-2:] == ["ruling", "correction"]
        assert is_whole(client, game)
        assert record(client, game).people().faults == ()

    def test_a_game_that_is_reopened(self, client, game):
        dispute = self.dispute(client, game).json
        answer = self.rule(client, dispute, outcome="reopened", note="nobody had resigned")
        assert (answer.status_code, answer.json["game"]["state"]) == (201, "live")
        assert kinds(client, game)[-2:] == ["ruling", "reopening"]
        assert client.get("/api/v1/disputes?state=open").json["items"] == []

    def test_a_disputed_end_is_changed_by_the_ruling_alone(self, client, game):
        dispute = self.dispute(client, game).json
        for path, body in (("correction", RIGHT), ("reopening", {"reason": "nobody gave up"})):
            refused = client.post(f"{game}/end/{path}", json=body)
            assert (refused.status_code, refused.json["dispute"]) == (409, dispute["id"])
        assert self.rule(client, dispute, outcome="stands").status_code == 201

    def test_a_dispute_about_a_turn_reopens_nothing(self, client, game):
        dispute = self.dispute(client, game, about="turn").json
        assert self.rule(client, dispute, outcome="reopened", note="so").status_code == 422


class TestMatches:
    def begin(self, client, title="games 3", game="bof", **options):
        body = {"game": game, "title": title, "options": options, "tags": {"South": "A", "North": "B"}}
        return client.post("/api/v1/matches", json=body).json["id"]

    def end(self, client, game_id, winner="South"):
        body = {"termination": "resignation", "winner": winner}
        assert client.post(f"/api/v1/games/{game_id}/end", json=body).status_code == 200

    def go_on(self, client, match):
        answer = client.post(f"/api/v1/matches/{match}/games", json={})
        assert answer.status_code == 201, answer.json
        return answer.json["id"]

    def correct(self, client, game_id, winner="North", **more):
        return client.post(
            f"/api/v1/games/{game_id}/end/correction",
            json={"termination": "resignation", "winner": winner, "reason": "a mistake", **more},
        )

    def standing(self, client, match):
        found = client.get(f"/api/v1/matches/{match}").json
        return found["tally"]["South"], found["tally"]["North"], [game["result"] for game in found["games"]]

    def test_tally_sticks_and_next_set_up_follow(self, client):
        match = self.begin(client, "surplus", "enkeshui", pits=8)
        self.end(client, match)
        before = client.get(f"/api/v1/matches/{match}").json
        answer = client.post(
            f"/api/v1/games/{match}/end/correction",
            json={"termination": "resignation", "winner": "North", "score": [8, 40], "reason": "a mistake"},
        )
        assert answer.status_code == 200
        after = client.get(f"/api/v1/matches/{match}").json
        assert (before["tally"]["South"], after["tally"]["North"]) == (1, 1)
        assert (before["seeds"], after["seeds"], after["removed"]) == ([24, 24], [8, 24], 16)
        assert after["coming"]["start"] != before["coming"]["start"]
        following = client.get(f"/api/v1/games/{self.go_on(client, match)}").json
        assert following["position"] == after["coming"]["start"]

    def test_a_score_must_share_out_the_seeds_of_the_match(self, client):
        match = self.begin(client, "surplus", "enkeshui", pits=8)
        self.end(client, match)
        answer = self.correct(client, match, score=[8, 30])
        assert (answer.status_code, answer.json["type"]) == (409, "/problems/conflict")
        assert client.get(f"/api/v1/matches/{match}").json["tally"]["South"] == 1

    def test_a_later_game_that_still_follows_is_kept_when_the_arbiter_confirms(self, client):
        match = self.begin(client, starter="alternate")
        self.end(client, match)
        second = self.go_on(client, match)
        answer = self.correct(client, match)
        assert (answer.status_code, answer.json["type"]) == (409, "/problems/conflict")
        assert answer.json["later"] == [{"id": second, "number": 2, "state": "live", "result": "*", "follows": True}]
        assert answer.json["current"]["seq"] == 2
        assert self.standing(client, match) == (1, 0, ["1-0", "*"])
        assert self.correct(client, match, confirm=True).status_code == 200
        assert self.standing(client, match) == (0, 1, ["0-1", "*"])
        assert client.get(f"/api/v1/games/{second}").json["state"] == "live"

    def test_games_that_no_longer_follow_count_no_more_and_keep_their_records(self, client):
        match = self.begin(client, starter="winner")
        self.end(client, match)
        second = self.go_on(client, match)
        self.end(client, second)
        third = self.go_on(client, match)
        answer = self.correct(client, match)
        assert answer.status_code == 409
        assert [(game["id"], game["follows"]) for game in answer.json["later"]] == [(second, False), (third, False)]
        assert self.standing(client, match) == (2, 0, ["1-0", "1-0", "*"])
        before = [client.get(f"/api/v1/games/{id}").json for id in (second, third)]
        assert self.correct(client, match, confirm=True).status_code == 200
        assert self.standing(client, match) == (0, 1, ["0-1", "1-0", "*"])
        assert [client.get(f"/api/v1/games/{id}").json for id in (second, third)] == before
        assert all(is_whole(client, f"/api/v1/games/{id}") for id in (second, third))
        found = client.get(f"/api/v1/matches/{match}").json["games"]
        assert [bool(one["lost"]) for one in found] == [False, True, True]
        legal = client.get(f"/api/v1/games/{third}").json["legal"]
        assert client.post(f"/api/v1/games/{third}/turns", json={"move": legal[0]}).status_code == 409
        for page in (f"/games/{third}/live", f"/matches/{match}"):
            assert "data-lost" in client.get(page).text
        again = client.get(f"/api/v1/games/{self.go_on(client, match)}").json
        assert (again["tags"]["MatchGame"], again["to_move"]) == ("2", "North")
        legal = again["legal"]
        assert client.post(f"/api/v1/games/{again['id']}/turns", json={"move": legal[0]}).status_code == 201

    def test_a_game_counts_again_when_the_correction_is_undone(self, client):
        match = self.begin(client, starter="winner")
        self.end(client, match)
        second = self.go_on(client, match)
        self.end(client, second)
        for winner, standing in (("North", (0, 1)), ("South", (2, 0))):
            assert self.correct(client, match, winner, confirm=True).status_code == 200
            assert self.standing(client, match)[:2] == standing

    def test_a_game_that_the_rules_ended_stays_whole_when_it_no_longer_follows(self, client, services):
        match = self.begin(client, starter="winner")
        self.end(client, match)
        path = f"/api/v1/games/{self.go_on(client, match)}"
        while legal := client.get(path).json["legal"]:
            client.post(f"{path}/turns", json={"move": legal[-1]})
        before = client.get(path).json
        assert self.correct(client, match, confirm=True).status_code == 200
        assert (client.get(path).json, before["termination"]) == (before, "normal")
        assert is_whole(client, path)
        lines = list(archive.export(services.store))
        assert archive.check(services.store, lines) == []

    def test_a_game_that_lost_its_result_cannot_get_it_back_out_of_turn(self, client):
        match = self.begin(client, starter="winner")
        self.end(client, match)
        second = self.go_on(client, match)
        self.correct(client, match, confirm=True)
        answer = self.correct(client, second, confirm=True)  # South began, and now North should have
        assert answer.status_code == 409
        assert self.standing(client, match)[:2] == (0, 1)

    def test_a_turn_is_free_again_when_the_next_game_is_abandoned(self, client):
        match = self.begin(client)
        path = f"/api/v1/games/{match}"
        while legal := client.get(path).json["legal"]:
            client.post(f"{path}/turns", json={"move": legal[-1]})
        assert client.get(path).json["termination"] == "normal"
        second = self.go_on(client, match)
        take_back = f"/api/v1/games/{match}/retractions"
        assert client.post(take_back, json={"reason": "team"}).status_code == 409
        client.post(f"/api/v1/games/{second}/end", json={"termination": "abandoned"})
        assert client.post(take_back, json={"reason": "team"}).status_code == 201


def test_corrections_are_archived_rebuilt_and_imported(client, services, game, tmp_path):
    client.post(f"{game}/end/correction", json=RIGHT)
    client.post(f"{game}/disputes", json={"side": "South", "claim": "no", "about": "end"})
    client.post(f"{game}/end/reopening", json={"reason": "so"})
    client.post(f"{game}/end", json={"termination": "agreement"})
    store = services.store
    lines = list(archive.export(store))
    assert archive.check(store, lines) == []
    with store.writing() as transaction:
        row = transaction.games.get(client.get(game).json["id"])
        transaction.games.put(row._replace(result="1-0", winner="South"))
        transaction.disputes.replace(row.id, ())
    assert not is_whole(client, game)
    assert [report.rebuilt for report in verify.rebuild(store)] == [True]
    assert is_whole(client, game)
    assert client.get("/api/v1/disputes").json["items"][0]["about"] == "end"
    text = client.get(f"{game}.pmn").text
    other = re.sub(r'\[GameId "\w+"\]\n', "", text.replace('"?"', '"elsewhere"', 1))
    answer = client.post("/api/v1/games/import", data=other.encode(), content_type="application/x-mancala-pmn")
    new = json.loads(answer.text)["id"]
    assert client.get(f"/api/v1/games/{new}.pmn").text.replace(f'[GameId "{new}"]\n', "") == other
