"""A game whose rules the program does not know: kept, shown, entered by laying out, searched and exported."""

import html
import io
import json
import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from inkeek.records import Game, Move, Ply, read_games, ruleset, write_game
from inkeek.records.notation.tags import described
from inkeek.records.rules.ruleset import read_ruleset
from tests.data.notation.conformance import FOLDER as CORPUS
from tests.service.clients import signed_in, with_token

ID = "konso:lamlameta"
NEW = {"game": ID, "setup": "4.4.4.4/4.4.4.4 0-0 s 0", "tags": {"South": "Abebe", "North": "Kebede"}}
LAID = {"a": 4, "b": 0, "c": 5, "d": 5, "A": 5, "B": 5, "C": 5, "D": 0, "south": 3, "north": 0}
SECOND = "4.0.5.5/5.5.5.0 3-0 n 1"


def test_a_game_with_unknown_rules_is_kept_shown_found_and_exported(app):
    client, browser = with_token(app), signed_in(app, "admin")
    game_id = client.post("/api/v1/games", json=NEW).json["id"]
    api = f"/api/v1/games/{game_id}"
    refused = client.post(f"{api}/turns", json={"move": "b"})
    assert (refused.status_code, refused.json["reason"]) == (422, "unknown-rules")
    assert "konso:lamlameta" in client.get(api).json["warnings"][0]
    form = {"action": "irregular", "pit": "b", "next": "North", "ply": "1", **{f"laid.{p}": n for p, n in LAID.items()}}
    assert browser.post(f"/games/{game_id}/live/actions", data=form).status_code == 303
    assert client.get(api).json["position"] == SECOND
    assert client.post("/api/v1/games", json={**NEW, "setup": None}).status_code == 422

    for state in ("live", "ended"):
        for path in ("live", "review", "score-sheet", "share"):
            assert "lamlameta (" in browser.get(f"/games/{game_id}/{path}").text, path
        if state == "live":
            end = client.post(f"{api}/end", json={"termination": "normal", "winner": "South"})
            assert (end.status_code, end.json["result"]) == (200, "1-0")
    assert browser.get(f"/games/{game_id}/analysis").status_code == 422
    assert client.post(f"{api}/analysis", json={"nodes": 1000}).status_code == 422
    for path in (f"/games?game={ID}", f"/search?q={ID}", "/players/abebe"):
        assert "lamlameta (" in browser.get(path).text, path
    assert browser.get(f"/games/new?game={ID}").status_code == 200
    assert [one["id"] for one in client.get(f"/api/v1/games?game={ID}").json["items"]] == [game_id]

    text = client.get(f"{api}.pmn").text
    (game,) = read_games(io.StringIO(text))
    assert not game.errors
    assert game.replay().outcome.result == "1-0"
    assert str(game.replay().positions[-1]) == SECOND
    assert Game.from_json(json.loads(json.dumps(game.to_json()))) == game
    imported = client.post("/api/v1/games/import", data=text.replace("Abebe", "Bekele"))
    assert [json.loads(line)["ok"] for line in imported.text.splitlines()] == [True]


def test_a_record_that_brings_its_rules_is_played_by_them(app):
    client, browser = with_token(app), signed_in(app, "admin")
    text = (CORPUS / "good" / "rules.pmn").read_text("utf-8")
    (answer,) = client.post("/api/v1/games/import", data=text).text.splitlines()
    game_id = json.loads(answer)["id"]
    api = f"/api/v1/games/{game_id}"
    assert client.get(api).json["score"] == [5, 7]
    for path in ("live", "review", "score-sheet", "share"):
        page = browser.get(f"/games/{game_id}/{path}").text
        assert "Pairs" in page, path
        assert "rules not known" not in page, path
    (again,) = read_games(io.StringIO(client.get(f"{api}.pmn").text))
    (game,) = read_games(io.StringIO(text))
    assert not again.errors
    assert (again.tags["Rules"], again.replay().positions) == (game.tags["Rules"], game.replay().positions)
    assert client.patch(api, json={"tags": {"Rules": "{}"}}).status_code == 422


@pytest.mark.parametrize("others_known", [False, True])
def test_pages_of_a_game_ask_by_the_rules_that_it_carries(app, others_known):
    client, browser = with_token(app, "record"), signed_in(app, "admin")
    here = Path("docs/examples/rules/ayoayo.toml").read_text("utf-8")
    known = read_ruleset(here.replace('then = "relay"', 'then = "stop"'))
    if others_known:
        assert client.post("/api/v1/rulesets", json={"file": here}).status_code == 201
    record = write_game(Game(described(known), (Ply(Move.parse("a")),)))
    game_id = json.loads(client.post("/api/v1/games/import", data=record).text)["id"]
    name = f"{known.id}@{game_id}"
    page = html.unescape(browser.get(f"/games/{game_id}/review?ply=1").text)
    assert f'data-game="{name}"' in page
    (finding,) = {*re.findall(r'href="(/finding\?game=[^"]*claimed[^"]*)"', page)}
    assert name in unquote(finding)
    board = "0.5.5.5.5.4/4.4.4.4.4.4 0-0"
    answer = browser.get(f"/finding?game={name}&position={ruleset(known).start()}&board={board}")
    assert (answer.status_code, f'name="game" value="{name}"' in answer.text) == (200, True)
    query = {"game": name, "move": "a"}
    assert client.get("/api/v1/positions/trace", query_string=query).json["position"] == f"{board} n 1"
    assert client.get("/api/v1/positions/turns", query_string={"game": name}).json["turns"]
    assert client.post("/api/v1/analysis", json={"game": name, "depth": 1}).status_code == 200
    for path in (f"/analysis?game={name}", f"/rules/{name}"):
        assert browser.get(path).status_code == 200, path
    for wrong in (f"{known.id}@{'x' * 10}", f"my:other@{game_id}", f"oware@{game_id}"):
        assert client.get("/api/v1/positions/turns", query_string={"game": wrong}).status_code == 422, wrong
    assert client.post("/api/v1/games", json={"game": name}).status_code == 422
