import csv
import io
import json

import pytest

from inkeek.service.games.library import data, transfer
from inkeek.service.http.names import name_id
from inkeek.service.storage import EVERYTHING

RECORD = """[Game "bof"]
[South "=Asha"]
[North "Hodan"]
[Date "2026.??.??"]
[Event "Evening"]
[Result "*"]

1. a {[%emt 0:00:02.5] [%at 2026-11-20T18:00:00Z]} B {[%at 2026-11-20T18:00:07.5Z]}
2. ~? {[%after "5.5.0.0.0/0.0.5.5.5 5-10 n 3"]}
"""


@pytest.fixture
def imported(client):
    answer = client.post("/api/v1/games/import", data=RECORD, content_type="application/x-mancala-pmn")
    return json.loads(answer.text)["id"]


@pytest.fixture
def live(client):
    game = client.post("/api/v1/games", json={"game": "oware", "tags": {"South": "Ama"}, "by": "Ama"}).json["id"]
    for move in "aAb":
        client.post(f"/api/v1/games/{game}/turns", json={"move": move})
    return game


def read(client, address):
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    assert answer.content_type == "text/csv; charset=utf-8"
    return list(csv.DictReader(io.StringIO(answer.text)))


def test_a_row_is_a_turn_with_what_the_record_says_of_it(client, imported):
    first, second, third = read(client, "/api/v1/turns.csv")
    assert first["game"] == imported
    columns = ("number", "side", "name", "pit", "move", "laps", "captured", "lost", "seconds", "irregular", "gap")
    found = [first[name] for name in columns]
    assert found == ["1", "South", "'=Asha", "a", "ax5", "2", "5", "0", "2.5", "false", "false"]
    assert [second[name] for name in ("number", "side", "pit", "seconds")] == ["2", "North", "B", "7.5"]
    assert second["time"] == "2026-11-20T18:00:07.500000Z"
    left = ("laps", "captured", "south_seeds", "north_seeds", "south_store", "north_store", "time", "irregular")
    assert [third[name] for name in left] == ["", "", "10", "15", "5", "10", "", "true"]


def test_a_turn_that_was_entered_alone_has_the_time_since_the_one_before(client, live):
    rows = read(client, "/api/v1/turns.csv?game=oware")
    assert [row["seconds"] == "" for row in rows] == [True, False, False]
    assert all(row["time"] and float(row["seconds"] or 0) >= 0 for row in rows)


@pytest.mark.parametrize("date", ["1979~", "2001.02.03", "before 1980"])
def test_the_time_of_typing_is_no_time_of_play(client, date):
    tags = {"Date": date}
    game = client.post("/api/v1/games", json={"game": "oware", "tags": tags}).json["id"]
    for move, comments in (("a", []), ("A", ["[%at 1979-05-03T16:00:00Z]"]), ("b", ["[%at 1979-05-03T16:00:09Z]"])):
        client.post(f"/api/v1/games/{game}/turns", json={"move": move, "comments": comments})
    for move in "Bc":
        client.post(f"/api/v1/games/{game}/turns", json={"move": move})
    assert [row["seconds"] for row in read(client, "/api/v1/turns.csv")] == ["", "", "9.0", "", ""]


def test_another_version_of_a_game_is_named_and_counts_once(client, games, imported):
    other = RECORD.replace("[Game", f'[GameId "{imported}"]\n[Site "Elsewhere"]\n[Game', 1)
    client.post("/api/v1/games/import", data=other, content_type="application/x-mancala-pmn")
    newest, oldest = read(client, "/api/v1/games.csv")
    assert (newest["other_version"], oldest["other_version"]) == (imported, "")
    rows = [row._replace(state="ended") for row in games.page(9)[0]]
    assert len(rows) == 2
    assert [one.games for one in data.count_games(rows)] == [one.games for one in data.count_games(rows[1:])]


def test_a_row_is_a_game(client, imported, live, monkeypatch):
    monkeypatch.setattr(data, "READ", 1)  # games in memory
    newest, oldest = read(client, "/api/v1/games.csv")
    assert (newest["game"], newest["rules"], newest["begins"], newest["turns"]) == (live, "oware", "South", "3")
    assert [oldest[name] for name in ("south", "date", "event", "state")] == ["'=Asha", "2026.??.??", "Evening", "live"]
    assert [row["game"] for row in read(client, "/api/v1/games.csv?player=hodan")] == [imported]
    assert read(client, "/api/v1/turns.csv?event=none") == []


def test_who_is_shown_by_initials_is_so_in_the_tables(client, imported):
    client.put(f"/api/v1/players/{name_id('hodan')}/initials", json={"initials": True})
    assert {row["name"] for row in read(client, "/api/v1/turns.csv")} >= {"H."}
    assert read(client, "/api/v1/games.csv")[0]["north"] == "H."


@pytest.mark.parametrize("name", ["games", "turns"])
def test_the_columns_are_described(client, name):
    table = client.get(f"/api/v1/{name}.csv")
    described = client.get(f"/api/v1/{name}.csv-metadata.json")
    assert described.content_type == "application/csvm+json"
    columns = described.json["tableSchema"]["columns"]
    assert [one["name"] for one in columns] == next(csv.reader([table.text]))
    assert f"<{name}.csv-metadata.json>" in table.headers["Link"]


def test_tables_hold_a_page_of_games_in_memory(games, client, imported, live, monkeypatch):
    monkeypatch.setattr(transfer, "READ", 1)
    lines = data.csv_of("turns", games, EVERYTHING, lambda row: row.tags)
    assert sum(1 for _ in lines) == 1 + 3 + 3


def test_a_gap_is_a_row_of_its_own_and_what_is_not_known_is_empty(client):
    text = '[Version "1.1"]\n[Game "bof"]\n[Result "*"]\n\n1. a ~~2 2... B 3. ax9\n'
    client.post("/api/v1/games/import", data=text, content_type="application/x-mancala-pmn")
    _, gap, blind, claimed = read(client, "/api/v1/turns.csv")
    assert [gap[name] for name in ("number", "side", "move", "gap", "unseen")] == ["3", "", "~~2", "true", "2"]
    empty = ("laps", "captured", "lost", "south_seeds", "north_store")
    assert [blind[name] for name in empty] == [""] * 5
    assert (blind["number"], blind["pit"], claimed["captured"], claimed["laps"]) == ("4", "B", "9", "")
