import re
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask

from inkeek.service.games.api import NDJSON, PMN
from tests.service.clients import with_token
from tests.service.http.conformance import documented, path_of


def operations(app: Flask) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Path, method and description of every operation."""
    for path, methods in documented(app)["paths"].items():
        yield from ((path, method, operation) for method, operation in methods.items())


def properties(app: Flask, schema: str) -> set[str]:
    """The documented fields of a schema."""
    return set(documented(app)["components"]["schemas"][schema]["properties"])


def test_the_document_has_exactly_the_routes(app):
    document = documented(app)
    assert document["openapi"] == "3.1.0"
    routes = {
        (path_of(rule.rule), method.lower())
        for rule in app.url_map.iter_rules()
        for method in rule.methods - {"HEAD", "OPTIONS"}
        if rule.rule.startswith("/api/") and not rule.rule.endswith("/openapi.json")
    }
    documented_routes = {
        (path, method)
        for path, operations in document["paths"].items()
        for method in operations
        if method != "parameters"
    }
    assert documented_routes == routes


def test_errors_are_documented_as_problems(app):
    document = documented(app)
    for name, response in document["components"]["responses"].items():
        if "content" in response:
            assert list(response["content"]) == ["application/problem+json"], name
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if method != "parameters":
                assert operation["responses"]["default"]["$ref"].endswith("/Error"), (method, path)
                assert operation["summary"], (method, path)


def test_plies_are_documented_as_the_notation_has_them(app):
    schemas = documented(app)["components"]["schemas"]
    assert set(schemas["Ply"]["properties"]) > {"ply", "move", "nags", "comments", "variations"}
    assert schemas["Ply"]["properties"]["nags"]["items"]["maximum"] == 255
    assert schemas["Ply"]["properties"]["variations"]["items"]["$ref"].endswith("/Variation")
    assert schemas["Variation"]["properties"]["plies"]["items"]["$ref"].endswith("/RecordPly")
    assert schemas["RecordPly"]["required"] == ["move"]


def test_bodies_are_documented_with_their_bounds(app):
    schemas = documented(app)["components"]["schemas"]
    assert schemas["NewTurn"]["required"] == ["move"]
    assert schemas["NewTurn"]["properties"]["move"]["maxLength"] == 400
    assert schemas["NewTurn"]["additionalProperties"] is False


def test_operations_have_plain_names_that_are_unique(app):
    names = [operation["operationId"] for _, _, operation in operations(app)]
    assert len(set(names)) == len(names)
    assert all(name.isidentifier() and "_" in name for name in names)


def test_headers_of_requests_are_documented_where_they_are_read(app):
    read = {
        operation["operationId"]: {
            parameter["$ref"].rpartition("/")[2] for parameter in operation.get("parameters", ()) if "$ref" in parameter
        }
        for _, _, operation in operations(app)
    }
    assert read["play_turn"] == {"If-Match", "Idempotency-Key"}
    assert read["get_game"] == read["get_record"] == {"If-None-Match"}
    assert read["get_events"] == read["follow_board"] == {"Last-Event-ID"}
    assert read["create_token"] == set()


def test_bodies_and_streams_are_documented_with_their_media_types(app):
    paths = documented(app)["paths"]
    importing = paths["/api/v1/games/import"]["post"]
    assert set(importing["requestBody"]["content"]) == {PMN, NDJSON, "text/plain"}
    assert importing["responses"]["200"]["content"][NDJSON]["schema"]["contentSchema"]["items"] == {
        "$ref": "#/components/schemas/Imported"
    }
    assert set(paths["/api/v1/games/export"]["get"]["responses"]["200"]["content"]) == {PMN, NDJSON}
    events = paths["/api/v1/games/{game_id}/events"]["get"]["responses"]["200"]["content"]
    assert set(events) == {"text/event-stream", NDJSON}


def test_the_errors_of_every_operation_are_documented(app):
    for path, method, operation in operations(app):
        expected = {"400", "401", "403", "414", "429", "431", "503", "default"}
        expected |= {"404"} if "{" in path else set()
        expected |= {"413", "415"} if "requestBody" in operation else set()
        assert expected <= operation["responses"].keys(), (method, path)


@pytest.mark.parametrize("path", ["games", "games/import", "games/export", "games/export.pmn", "tokens", "nothing"])
def test_methods_that_are_not_allowed_are_problems_that_name_the_others(app, path):
    """Also beside `/games/{game_id}`, whose methods other names of this form do not have."""
    client = with_token(app)
    expected = {method.upper() for known, method, _ in operations(app) if known == f"/api/v1/{path}"}
    expected |= {"HEAD"} if "GET" in expected else set()
    options = client.options(f"/api/v1/{path}")
    if not expected:
        assert options.status_code == 404
        return
    assert set(options.headers["Allow"].split(", ")) == expected | {"OPTIONS"}
    for method in {"GET", "POST", "PATCH", "PUT", "DELETE", "SING"} - expected:
        answer = client.open(f"/api/v1/{path}", method=method, data="x", content_type="text/html")
        assert (answer.status_code, answer.json["type"]) == (405, "/problems/method-not-allowed"), method
        assert set(answer.headers["Allow"].split(", ")) == expected | {"OPTIONS"}, method


def test_the_server_is_where_the_document_was_asked_for(app):
    for address in ("http://localhost", "https://127.0.0.1:8443/club"):
        answer = with_token(app).get("/api/v1/openapi.json", base_url=address)
        assert [server["url"] for server in answer.json["servers"]] == [address]


def test_every_operation_says_what_it_does_and_which_scope_it_needs(app):
    for _, _, operation in operations(app):
        assert operation["description"].startswith(operation["summary"])
        assert operation["x-scopes"]
        assert all(f"`{scope}`" in operation["description"] for scope in operation["x-scopes"])


def test_defaults_of_bodies_are_said_in_words(app):
    """A field with `default` is required by generated TypeScript."""
    schemas = documented(app)["components"]["schemas"]
    fields = [field for schema in schemas.values() for field in schema.get("properties", {}).values()]
    assert not any("default" in field for field in fields)
    assert "`true`" in schemas["NewBoard"]["properties"]["buttons"]["description"]


def test_the_page_of_the_document_asks_for_nothing_that_the_service_does_not_have(client):
    page = client.get("/docs")
    assert (page.status_code, page.content_type) == (200, "text/html; charset=utf-8")
    links = re.findall(r'(?:src|href|data-document)="([^"]+)"', page.text)
    assert len(links) == 5
    for place in links:
        with client.get(place) as answer:
            assert answer.status_code == 200, place
    assert "script-src" not in page.headers["Content-Security-Policy"]  # scripts: from here only
    assert not re.search(r"<script>|https?://", page.text)


@pytest.mark.parametrize("name", ["swagger-ui.js", "..", "%2e%2e%2f__init__.py", "VERSION"])
def test_other_files_of_the_package_are_not_served(client, name):
    assert client.get(f"/docs/{name}").status_code == 404
