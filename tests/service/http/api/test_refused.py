"""What operations refuse: each problem has its type, names the field and quotes what is wrong; nothing is stored.

A body that breaks the form in the document is refused at every operation; `REFUSED` has what a form cannot say.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator

from docs.generate.api import document
from inkeek.service.http.names import name_id
from inkeek.service.http.problems import problem_types
from tests.schema import places as stored_places
from tests.service.stored import stored_rows

from .test_examples import BODIES

FIELDS, INVALID, OPTION, POSITION, MOVE = ("fields", "invalid", "option", "position", "move-syntax")
ILLEGAL, RECORD, CONFLICT, NOT_FOUND = ("illegal-move", "record", "conflict", "not-found")
AFTER = "0.0.0.6.5.4.5.4/0.0.4.4.4.4.4.4 0-0 n 1"
RULED = '[%ruling outcome=stands by="me"]'
SOUTH_WON, NORTH_WON = ({"termination": "resignation", "winner": winner} for winner in ("South", "North"))
WARNING = {"side": "North", "kind": "warning"}
TERMS = [
    ({"outcome": "corrected"}, INVALID, "/move"),
    ({"move": "d"}, INVALID, "/outcome"),
    ({"position": AFTER}, INVALID, "/outcome"),
    ({"outcome": "corrected", "move": "a"}, ILLEGAL, "/move"),
    ({"outcome": "corrected", "move": "~c"}, ILLEGAL, "/move"),
    ({"outcome": "corrected", "move": "d", "position": AFTER}, INVALID, "/move"),
    ({"outcome": "ended"}, INVALID, "/termination"),
    ({"outcome": "reopened"}, INVALID, "/outcome"),
    ({"outcome": "retracted", "to": 1}, INVALID, "/to"),
    ({"outcome": "retracted", "to": 7}, INVALID, "/to"),
    ({"keeps": True}, INVALID, "/outcome"),
    ({"to": 1}, INVALID, "/outcome"),
    ({"penalties": [{"side": "North", "kind": "seeds"}]}, INVALID, "/penalties/0/seeds"),
    ({"penalties": [{**WARNING, "seeds": 1}]}, INVALID, "/penalties/0/seeds"),
    ({"penalties": [{"side": "North", "kind": "game"}]}, INVALID, "/penalties"),
    ({"penalties": [WARNING] * 11}, FIELDS, "/penalties"),
    ({"clocks": [{"side": "North"}]}, INVALID, "/clocks/0"),
    ({"clocks": [{"side": "North", "add": -1}]}, FIELDS, "/clocks/0/add"),
    ({"clocks": [{"side": "North", "to": 1, "add": 1}]}, INVALID, "/clocks/0"),
]
END_TERMS = [
    ({"outcome": "retracted"}, INVALID, "/outcome"),
    ({"outcome": "corrected", "move": "d"}, INVALID, "/outcome"),
    ({"outcome": "corrected"}, INVALID, "/termination"),
    ({"termination": "time", "winner": "North"}, INVALID, "/termination"),
    ({"outcome": "reopened", "score": [1, 2]}, INVALID, "/winner"),
    ({"outcome": "corrected", "termination": "time"}, INVALID, "/termination"),
    ({"outcome": "corrected", "termination": "time", "winner": "North", "note": ""}, INVALID, "/note"),
]
# What is right of the bodies of an operation; then what makes them wrong, the type of the problem, and the pointer of
# its first error, or a part of the detail where no field is at fault.
REFUSED = {
    "POST /games": (
        {"game": "enkeshui"},
        [
            ({"tags": {"Score": "1-2"}}, INVALID, "/tags/Score"),
            ({"options": {"pits": "9" * 10**5}}, INVALID, "/options/pits"),
            ({"tags": {"RacePosition": "x"}}, POSITION, "/tags/RacePosition"),
        ],
    ),
    "POST /matches": (
        {"game": "oware", "title": "games 3"},
        [
            ({"title": "a friendly one"}, RECORD, "match=none"),
            ({"title": "surplus"}, OPTION, "/title"),
            ({"game": "enkeshui", "title": "surplus", "tags": {"MatchGame": "2"}}, INVALID, "/tags/MatchGame"),
            ({"options": {"match": "surplus"}}, RECORD, "/title"),
            ({"game": "bof", "title": "rounds", "setup": "4.4.4.4.4/x.x.4.4.4 3-5 n 0"}, RECORD, "/setup"),
        ],
    ),
    "POST /games/GAME/turns": (
        {"move": "C"},
        [
            ({"move": "a move"}, MOVE, "/move"),
            ({"ply": 1}, CONFLICT, "1"),
            ({"comments": ["\x1b"]}, INVALID, "/comments"),
            ({"comments": [RULED]}, INVALID, "/comments"),
            ({"move": "~C"}, ILLEGAL, "/move"),
        ],
    ),
    "POST /games/NEW/irregular-turns": (
        {"move": "~c", "position": AFTER},
        [
            ({"move": "c"}, INVALID, "/move"),
            ({"move": "~C"}, INVALID, "/move"),
            ({"position": AFTER.replace("6.5", "6.6")}, POSITION, "/position"),
            ({"position": "x"}, POSITION, "/position"),
            ({"comments": [RULED]}, INVALID, "/comments"),
        ],
    ),
    "POST /games/GAME/gaps": ({}, [({}, RECORD, "~~"), ({"turns": 2, "ply": 1}, CONFLICT, "1")]),
    "POST /games/GAME/people": (
        {"action": "join", "side": "North", "name": "Koinet"},
        [
            ({"side": "South"}, CONFLICT, "Koinet"),
            ({}, CONFLICT, "Koinet"),
            ({"action": "leave"}, CONFLICT, "Koinet"),
            ({"name": "a\x1bb"}, INVALID, "/name"),
            ({"name": "  "}, INVALID, "/name"),
        ],
    ),
    "POST /games/GAME/trials": (
        {"move": "C"},
        [
            ({"move": "c"}, INVALID, "/move"),
            ({"move": "K"}, INVALID, "/move"),
            ({"move": "--"}, INVALID, "/move"),
            ({"move": "?"}, MOVE, "/move"),
            ({"ply": 3}, CONFLICT, "3"),
        ],
    ),
    "POST /games/GAME/retractions": (
        {"reason": "team"},
        [
            ({"reason": "ruling"}, FIELDS, "/reason"),
            ({"ply": 2}, CONFLICT, "2"),
            ({"note": "\x1b"}, INVALID, "/note"),
        ],
    ),
    "POST /games/GAME/annotations": (
        {},
        [
            ({}, INVALID, "1 to"),
            ({"add": []}, INVALID, "1 to"),
            ({"add": [{"ply": 1}]}, INVALID, "/add/0"),
            ({"add": [{"ply": 1, "nag": 1, "comment": "x"}]}, INVALID, "/add/0"),
            ({"add": [{"nag": 1}]}, FIELDS, "/add/0/ply"),
            ({"add": [{"ply": 1, "variation": "d"}]}, FIELDS, "/add/0/variation"),
            ({"change": [{"id": "x", "nag": 1}]}, FIELDS, "/change/0/id"),
            ({"remove": ["2-1"]}, FIELDS, "/remove/0"),
            ({"remove": [{"id": "2-9"}]}, NOT_FOUND, "2-9"),
            ({"add": [{"ply": 1, "nag": 1}] * 5001}, FIELDS, "/add"),
        ],
    ),
    "POST /games/ENDED/end/correction": (
        {**NORTH_WON, "reason": "South resigned"},
        [
            ({"termination": "adjudication", "score": [40, 40]}, INVALID, "/score"),
            (SOUTH_WON, INVALID, "1-0"),
            ({"reason": " "}, INVALID, "/reason"),
            ({"reason": "\x1b"}, INVALID, "/reason"),
            ({"score": [1]}, FIELDS, "/score"),
            ({"score": [-1, 2]}, FIELDS, "/score/0"),
        ],
    ),
    "POST /games/GAME/end/correction": ({**NORTH_WON, "reason": "so"}, [({}, CONFLICT, "")]),
    "POST /games/GAME/end/reopening": ({"reason": "why not"}, [({}, CONFLICT, "")]),
    "POST /games/NEW/disputes": ({"side": "North", "claim": "not so"}, [({"disputed": 2}, INVALID, "2")]),
    "POST /games/GAME/disputes": (
        {"side": "North", "claim": "not so", "seen": AFTER},
        [
            ({"claim": "  "}, INVALID, "/claim"),
            ({"claim": "\x1b"}, INVALID, "/claim"),
            ({"seen": "x"}, POSITION, "/seen"),
            ({"ply": 3}, CONFLICT, "3"),
            ({"about": "end"}, CONFLICT, ""),
        ],
    ),
    "POST /disputes/DISPUTE/preview": ({"outcome": "stands", "note": "so"}, TERMS),
    "POST /disputes/DISPUTE/ruling": ({"outcome": "stands", "note": "so"}, TERMS),
    "POST /disputes/OF_END/ruling": ({"outcome": "stands", "note": "so"}, END_TERMS),
    "POST /disputes/DISPUTE/proposals": ({"side": "North"}, [({"outcome": "reopened"}, INVALID, "/outcome")]),
    "POST /boards": (
        {"port": "/dev/x", "game": "NEW"},
        [
            ({"port": "http://x"}, INVALID, "/port"),
            ({"port": "socket://x"}, INVALID, "/port"),
            ({"driver": "other"}, INVALID, "/driver"),
            ({"game": "nobody"}, NOT_FOUND, "nobody"),
        ],
    ),
    "POST /boards/BOARD/requests": (
        {"kind": "seeds", "pit": 3, "seeds": 5},
        [
            ({"pit": None}, INVALID, "/pit"),
            ({"seeds": None}, INVALID, "/seeds"),
            ({"kind": "tare", "seeds": None}, INVALID, "/pit"),
            ({"kind": "dismiss", "pit": None, "seeds": None}, INVALID, "/question"),
            ({"kind": "dismiss", "pit": None, "seeds": None, "at": 1}, INVALID, "/question"),
            ({"kind": "turned", "pit": None, "seeds": None}, INVALID, "/question"),
            ({"kind": "tare", "pit": None, "seeds": None, "question": "turned:1"}, INVALID, "/question"),
            (
                {"kind": "upright", "pit": None, "seeds": None, "question": "turned:1", "at": 1},
                INVALID,
                "/at",
            ),
        ],
    ),
    "POST /jobs": (
        {},
        [
            ({}, INVALID, "games"),
            ({"games": ["x" * 10], "event": "Cup"}, INVALID, "games"),
            ({"games": ["aaaaaaaaaa"]}, NOT_FOUND, "aaaaaaaaaa"),
            ({"event": "Nowhere"}, NOT_FOUND, "Nowhere"),
        ],
    ),
    "POST /tokens": ({"name": "x", "scopes": ["read"]}, [({"name": "a:b"}, INVALID, "/name")]),
    "PATCH /events/EVENT/plan": (
        {},
        [
            ({"players": [{"name": "A"}] * 129}, FIELDS, "/players"),
            ({"games": []}, INVALID, "at least one"),
            ({"games": [{"game": "chess"}]}, OPTION, "/games/0/game"),
        ],
    ),
    "PATCH /players/ANN": (
        {},
        [
            ({"name": "?"}, INVALID, "/name"),
            ({"name": "x" * 201}, INVALID, "/name"),
            ({"name": "ben"}, CONFLICT, "ben"),
        ],
    ),
    "POST /players/ANN/join": (
        {},
        [
            ({"into": "BEN"}, CONFLICT, "ben"),
            ({"into": "ANN"}, INVALID, "ann"),
            ({"into": "NOBODY"}, NOT_FOUND, "nobody"),
        ],
    ),
    "POST /players/ANN/changes/99/undo": ({}, [({}, NOT_FOUND, "99")]),
}


@pytest.fixture
def places(client):
    """What stands for names in paths and bodies."""

    def make(path, **body):
        answer = client.post(f"/api/v1{path}", json=body)
        assert answer.status_code in (200, 201), answer.text
        return answer.json.get("id")

    def game(*moves, **tags):
        made = make("/games", game="enkeshui", options={"pits": 8}, tags=tags)
        for move in moves:
            make(f"/games/{made}/turns", move=move)
        return made

    about = {"side": "North", "claim": "not so"}
    ended, disputed = game("c"), game("c")
    make(f"/games/{ended}/end", **SOUTH_WON)
    of_end = game("c")
    make(f"/games/{of_end}/end", **SOUTH_WON)
    game(South="Ann", North="Ben", Event="Cup")
    found = {
        "NEW": game(),
        "GAME": game("c", SouthTeam="Koinet; Nasieku"),
        "ENDED": ended,
        "DISPUTE": make(f"/games/{disputed}/disputes", **about),
        "OF_END": make(f"/games/{of_end}/disputes", **about, about="end"),
        "BOARD": make("/boards", port="far:x", driver="far", game=disputed),
        "EVENT": make("/events", name="Open", games=[{"game": "bof"}]),
    }
    return found | {name: name_id(name.lower()) for name in ("ANN", "BEN", "NOBODY")}


def filled(value, places):
    """The path, or the body, with what stands for names in it."""
    if isinstance(value, dict):
        return {name: places.get(part, part) if isinstance(part, str) else part for name, part in value.items()}
    return "/".join(places.get(part, part) for part in value.split("/"))


def is_told(sent, pointer, detail):
    """Whether a message names the field, or quotes the value at the pointer or its beginning, if that is no list."""
    *path, name = pointer.split("/")
    for part in path[1:]:
        sent = sent[int(part)] if isinstance(sent, list) else sent[part]
    value = sent[int(name)] if isinstance(sent, list) else sent.get(name)
    quoted = isinstance(value, list | dict) or any(text[:20].strip("'") in detail for text in (str(value), repr(value)))
    return quoted or name in detail


def difference(answer, sent, slug, place):
    """What is not as expected of a problem."""
    problem = answer.json
    if (answer.status_code, problem.get("type")) != (problem_types()[slug].status, f"/problems/{slug}"):
        return answer.status_code, problem
    pointer = problem["errors"][0]["pointer"] if problem.get("errors") else ""
    if pointer and not is_told(sent, pointer, problem["detail"]):
        return "the message says nothing of it", problem
    return None if place == pointer or (not pointer and place in problem["detail"]) else (place, problem)


@pytest.mark.parametrize("operation", REFUSED)
def test_a_refused_body_names_what_is_wrong_and_changes_nothing(client, services, places, operation):
    method, path = operation.split()
    right, mistakes = REFUSED[operation]
    before, wrong = stored_rows(services), []
    for changes, slug, place in mistakes:
        body = {name: value for name, value in filled({**right, **changes}, places).items() if value is not None}
        answer = client.open(f"/api/v1{filled(path, places)}", method=method, json=body)
        if (found := difference(answer, body, slug, place)) is not None:
            wrong.append((changes, found))
    assert wrong == []
    assert stored_rows(services) == before


# Of each type, too small, too large, too long.
VALUES = (None, -1, 10**9, "", "x" * 20_001, [[]] * 5001, {"?": 1})


def broken(schema: dict[str, Any], body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Bodies that are not of the form, each with the name of the field that is wrong, or missing."""
    components = document()["components"]
    while "$ref" in schema:
        schema = components["schemas"][schema["$ref"].rpartition("/")[2]]
    if not schema.get("additionalProperties", True):
        yield "colour", {**body, "colour": 1}
    for name in schema.get("required", ()):
        yield name, {other: value for other, value in body.items() if other != name}
    for name, field in schema["properties"].items():
        is_valid = Draft202012Validator({**field, "components": components}, validate_formats=True).is_valid
        values = (*VALUES, "?") if "enum" in str(field) else VALUES
        yield from ((name, {**body, name: value}) for value in values if not is_valid(value))


@pytest.mark.parametrize("operation", BODIES)
def test_a_body_of_another_form_is_refused_at_its_field_and_stores_nothing(client, services, operation):
    method, path = operation.split()
    token = client.post("/api/v1/tokens", json={"name": "x", "scopes": ["read"]}).json["id"]
    ids = stored_places(lambda path, body: client.post(path, json=body).json)
    ids |= {"token_id": token, "guest_id": token, "evidence_seq": "1", "table": "1"}
    before, wrong = stored_rows(services), []
    for name, body in broken(BODIES[operation]["schema"], BODIES[operation]["example"]):
        answer = client.open(path.format(**ids), method=method, json=body)
        pointers = [error["pointer"] for error in answer.json.get("errors", ())]
        if answer.status_code != 422 or not any(pointer.startswith(f"/{name}") for pointer in pointers):
            wrong.append((name, str(body.get(name))[:20], answer.status_code, answer.json))
    assert wrong == []
    assert stored_rows(services) == before
