import pytest

from docs.generate.api import document
from inkeek.service.http.api.openapi import RESPONSES
from tests.schema import places
from tests.service.clients import with_token
from tests.service.http.api.example_responses import example_responses, one_of_each, shape
from tests.service.photographs import jpeg
from tests.service.study.test_jobs import work

BODIES = {
    f"{method.upper()} {path}": operation["requestBody"]["content"]["application/json"]
    for path, operations in document()["paths"].items()
    for method, operation in operations.items()
    if method != "parameters" and "application/json" in operation.get("requestBody", {}).get("content", {})
}


@pytest.mark.parametrize("operation", BODIES)
def test_the_example_of_every_body_can_be_sent(client, services, installed, operation):
    (method, path), body = operation.split(), BODIES[operation]["example"]
    ids = places(lambda path, body: client.post(path, json=body).json)
    fresh = client.post("/api/v1/games", json={"game": "enkeshui", "options": {"pits": 8}}).json["id"]
    token = {"name": "x", "scopes": ["read"]}
    ids["token_id"] = client.post("/api/v1/tokens", json=token).json["id"]
    if path.endswith(("/retractions", "/disputes")):  # they are about the first turn
        client.post(f"/api/v1/games/{fresh}/turns", json={"move": "c"})
    if path.endswith(("/release", "/removal")):
        place = f"/api/v1/disputes/{ids['dispute_id']}/photographs?witness=Hawo"
        added = client.post(place, data=jpeg(), content_type="image/jpeg")
        ids["evidence_seq"] = added.json["evidence"][0]["seq"]
    if path.endswith("/appeal"):
        client.post(f"/api/v1/disputes/{ids['dispute_id']}/ruling", json={"outcome": "stands"})
    if "/end/" in path:
        client.post(f"/api/v1/games/{fresh}/end", json={"termination": "resignation", "winner": "South"})
    if path.endswith("/answer"):  # this turn was recorded before
        board = {"port": "far:other", "driver": "far", "game": fresh}
        ids["board_id"] = client.post("/api/v1/boards", json=board).json["id"]
        client.post(f"/api/v1/games/{fresh}/turns", json={"move": "d"})
    if "/events/" in path and not path.endswith("/rules"):
        event = client.post("/api/v1/events", json=BODIES["POST /api/v1/events"]["example"]).json["id"]
        ids |= {"event_id": event, "number": 1, "table": 1}
        if "/tables/" in path:
            client.post(f"/api/v1/events/{ids['event_id']}/rounds", json={})
    if path.endswith("/analysis/annotations"):
        work(services, client, client.post(f"/api/v1/games/{fresh}/analysis", json={"depth": 1}).json["id"])
    if path.endswith("/jobs"):
        body = {**body, "games": [fresh]}
    if path.endswith("/boards"):
        body = {**body, "game": fresh}
    answer = client.open(path.format(**{**ids, "game_id": fresh}), method=method, json=body)
    assert answer.status_code in (200, 201, 202), answer.text


def test_examples_of_answers_are_such_as_the_service_gives(app, installed):
    responses = one_of_each(example_responses(with_token(app)))
    assert responses.keys() == RESPONSES.keys()
    for name, answer in responses.items():
        assert shape(RESPONSES[name]) == shape(answer), name


def test_examples_of_answers_stand_in_the_document():
    found = [
        response["content"]["application/json"]["example"]
        for operations in document()["paths"].values()
        for method, operation in operations.items()
        if method != "parameters"
        for response in operation["responses"].values()
        if "example" in response.get("content", {}).get("application/json", {})
    ]
    assert len(found) > len(RESPONSES)
    assert all(example in found for example in RESPONSES.values())
