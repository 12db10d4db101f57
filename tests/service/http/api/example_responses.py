"""Write the example responses of the API's document: ``python -m tests.service.http.api.example_responses``.

Each shape is written once: a list has one object of each, and a response that stands in another is a reference.
"""

import json
import re
import tempfile
from itertools import zip_longest
from typing import Any

from flask import request
from flask.testing import FlaskClient

from inkeek.service import create_app
from inkeek.service.http.api.openapi import RESPONSES, RESPONSES_FILE
from inkeek.service.http.api.operation import operation_of
from inkeek.service.http.context import services_of
from inkeek.service.http.shape import component_name
from tests.service.clients import with_token

API = "/api/v1"
LINE = 100  # characters in a line
INNERMOST = re.compile(r"[\[{][^][{}]+[\]}]")  # a list or an object that has none in it


def shape(value: Any) -> Any:
    """What a value is made of: its names, and the types of what they stand for."""
    if isinstance(value, dict):
        return {name: shape(held) for name, held in value.items()}
    return list(map(shape, value)) if isinstance(value, list) else type(value).__name__


def one_of_each(value: Any) -> Any:
    """The value, with one object of each shape in a list."""
    if isinstance(value, dict):
        return {name: one_of_each(held) for name, held in value.items()}
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        return value
    return list({json.dumps(shape(item)): item for item in map(one_of_each, reversed(value))}.values())[::-1]


def keep(old: Any, new: Any, again: Any) -> Any:
    """The new value; what is another in the next run, such as ids and times, stays as it was in the old value."""
    if isinstance(new, dict):
        return {name: keep(old.get(name) if isinstance(old, dict) else None, new[name], again[name]) for name in new}
    if isinstance(new, list):
        return [keep(*three) for three in zip_longest(old[: len(new)] if isinstance(old, list) else (), new, again)]
    return old if new != again and type(old) is type(new) else new


def refer(value: Any, shown: dict[str, Any]) -> Any:
    """The value, with references to the responses that are shown."""
    if isinstance(value, list):
        return [refer(item, shown) for item in value]
    if not isinstance(value, dict):
        return value
    name = next((name for name, response in shown.items() if shape(response) == shape(value)), None)
    return {"$ref": name} if name else {name: refer(held, shown) for name, held in value.items()}


def on_one_line(found: re.Match[str]) -> str:
    """A list or an object without the breaks between its items, if it is short then."""
    short = re.sub(r",\n *", ", ", found[0])
    short = re.sub(r"\n *", "", short)
    return short if len(short) <= LINE else found[0]


def example_responses(client: FlaskClient) -> dict[str, Any]:
    """Responses of a service on an empty database, by the name of the schema in the document."""
    responses: dict[str, Any] = {}

    def ask(method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """The response, which is the example of its schema if it is the first of that."""
        with client.application.test_request_context(API + path, method=method):
            operation = operation_of(client.application.view_functions[request.endpoint or ""])
        answer = client.open(API + path, method=method, json=body)
        assert answer.status_code in (200, 201, 202), answer.text
        responses.setdefault(component_name(operation.returns), answer.json)
        return answer.json

    def example(view: str) -> Any:
        operation = operation_of(client.application.view_functions[view])
        return operation and operation.example

    ask("POST", "/findings", example("findings.find_what_happened"))
    ask("POST", "/analysis", example("analysis.analyse_position"))
    start = {"game": "kalah", "tags": {"South": "Nasieku", "North": "Lemayian"}}
    game = "/games/" + ask("POST", "/games", start)["id"]
    ask("POST", f"{game}/people", {"action": "join", "side": "South", "name": "Koinet"})
    ask("POST", f"{game}/trials", {"move": "a", "by": "Koinet"})
    ask("POST", f"{game}/turns", {"move": "d", "ply": 1, "by": "Koinet"})
    ask("GET", f"{game}/turns/1/trace")
    ask("GET", f"{game}/turns")
    ask("POST", f"{game}/analysis", {"nodes": 50000})
    ask("GET", "/jobs")
    ask("GET", "/explorer?game=kalah")
    ask("GET", "/positions/turns?game=bof")
    ask("GET", f"{game}/positions/1")
    ask("GET", f"{game}/people")
    ask("GET", f"{game}/trials")
    variation = {"plies": [{"move": "c", "comments": ["five go as far as the store"]}]}
    remarks = [{"ply": 1, "nag": 1}, {"ply": 1, "comment": "[%value 2.5]"}, {"ply": 1, "variation": variation}]
    ask("POST", f"{game}/annotations", {"add": remarks, "by": "Nasieku"})
    claim = {"side": "North", "claim": "they began in e", "by": "Lemayian"}
    dispute = ask("POST", f"{game}/disputes", claim)["id"]
    ask("GET", f"{game}/disputes")
    ask("GET", f"/disputes/{dispute}/finding")
    ask("POST", f"/disputes/{dispute}/preview", {"outcome": "corrected", "move": "e"})
    witness = {"witness": "Hawo", "text": "five seeds were in the hand", "by": "Lemayian"}
    client.post(f"{API}/disputes/{dispute}/evidence", json=witness)
    proposal = {"side": "South", "outcome": "stands", "by": "Koinet"}
    ask("POST", f"/disputes/{dispute}/proposals", proposal)
    ask("GET", "/disputes")
    ask("GET", f"/disputes/{dispute}/penalties")
    ask("POST", f"/disputes/{dispute}/ruling", {"outcome": "stands", "note": "they began in d", "by": "Judge"})
    ask("POST", f"{game}/retractions", {"reason": "team", "note": "the team had said e"})
    ask("GET", f"{game}/retractions")
    ask("GET", f"{game}/integrity")
    bound = {"port": "/dev/ttyACM0", "driver": "inkeek", "game": game.rpartition("/")[2]}
    board = "/boards/" + ask("POST", "/boards", bound)["id"]
    ask("GET", "/boards")
    ask("POST", f"{board}/requests", {"kind": "seeds", "pit": 3, "seeds": 10})
    ask("POST", "/matches", {"game": "oware", "title": "games 2"})
    ask("GET", "/matches")
    ask("GET", "/games?limit=1")
    cup = {"game": "bof", "tags": {"South": "Nasieku", "North": "Koinet", "Event": "Cup", "Date": "2026.11.20"}}
    held = client.post(f"{API}/games", json=cup).json["id"]
    client.post(f"{API}/games/{held}/end", json={"termination": "resignation", "winner": "South"})
    player = ask("GET", "/players?prefix=na")["items"][0]["id"]
    ask("GET", f"/players/{player}")
    client.patch(f"{API}/players/{player}", json={"name": "Nasieku Ole"})
    ask("GET", f"/players/{player}/changes")
    event = client.get(f"{API}/events?prefix=cup").json["items"][0]["id"]
    ask("GET", f"/events/{event}")
    ask("GET", f"/events/{event}/rules")
    ask("GET", f"/events/{event}/standings")
    client.post(f"{API}/events", json={"name": "Open", "games": [{"game": "bof"}], "players": [{"name": "Nasieku"}]})
    opened = client.get(f"{API}/events?prefix=open").json["items"][0]["id"]
    ask("GET", f"/events/{opened}/changes")
    ask("POST", f"/players/{player}/removal", {"by": "Judge"})
    return responses


def fresh_responses() -> dict[str, Any]:
    """The same from a service of their own, with one object of each shape."""
    with tempfile.TemporaryDirectory() as folder:
        app = create_app({"data": folder, "finding_time": 60.0})  # also on a busy machine
        services_of(app).store.upgrade()
        return one_of_each(example_responses(with_token(app)))


if __name__ == "__main__":
    kept = keep(RESPONSES, fresh_responses(), fresh_responses())
    shown: dict[str, Any] = {}
    stored = {}
    for name, response in kept.items():
        stored[name] = refer(response, shown)
        shown[name] = response
    text = json.dumps(stored, ensure_ascii=False, indent=1)
    RESPONSES_FILE.write_text(INNERMOST.sub(on_one_line, text) + "\n", encoding="utf-8")
