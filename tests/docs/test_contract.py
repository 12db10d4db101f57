from __future__ import annotations

import copy

import pytest

from docs.generate.api import document
from docs.generate.contract import CHANGES, announced, breaks, contract, released

STATE = {"type": ["string", "null"], "enum": ["live", "ended", None]}
WHOLE = {
    "paths": {
        "/api/v1/games/{game_id}": {
            "post": {
                "operationId": "play",
                "x-scopes": ["record"],
                "parameters": [
                    {"name": "game_id", "in": "path", "required": True, "schema": {"type": "string"}},
                    {"name": "limit", "in": "query", "schema": {"type": "integer"}},
                ],
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Sent"}}},
                },
                "responses": {
                    "201": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Answered"}}}}
                },
            }
        }
    },
    "components": {
        "schemas": {
            "Sent": {"properties": {"move": {"type": "string"}, "state": STATE}, "required": ["move"]},
            "Answered": {"properties": {"state": STATE, "items": {"type": "array", "items": {"type": "integer"}}},
                         "required": ["state", "items"]},
        }
    },
}  # fmt: skip


def changed(path: str, value: object) -> dict[str, str]:
    """What breaks if the value at a path in the document changes; None takes it away."""
    new = copy.deepcopy(WHOLE)
    *parents, last = path.split(" ")
    node = new
    for name in parents:
        node = node[int(name) if isinstance(node, list) else name]
    if value is None:
        node.pop(int(last) if isinstance(node, list) else last)
    else:
        node[last] = value
    return breaks(contract(WHOLE), contract(new))


OPERATION = "paths /api/v1/games/{game_id} post"
SENT, ANSWERED = "components schemas Sent", "components schemas Answered"


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        ("paths /api/v1/games/{game_id}", None, "play"),
        (f"{OPERATION} operationId", "play_turn", "play"),
        (f"{OPERATION} x-scopes", ["arbiter"], "play.scope"),
        (f"{OPERATION} parameters 1", None, "play.limit"),
        (f"{OPERATION} parameters 1 required", True, "play.limit"),
        (f"{OPERATION} responses 201 content", {"text/plain": {"schema": {"type": "string"}}}, "play"),
        (f"{SENT} properties state", None, "Sent.state"),
        (f"{SENT} properties state enum", ["live", None], "Sent.state"),
        (f"{SENT} properties move type", "integer", "Sent.move"),
        (f"{SENT} required", ["move", "state"], "Sent.state"),
        (f"{ANSWERED} properties items", None, "Answered.items"),
        (f"{ANSWERED} properties items items type", "number", "Answered.items"),
        (f"{ANSWERED} properties items type", ["array", "null"], "Answered.items"),
        (f"{ANSWERED} properties state enum", ["live", None], "Answered.state"),
        (f"{ANSWERED} required", ["items"], "Answered.state"),
    ],
)
def test_a_change_that_breaks_clients_is_named(path, value, place):
    assert place in changed(path, value)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (f"{OPERATION} x-scopes", ["record", "play"]),
        (f"{SENT} required", []),
        (f"{SENT} properties by", {"type": "string"}),
        (f"{SENT} properties move type", ["string", "null"]),
        (f"{ANSWERED} properties state enum", ["live", "ended", "paused", None]),
        (f"{ANSWERED} properties more", {"type": "string"}),
    ],
)
def test_what_may_be_added_is_not_named(path, value):
    assert changed(path, value) == {}


def test_a_shape_may_say_more_of_an_object_in_an_answer():
    old, new = {"A": {"out x": ["null", "object of any"]}}, {"A": {"out x": ["B", "null"]}}
    assert breaks(old, new) == breaks(old, old) == {}
    assert breaks(old, {"A": {"out x": ["null", "string"]}}) == {"A.x": "is no longer object of any and may be string"}


def test_what_breaks_clients_of_the_last_release_is_announced():
    """Once a version is released: ``python -m docs.generate.contract``, and "Next" in the page gets its name."""
    found = breaks(released(), contract(document()))
    named = announced(CHANGES.read_text("utf-8"))
    assert {place: how for place, how in found.items() if place not in named} == {}


def test_only_what_the_section_next_names_is_announced():
    assert announced("### Next\n* `a.b` and `c`\n\n### 0.1\n* `d`\n") == {"a.b", "c"}
    assert announced("### 0.1\n* `d`\n") == set()
