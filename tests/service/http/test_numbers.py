"""Numbers of any size in addresses and queries."""

import re

import pytest
from marshmallow import fields

from inkeek.service.games.events.plan import EventPlan, OfferedGame
from inkeek.service.games.write import Write
from inkeek.service.http.api.operation import operation_of
from tests.service.clients import signed_in

HUGE = ("9" * 19, "9" * 5000, "nan", "\u00b2")


@pytest.mark.parametrize("number", HUGE)
def test_no_number_in_an_address_or_a_query_is_an_error_of_the_service(app, services, number):
    client = signed_in(app, "admin", "read", "record", "arbiter")
    write = Write("api", "Koinet")
    id = services.games.create("bof", {}, {"South": "Barasa", "North": "Anyango"}, write).id
    services.events.create(EventPlan("cup", games=(OfferedGame("bof"),)), write)
    asked = [f"/games/{id}/live?dispute={number}", f"/games/{id}/share?dispute={number}", f"/events/cup?round={number}"]
    for rule in app.url_map.iter_rules():
        if "GET" not in (rule.methods or ()):
            continue
        path = re.sub("<int:[^>]*>", number, rule.rule)
        path = re.sub("<[^>]*>", id, path)
        operation = operation_of(app.view_functions[rule.endpoint])
        query = operation.query() if operation is not None and operation.query else None
        names = [name for name, field in query.fields.items() if is_number(field)] if query else []
        if "<int:" in rule.rule or names:
            asked.append(path + "?" + "&".join(f"{name}={number}" for name in names))
    assert len(asked) > 20
    assert client.get(f"/games/{id}/live").status_code == client.get("/events/cup").status_code == 200
    assert {path: status for path in asked if (status := client.get(path).status_code) >= 500} == {}


@pytest.mark.parametrize("number", ["\uff11\uff12", "1_0", "+1", " 1", "1.0", "1e1"])
def test_a_query_has_numbers_in_ascii_digits(client, number):
    answer = client.get("/api/v1/games", query_string={"limit": number})
    assert (answer.status_code, answer.json["type"]) == (422, "/problems/fields")
    assert "limit" in answer.json["detail"]


@pytest.mark.parametrize("number", ["12", "\uff11\uff12", True, 1.5, 1e400, 2**63])
def test_no_text_or_part_is_a_whole_number_of_a_body(client, number):
    game = client.post("/api/v1/games", json={"game": "bof"}).json["id"]
    answer = client.post(f"/api/v1/games/{game}/gaps", json={"turns": number})
    assert answer.status_code == (400 if number == 1e400 else 422)


def is_number(field):
    return isinstance(field, fields.Number) or "cursor" in (field.name or "") or field.name == "after"
