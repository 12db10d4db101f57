import csv
import io
import json
from pathlib import Path

from inkeek.records import Game, Move, Ply, ruleset_ids, write_game
from inkeek.records.notation.tags import described
from inkeek.records.rules.ruleset import read_ruleset
from tests.service.clients import with_token

AYOAYO = Path("docs/examples/rules/ayoayo.toml").read_text("utf-8")
URL = "/api/v1/rulesets"


def test_all_rule_sets_are_told(client):
    items = client.get("/api/v1/rulesets").json["items"]
    assert [item["id"] for item in items] == list(ruleset_ids())


def test_one_rule_set_with_its_options(client):
    enkeshui = client.get("/api/v1/rulesets/enkeshui").json
    pits = next(option for option in enkeshui["options"] if option["name"] == "pits")
    assert (pits["default"], pits["allowed"], pits["attested"]) == (12, [8, 10, 12], True)
    assert (pits["attested_values"], pits["decided"]) == ([8, 10, 12], "")
    clause = next(clause for clause in enkeshui["clauses"] if clause["options"].get("capture_after_relay") == [True])
    assert clause["mark"] == "attested"
    assert clause["quote"]
    assert enkeshui["terms"]["special"] == "bull"
    assert enkeshui["sources"]


def test_a_rule_set_that_is_not_there(client):
    answer = client.get("/api/v1/rulesets/chess")
    assert answer.status_code == 404
    assert "enkeshui" in answer.json["detail"]


def test_a_local_rule_set_is_added_played_by_and_then_stays(app):
    client = with_token(app, "record", "arbiter")
    added = [client.post(URL, json={"file": AYOAYO}) for _ in range(2)]
    assert [answer.status_code for answer in added] == [201, 201]
    id = added[0].json["id"]
    assert added[0].json["file"] == AYOAYO == client.get(f"{URL}/{id}").json["file"]
    assert id in [item["id"] for item in client.get(URL).json["items"]]
    game = client.post("/api/v1/games", json={"game": id}).json["id"]
    assert client.post(f"/api/v1/games/{game}/turns", json={"move": "a"}).status_code == 201
    query = {"game": id, "move": "b"}
    assert client.get("/api/v1/positions/trace", query_string=query).json["sentences"]
    assert client.get("/api/v1/explorer", query_string={"game": id}).json["turns"][0]["times"] == 1
    assert client.post("/api/v1/analysis", json={"game": id, "depth": 2}).status_code == 200
    assert client.post("/api/v1/paper", json={"game": id, "text": "Amina - Babu\n1. a D"}).status_code == 200
    assert client.post("/api/v1/findings", json={"game": id, "board": "4.4.4.4.4.4/4.4.4.4.4.4 0-0"}).status_code == 200
    assert client.delete(f"{URL}/{id}").status_code == 409
    assert client.post(URL, json={"file": AYOAYO.replace("each = 4", "each = 3")}).status_code == 409


def test_games_of_one_id_by_other_rules_are_counted_apart(app):
    """By the same rules in other words they are counted together."""
    client = with_token(app, "record", "arbiter")
    retold = AYOAYO.replace("[[last]]", "[[last]]\nwhy = 'So they say.'").replace('name = "Ayoayo"', 'name = "Ayò"')
    files = (AYOAYO, retold, AYOAYO.replace("each = 4", "each = 5"))
    ended = {"Version": "1.1", "South": "Ann", "North": "Ben", "Result": "1-0", "Termination": "resignation"}
    rules = [read_ruleset(file) for file in files]
    record = "\n".join(write_game(Game({**described(one), **ended}, (Ply(Move.parse("a")),))) for one in rules)
    lines = client.post("/api/v1/games/import", data=record.encode(), content_type="text/plain").text.splitlines()
    ids = [json.loads(line)["id"] for line in lines]
    assert len(ids) == 3
    asked = [client.get("/api/v1/explorer", query_string={"game": f"{rules[0].id}@{id}"}).json for id in ids]
    assert [one["turns"][0]["times"] for one in asked] == [2, 2, 1]
    (ann,) = client.get("/api/v1/players?prefix=ann").json["items"]
    records = client.get(f"/api/v1/players/{ann['id']}").json["records"]
    assert sorted((one["game"], one["won"]) for one in records) == [(rules[0].id, 1), (rules[0].id, 2)]
    rows = list(csv.DictReader(io.StringIO(client.get("/api/v1/games.csv").text)))
    assert {one["carried_rules"] for one in rows} == {one["rules"] for one in records}
    page = client.get("/players/ann").text
    assert all(page.count(f"#{one['rules']}") == 2 for one in records)  # in what the games came to, and in the counts


def test_a_local_rule_set_without_games_is_removed(app):
    client = with_token(app, "record", "arbiter")
    id = client.post(URL, json={"file": AYOAYO}).json["id"]
    assert with_token(app, "record").delete(f"{URL}/{id}").status_code == 403
    assert [client.delete(f"{URL}/{id}").status_code for _ in range(2)] == [204, 404]


def test_what_is_wrong_in_a_file_is_named(app):
    client = with_token(app, "record")
    assert with_token(app, "read").post(URL, json={"file": AYOAYO}).status_code == 403
    for text, named in (
        (AYOAYO.replace("relay", "rely"), "rely"),
        (AYOAYO + "\ncolour = 1", "colour"),
        ("id = 'oware'", "oware"),
        ("\x00", "TOML"),
        ("# \ud800", "file"),
        ("a." * 32_000 + "b = 1", "dots"),  # which would take minutes to read
        ('"a" . ' * 1000 + "b = 1", "dots"),
    ):
        answer = client.post(URL, json={"file": text})
        assert answer.status_code in (400, 422), text
        assert named in answer.text
