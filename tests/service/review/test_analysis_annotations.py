"""An analysis written into a game: values, glyphs and best lines as annotations, replaced when it is run again."""

from io import StringIO

import pytest

from inkeek.records import read_games
from inkeek.service.games import annotations as annotations_module
from tests.service.clients import with_token
from tests.service.study.test_jobs import work

API = "/api/v1"
MOVES = ("f", "A", "e", "B", "d", "C", "c")  # of Kalah: some of them lose seeds


@pytest.fixture
def game(client) -> str:
    """The path of a game that was not analyzed."""
    path = f"{API}/games/" + client.post(f"{API}/games", json={"game": "kalah"}).json["id"]
    for move in MOVES:
        assert client.post(f"{path}/turns", json={"move": move}).status_code == 201
    return path


def analyze(client, services, game, depth=5):
    job = client.post(f"{game}/analysis", json={"depth": depth, "nodes": 50_000}).json["id"]
    assert work(services, client, job)["state"] == "done"
    return client.get(f"{game}/analysis").json


def annotate(client, game, status=200, headers=None, **body):
    answer = client.post(f"{game}/analysis/annotations", json=body, headers=headers)
    assert answer.status_code == status, answer.text
    return answer


def notes(client, game, kind):
    items = client.get(f"{game}/annotations").json["items"]
    return {item["ply"]: item for item in items if item[kind] is not None}


def test_values_glyphs_and_lines_stand_in_the_game_and_in_its_record(client, services, game):
    found = analyze(client, services, game)
    seq = client.get(game).json["seq"]
    answer = annotate(client, game, by="Nasieku")
    assert answer.json["seq"] == seq + 1
    assert {(item["by"], item["analysis"]) for item in answer.json["items"]} == {("Nasieku", True)}
    assert notes(client, game, "comment").keys() == set(range(len(MOVES) + 1))
    glyphs = {"?!": 6, "?": 2, "??": 4}
    expected = {turn["ply"]: glyphs[turn["glyph"]] for turn in found["turns"] if turn["glyph"]}
    assert expected
    assert {ply: item["nag"] for ply, item in notes(client, game, "nag").items()} == expected
    assert notes(client, game, "variation").keys() == expected.keys()
    (read,) = read_games(StringIO(client.get(f"{game}.pmn").text))
    assert read.errors == ()
    assert all(ply.comments and ply.comments[-1].startswith("[%value") for ply in read.plies)
    assert {number: ply.nags[0] for number, ply in enumerate(read.plies, 1) if ply.nags} == expected
    for ply in expected:
        best = [str(move.move.choice) for move in read.plies[ply - 1].variations[0].plies]
        turn = found["turns"][ply - 1]
        assert best == [move.split("x")[0] for move in turn["best"]["moves"]][: len(best)]


def test_run_again_it_changes_only_what_differs(client, services, game):
    analyze(client, services, game)
    annotate(client, game)
    before = client.get(f"{game}/annotations").json
    assert annotate(client, game).json == {"seq": before["seq"], "items": []}
    analyze(client, services, game, depth=1)
    changed = annotate(client, game).json
    assert changed["seq"] == before["seq"] + 1
    after = client.get(f"{game}/annotations").json["items"]
    comments = [item["ply"] for item in after if item["comment"]]
    assert comments == list(range(len(MOVES) + 1))
    assert [item["comment"] for item in after] != [item["comment"] for item in before["items"]]
    assert services.games.integrity(game.rpartition("/")[2]) == []


def test_what_somebody_else_wrote_stays_and_gets_nothing_beside_it(client, services, game):
    found = analyze(client, services, game)
    ply = next(turn["ply"] for turn in found["turns"] if turn["glyph"])
    mine = [{"ply": ply, "nag": 1}, {"ply": ply, "comment": "[%value 9] sure"}, {"ply": 1, "comment": "the usual"}]
    assert client.post(f"{game}/annotations", json={"add": mine}).status_code == 200
    annotate(client, game)
    there = [item for item in client.get(f"{game}/annotations").json["items"] if item["ply"] == ply]
    assert [item["nag"] for item in there if item["nag"] is not None] == [1]
    assert [item["comment"] for item in there if item["comment"]] == ["[%value 9] sure"]
    assert len([item for item in there if item["variation"]]) == 1
    assert client.delete(f"{game}/analysis/annotations").status_code == 200
    left = client.get(f"{game}/annotations").json["items"]
    said = sorted((item["ply"], str(item["nag"] or item["comment"])) for item in left)
    assert said == sorted([(1, "the usual"), (ply, "1"), (ply, "[%value 9] sure")])


def test_a_comment_that_a_person_changed_is_theirs(client, services, game):
    analyze(client, services, game)
    annotate(client, game)
    one = notes(client, game, "comment")[2]
    words = f"{one['comment']} as expected"
    client.post(f"{game}/annotations", json={"change": [{"id": one["id"], "comment": words}]})
    analyze(client, services, game, depth=1)
    annotate(client, game)
    kept = notes(client, game, "comment")[2]
    assert (kept["comment"], kept["analysis"]) == (words, False)
    left = client.delete(f"{game}/analysis/annotations").json["items"]
    assert [item["comment"] for item in left] == [words]


def test_a_game_that_was_not_analyzed_or_went_on_is_refused(client, services, game):
    assert annotate(client, game, 409).json["type"] == "/problems/conflict"
    analyze(client, services, game)
    move = services.games.load(game.rpartition("/")[2]).legal(1)[0].choice
    assert client.post(f"{game}/turns", json={"move": str(move)}).status_code == 201
    assert annotate(client, game, 409).json["type"] == "/problems/conflict"
    assert client.get(f"{game}/annotations").json["items"] == []


def test_the_etag_is_a_precondition(client, services, game):
    analyze(client, services, game)
    old = client.get(game).headers["ETag"]
    client.post(f"{game}/annotations", json={"add": [{"ply": 1, "comment": "meanwhile"}]})
    annotate(client, game, 412, {"If-Match": old})
    now = client.get(game).headers["ETag"]
    annotate(client, game, 200, {"If-Match": now})
    assert client.delete(f"{game}/analysis/annotations", headers={"If-Match": now}).status_code == 412


def test_another_key_cannot_replace_it_but_an_arbiter_can(app, client, services, game):
    analyze(client, services, game)
    first, second = with_token(app, "record"), with_token(app, "record", name="other")
    annotate(first, game)
    analyze(client, services, game, depth=1)
    assert annotate(second, game, 403).json["type"] == "/problems/forbidden"
    assert second.delete(f"{game}/analysis/annotations").status_code == 403
    annotate(client, game)
    assert annotate(with_token(app, "read"), game, 403)


def test_more_changes_than_one_event_may_have_are_refused(client, services, game, monkeypatch):
    analyze(client, services, game)
    monkeypatch.setattr(annotations_module, "MAX_CHANGES", 5)
    answer = annotate(client, game, 422)
    assert "5" in answer.json["detail"]
    assert client.get(f"{game}/annotations").json["items"] == []
