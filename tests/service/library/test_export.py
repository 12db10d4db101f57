import io
import json

import pytest

from inkeek.records import Game, Move, read_games, write_game
from inkeek.records.notation.commands import Entering, commands_in
from inkeek.records.text import read_instant
from inkeek.service.games.library import transfer
from inkeek.service.games.library.transfer import import_games, with_entries, with_id
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.storage import EVERYTHING, GameFilter
from inkeek.service.storage.store import Store
from tests.service.clients import with_token

SMALL = {"game": "enkeshui", "options": {"pits": 8}}


@pytest.fixture
def ids(client):
    made = []
    for name in ("Koinet", "Nasieku", "koinet"):
        body = {**SMALL, "tags": {"South": name, "North": "B", "Event": "Evening", "Date": f"2026.11.0{len(made) + 1}"}}
        made.append(client.post("/api/v1/games", json=body).json["id"])
    client.post(f"/api/v1/games/{made[0]}/turns", json={"move": "c"})
    client.post(f"/api/v1/games/{made[2]}/end", json={"termination": "resignation", "winner": "South"})
    return made


def listed(client, query):
    return [game["id"] for game in client.get(f"/api/v1/games?{query}").json["items"]]


@pytest.mark.parametrize(
    ("query", "which"),
    [
        ("player=KOINET", [2, 0]),
        ("event=evening", [2, 1, 0]),
        ("since=2026-11-02", [2, 1]),
        ("until=2026-11-02", [1, 0]),
        ("result=1-0", [2]),
        ("state=live", [1, 0]),
        ("state=live&player=nasieku", [1]),
        ("game=enkeshui&position=0.0.4.4.4.4.4.4/0.0.4.4.4.4.4.4%200-0%20s%200", [2, 1, 0]),
    ],
)
def test_games_are_found(client, ids, query, which):
    assert listed(client, query) == [ids[index] for index in which]
    lines = client.get(f"/api/v1/games/export?{query}").text.splitlines()
    assert sorted(json.loads(line)["id"] for line in lines) == sorted(ids[index] for index in which)


def test_all_games_are_exported_in_the_order_they_were_stored(client, ids, monkeypatch):
    monkeypatch.setattr(transfer, "READ", 2)
    answer = client.get("/api/v1/games/export")
    assert answer.content_type == "application/x-ndjson"
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert [(record.pop("id"), bool(record.pop("cursor"))) for record in lines] == [(one, True) for one in ids]
    assert Game.from_json(lines[0]).replay().positions[-1] is not None
    assert len(lines[0]["plies"]) == 1


def test_records_are_exported_in_the_notation_and_can_be_imported(client, ids):
    export = client.get("/api/v1/games/export", headers={"Accept": "application/x-mancala-pmn"})
    assert export.text == client.get("/api/v1/games/export.pmn").text
    assert client.get("/api/v1/games/export.ndjson").content_type == "application/x-ndjson"
    read = list(read_games(io.StringIO(export.text)))
    assert [game.errors for game in read] == [()] * 3
    lines = client.post("/api/v1/games/import", data=export.text, content_type="text/plain").text.splitlines()
    assert [json.loads(line)["ok"] for line in lines] == [True] * 3


@pytest.mark.parametrize("where", [EVERYTHING, GameFilter(event="Evening")], ids=["all", "some"])
@pytest.mark.parametrize("limit", ["READ", "READ_EVENTS"])
def test_an_export_reads_as_it_is_read(client, ids, services, monkeypatch, where, limit):
    monkeypatch.setattr(transfer, limit, 1)
    read = []
    snapshots = services.games.snapshots
    monkeypatch.setattr(type(services.games), "snapshots", lambda _, some: read.extend(some) or snapshots(some))
    stream = transfer.export_games(services.games, where)
    next(stream)
    assert len(read) == 1
    next(stream)
    assert len(read) == 2


def test_a_read_that_has_not_changed_is_not_sent_again(client, ids):
    for path in ("games", f"games/{ids[0]}", f"games/{ids[0]}/turns", "rulesets", "disputes"):
        first = client.get(f"/api/v1/{path}")
        again = client.get(f"/api/v1/{path}", headers={"If-None-Match": first.headers["ETag"]})
        assert (again.status_code, again.data) == (304, b"")
    client.post(f"/api/v1/games/{ids[1]}/turns", json={"move": "c"})
    changed = client.get("/api/v1/games", headers={"If-None-Match": first.headers["ETag"]})
    assert changed.status_code == 200


@pytest.mark.parametrize("query", ["", "event=evening&"])
@pytest.mark.parametrize("kind", ["ndjson", "pmn"])
def test_an_export_resumes_after_a_cursor(client, ids, query, kind):
    lines = client.get(f"/api/v1/games/export?{query}").text.splitlines()
    for number, line in enumerate(lines, 1):
        rest = client.get(f"/api/v1/games/export.{kind}?{query}cursor={json.loads(line)['cursor']}").text
        if kind == "ndjson":
            assert rest.splitlines() == lines[number:]
        else:
            assert len(list(read_games(io.StringIO(rest)))) == len(lines) - number


def test_a_game_that_changes_during_an_export_is_whole(client, ids, services, monkeypatch):
    monkeypatch.setattr(transfer, "READ_EVENTS", 1)
    exported = transfer.export_games(services.games, EVERYTHING)
    records = [next(exported)[1].record]
    client.post(f"/api/v1/games/{ids[1]}/turns", json={"move": "c"})
    records += [game.record for _, game in exported]
    assert [(len(record.plies), record.errors) for record in records] == [(1, ()), (1, ()), (0, ())]


def test_a_record_with_times_and_authors_of_its_turns_is_the_same_game(app, services, tmp_path):
    games = services.games
    game = games.create("bof", {}, {"South": "Ada", "Consent": "Granted."}, Write("api", "Ada"))
    games.play(game.id, Move.parse("c"), Write("api", "Ada"))
    games.play(game.id, Move.parse("A"), Write("api:guest:k1", 'Bo "the \\ hand"'), ["[%at 1974-05-21T10:00:00Z]"])
    games.play(game.id, games.load(game.id).legal(1)[0], Write("api"))
    client = with_token(app)
    single = client.get(f"/api/v1/games/{game.id}.pmn?entered=true").text
    assert single == client.get("/api/v1/games/export.pmn?entered=true").text
    (record,) = read_games(io.StringIO(single))
    assert record.tags["GameId"] == game.id
    assert record.tags["Consent"] == "Granted."
    turns = [event for event in games.load(game.id).events if event.kind == "turn"]
    said = [next(commands_in(ply.comments, Entering)) for ply in record.plies]
    assert [(one.at, one.by) for one in said] == [(read_instant(one.time), one.actor) for one in turns]
    assert "Bo" not in client.get("/api/v1/games/export.pmn?entered=true&names=pseudonyms").text
    for again in (single, client.get(f"/api/v1/games/{game.id}.pmn").text):
        (result,) = import_games(games, again.encode().splitlines(keepends=True), 1, Write("import"))
        assert (result.present, result.id) == (True, game.id)
    elsewhere = Store(f"sqlite:///{tmp_path / 'elsewhere.sqlite3'}")
    elsewhere.upgrade()
    there = Games(elsewhere, max_plies=100)
    (copied,) = import_games(there, single.encode().splitlines(keepends=True), 1, Write("import"))
    copy = Game.from_json(with_id(with_entries(there.load(copied.id).state), copied.id))
    assert write_game(copy) == single
    elsewhere.close()
