"""What comes in passes the same checks at every entrance, and what was taken can be edited, exported and read again.

The entrances here are the API, an import in the notation, `inkeek validate`, an import of lines of JSON, and the
archive.
"""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from inkeek.records import Game, read_games, write_game
from inkeek.records.notation.movetext import MAX_PLIES
from inkeek.service import create_app
from inkeek.service.cli import main
from inkeek.service.games.record_check import MAX_ACTOR, MAX_COMMENT, MAX_COMMENTS, MAX_TAGS, MAX_TEXT
from inkeek.service.http.context import services_of
from inkeek.service.maintenance import archive
from inkeek.service.storage import GENESIS, GameEvent, seal
from inkeek.service.storage.store import Store
from tests.databases import sqlite_database
from tests.records.notation.commands_made import commands
from tests.records.notation.records_made import games as records_made
from tests.service.clients import with_token

TAGS = {"Game": "enkeshui", "Options": "pits=8 setup=fours-right", "Result": "*"}
PMN = "application/x-mancala-pmn"
AFTER = "0.0.0.6.5.4.5.4/0.0.4.4.4.4.4.4 0-0 n"
OVER = "0.0.0.0.0.0.0.0/0.0.0.0.0.0.0.0 24-24 s 0"

# The entrances. Each gets a record as JSON and returns the reason why it is refused, or None.


def through_api(client, record: dict[str, Any]) -> str | None:
    """Create the game, play its turns with their comments, end it."""
    tags = {name: value for name, value in record["tags"].items() if name not in TAGS}
    setup, ended = tags.pop("Setup", None), tags.pop("Termination", None)
    score = tags.pop("Score", None)
    body = {"game": "enkeshui", "options": {"pits": 8, "setup": "fours-right"}, "tags": tags}
    answers = [client.post("/api/v1/games", json={**body, "setup": setup} if setup else body)]
    if answers[0].status_code == 201:
        game = f"/api/v1/games/{answers[0].json['id']}"
        for ply in record["plies"]:
            answers += said(client, game, ply) or [played(client, game, ply)]
        if ended:
            winner = {"1-0": "South", "0-1": "North"}.get(record["tags"]["Result"])
            end = {"termination": ended, "winner": winner}
            answers.append(client.post(f"{game}/end", json=end))
            if score and answers[-1].status_code == 200:
                south, north = map(int, score.split("-"))
                change = {"termination": "adjudication", "score": [south, north], "reason": "counted"}
                answers.append(client.post(f"{game}/end/correction", json={**end, **change}))
    return next((answer.json["detail"] for answer in answers if answer.status_code >= 400), None)


def played(client, game: str, ply: dict[str, Any]):
    move, comments = ply["move"], ply.get("comments", [])
    if move.startswith("~"):
        position = comments[0].split('"')[1]
        return client.post(f"{game}/irregular-turns", json={"move": move, "position": position})
    return client.post(f"{game}/turns", json={"move": move, "comments": comments})


def said(client, game: str, ply: dict[str, Any]) -> list[Any]:
    """Send what has a request of its own: people who join, and annotations."""
    comment = ply.get("comments", [""])[0] if ply.get("comments") else ""
    if comment.startswith("[%join"):
        return [client.post(f"{game}/people", json={"action": "join", "side": "South", "name": comment.split('"')[1]})]
    if comment.startswith("[%dispute"):
        answer = played(client, game, {"move": ply["move"]})
        claim = {"side": "South", "claim": comment.split('"')[1]}
        return [answer, client.post(f"{game}/disputes", json=claim)]
    return []


def notation_of(record: dict[str, Any]) -> str:
    """The record in the notation, made without its checks."""
    tags = [f'[{name} "{escaped(value)}"]\n' for name, value in record["tags"].items()]
    words = []
    for ply in record["plies"]:
        words.append(ply["move"])
        for comment in ply.get("comments", ()):
            line = " ".join(comment.split())
            words.append(f";{line}\n" if "}" in line else f"{{{line}}}")
    return f"{''.join(tags)}\n{' '.join(words)} {record['tags']['Result']}\n"


def escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')


def through_import(client, record: dict[str, Any]) -> str | None:
    return imported(client, notation_of(record).encode(), PMN)


def through_validate(runner, record: dict[str, Any]) -> str | None:
    """Give the record to `inkeek validate`."""
    done = runner.invoke(main, ["validate", "--json"], input=notation_of(record).encode())
    error = json.loads(done.stdout)["error"]
    return None if error is None else error["message"]


def through_json(client, record: dict[str, Any]) -> str | None:
    return imported(client, json.dumps(record).encode(), "application/x-ndjson")


def imported(client, body: bytes, kind: str) -> str | None:
    (line,) = client.post("/api/v1/games/import", data=body, content_type=kind).text.splitlines()
    answer = json.loads(line)
    return None if answer["ok"] else answer["error"]["message"]


def through_archive(store: Store, record: dict[str, Any]) -> str | None:
    """Put the events of such a game, with a right chain of hashes, into an archive."""
    faults = archive.check(store, archived(record))
    return faults[0] if faults else None


def archived(record: dict[str, Any]) -> list[str]:
    """The lines of an archive with the record, made without its checks."""
    tags = record["tags"]
    setup = tags.get("Setup")
    positions = [setup or "0.0.4.4.4.4.4.4/0.0.4.4.4.4.4.4 0-0 s 0"]
    replay = Game.from_json({"tags": TAGS, "plies": record["plies"]}).replay()
    positions += map(str, replay.positions[1:])
    positions += positions[:1] * len(record["plies"])  # after an illegal move no position is right
    created = {
        "game": "enkeshui",
        "options": {"pits": 8},
        "setup": setup,
        "tags": {name: value for name, value in tags.items() if name not in (*TAGS, "Setup", "Termination", "Score")},
        "comments": record.get("comments", []),
        "position": positions[0],
    }
    contents: list[tuple[str, dict[str, Any]]] = [("created", created)]
    for number, ply in enumerate(record["plies"], 1):
        comments = [" ".join(comment.split()) for comment in ply["comments"]]  # as every service stores them
        turn = {"nags": [], "variations": [], **ply, "comments": comments}
        contents.append(("turn", {"ply": number, "turn": turn, "position": positions[number]}))
    if "Termination" in tags or setup == OVER:
        result = tags["Result"]
        score = [24, 24] if setup == OVER else [int(n) for n in tags["Score"].split("-")] if "Score" in tags else None
        data = {
            "termination": tags.get("Termination", "normal"),
            "winner": {"1-0": "South", "0-1": "North"}.get(result),
            "result": result,
            "score": score,
            "by": "",
        }
        contents.append(("ended", data))
    events: list[GameEvent] = []
    for seq, (kind, data) in enumerate(contents, 1):
        before = events[-1].hash if events else GENESIS
        source = "rules" if kind == "ended" and setup == OVER else "api"
        events.append(seal("a234567892", seq, "2026-11-20T10:00:00.000000Z", "", source, kind, data, before))
    end = {"end": {"games": 1, "events": len(events)}}
    lines = [archive.HEAD, *(event._asdict() for event in events), end]
    return [json.dumps(line) + "\n" for line in lines]


def record_of(*plies: dict[str, Any], **tags: str) -> dict[str, Any]:
    return {"tags": {**TAGS, **tags}, "plies": list(plies)}


def turn(move: str = "c", *comments: str, **more: Any) -> dict[str, Any]:
    return {"move": move, "comments": list(comments), **more}


# What comes in, and a part of the reason why every entrance refuses it; None: every entrance takes it.
INPUTS: dict[str, tuple[dict[str, Any], str | None]] = {
    "a tag with a tab": (record_of(South="a\tb"), None),
    "a tag with a no-break space": (record_of(South="a\u00a0b"), None),
    "a tag with joined signs": (record_of(South="a\u200db \u200f"), "U+200D"),
    "a tag with quotes": (record_of(South='the "long\\" arm'), None),
    "a tag that controls a terminal": (record_of(South="\x1b[1m"), r"'\x1b'"),
    "a tag with a null": (record_of(South="a\0b"), r"'\x00'"),
    "a tag that reorders text": (record_of(South="\u202eb"), r"'\u202e'"),
    "a tag that XML cannot hold": (record_of(South="a\ufffeb"), r"'\ufffe'"),
    "too long tags": (record_of(**{f"T{n}": "x" * 1900 for n in range(9)}), "16384"),
    "a name that is no tag": (record_of(**{"two words": "x"}), "two words"),
    "a long tag": (record_of(South="x" * 2001), "South"),
    "as many tags as there may be": (record_of(**{f"T{n}": "" for n in range(MAX_TAGS)}), None),
    "too many tags": (record_of(**{f"T{n}": "" for n in range(MAX_TAGS + 1)}), f"tags: {MAX_TAGS + 1} of them"),
    "a team of six": (record_of(SouthTeam="A; B; C; D; E; F"), "SouthTeam"),
    "a date in another form": (record_of(Date="20 November"), None),
    "a comment with a brace": (record_of(turn("c", "a } b")), None),
    "a comment with two lines": (record_of(turn("c", "a\n}  b")), None),
    "an empty comment": (record_of(turn("c", " ", "x")), None),
    "a long comment": (record_of(turn("c", "x " * (MAX_COMMENT // 2))), None),
    "a comment that is too long": (record_of(turn("c", "x" * (MAX_COMMENT + 1))), f"{MAX_COMMENT + 1} characters"),
    "a comment that controls a terminal": (record_of(turn("c", "a\x1bb")), r"'\x1b'"),
    "a comment that XML cannot hold": (record_of(turn("c", "a\uffffb")), r"'\uffff'"),
    "a wrong command": (record_of(turn("c", "[%clk soon]")), "[%clk soon]"),
    "a quoted name": (record_of(turn("c", '[%by "the \\"long\\" arm"]')), None),
    "a long name": (record_of(turn("c", f'[%join south "{"x" * (MAX_ACTOR + 1)}"]')), "name"),
    "a long claim": (record_of(turn("c", f'[%dispute side=south claim="{"x" * (MAX_TEXT + 1)}"]')), "claim"),
    "as many comments as there may be": (record_of(turn("c", *map(str, range(MAX_COMMENTS)))), None),
    "too many comments": (record_of(turn("c", *map(str, range(MAX_COMMENTS + 1)))), str(MAX_COMMENTS)),
    "a ply that fits": (record_of(turn("~c", f'[%after "{AFTER} 1"]')), None),
    "a ply that contradicts the game": (record_of(turn("~c", f'[%after "{AFTER} 7"]')), "its ply is 7: expected 1"),
    "a move that is illegal": (record_of(turn("a")), "empty"),
    "a set-up that is over": (record_of(Setup=OVER, Result="1/2-1/2"), "the game is over before it begins"),
    "a resignation that nobody won": (record_of(turn(), Termination="resignation", Result="1/2-1/2"), "resignation"),
    "a flag that fell for nobody": (record_of(turn(), Termination="time", Result="*"), "time"),
    "an abandoned game with a winner": (record_of(turn(), Termination="abandoned", Result="1-0"), "abandoned"),
    "an agreement on a winner": (record_of(turn(), Termination="agreement", Result="1-0"), None),
    "an unknown termination": (record_of(turn(), Termination="boredom", Result="1-0"), "boredom"),
    "a score with too many seeds": (record_of(turn(), Termination="time", Result="1-0", Score="40-40"), "48 seeds"),
    "a score": (record_of(turn(), Termination="time", Result="1-0", Score="8-40"), None),
}


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    """One service for all inputs: each makes games of its own."""
    folder = tmp_path_factory.mktemp("entrances")
    with sqlite_database(folder, empty=False) as database:
        app = create_app({"data": str(folder), "database": database, "rate": 0})
        yield app
        services_of(app).close()


@pytest.fixture(scope="module")
def client(app):
    return with_token(app)


@pytest.mark.parametrize("name", INPUTS)
def test_every_entrance_takes_and_refuses_the_same_for_the_same_reason(app, client, runner, name):
    record, reason = INPUTS[name]
    found = {
        "api": through_api(client, record),
        "pmn": through_import(client, record),
        "validate": through_validate(runner, record),
        "json": through_json(client, record),
        "archive": through_archive(services_of(app).store, record),
    }
    if reason is None:
        assert found == dict.fromkeys(found)
    else:
        assert [entrance for entrance, text in found.items() if reason not in (text or "")] == [], found


def test_what_an_older_version_took_comes_back_from_its_archive(app):
    lines = archived(record_of(turn("c", "a\x1bb"), South="\x1b"))
    assert archive.check(services_of(app).store, lines) != []
    assert archive.check(services_of(app).store, lines, as_stored=True) == []


@pytest.mark.parametrize(
    ("options", "tags", "count"),
    [
        ("pits=8 setup=fours-right race=right-hand", {}, 1),
        ("pits=8 setup=fours-right", {"Date": "20 November"}, 1),
        ("pits=8 setup=fours-right", {"Date": "2026.02.31"}, 1),
        ("pits=8 setup=fours-right", {"Date": "2026.??.??"}, 0),
    ],
)
def test_warnings_are_the_same_at_every_entrance(client, options, tags, count):
    record = {"tags": {"Game": "enkeshui", "Options": options, "Result": "*", **tags}, "plies": []}
    game = Game.from_json(record)
    expected = list(game.warnings())
    assert len(expected) == count
    answer = json.loads(client.post("/api/v1/games/import", data=write_game(game).encode(), content_type=PMN).text)
    assert answer["warnings"] == expected
    assert client.get(f"/api/v1/games/{answer['id']}").json["warnings"] == expected
    chosen = dict(word.split("=") for word in options.split())
    made = client.post("/api/v1/games", json={"game": "enkeshui", "options": chosen, "tags": tags})
    assert made.json["warnings"] == expected


def test_too_many_plies_in_variations_are_refused(client):
    line = {"plies": [{"move": "c"}] * (MAX_PLIES // 2)}
    record = record_of({"move": "c", "variations": [line, line]})
    assert through_json(client, record) is not None


WILD = st.text(st.characters(codec="utf-8") | st.sampled_from('{}"\\[]%;()$~\t\n'), max_size=40)
COMMENTS = st.lists(WILD | commands.map(str), max_size=3).map(tuple)


@st.composite
def wild_records(draw: st.DrawFn) -> Game:
    """A right record with comments and tags of any characters and commands."""
    game = draw(records_made())
    plies = [ply._replace(comments=(*ply.comments, *draw(COMMENTS))) for ply in game.plies[:3]]
    plies += game.plies[3:]
    tags = draw(st.dictionaries(st.sampled_from(("South", "North", "Event", "Date", "X")), WILD, max_size=2))
    return Game({**game.tags, **tags}, tuple(plies), (*game.comments, *draw(COMMENTS)))


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(record=wild_records(), value=st.text('ab }"', max_size=9))
def test_what_an_import_takes_is_exported_read_again_and_edited(app, client, tmp_path_factory, record, value):
    """As the notation, as JSON and as an archive."""
    store = services_of(app).store
    line = json.dumps(record.to_json())
    answer = json.loads(
        client.post("/api/v1/games/import", data=line.encode(), content_type="application/x-ndjson").text
    )
    if not answer["ok"]:
        return
    game = f"/api/v1/games/{answer['id']}"
    text = client.get(f"{game}.pmn").text
    (read,) = read_games(text.splitlines(keepends=True))
    assert read.errors == ()
    assert write_game(read) == text
    again = imported_game(client, text.encode(), PMN)
    assert client.get(f"{again}.pmn").text == text
    tag = client.patch(game, json={"tags": {"Annotator": value}})
    assert tag.status_code == 200
    assert tag.json["tags"]["Annotator"] == value
    assert client.get(f"{game}/integrity").json["ok"]
    with store.reading() as transaction:
        events = transaction.games.events(answer["id"])
    end = {"end": {"games": 1, "events": len(events)}}
    lines = [json.dumps(one) + "\n" for one in [archive.HEAD, *(event._asdict() for event in events), end]]
    assert archive.check(store, lines) == []


def imported_game(client, body: bytes, kind: str) -> str:
    answer = json.loads(client.post("/api/v1/games/import", data=body, content_type=kind).text)
    assert answer["ok"], answer
    return f"/api/v1/games/{answer['id']}"
