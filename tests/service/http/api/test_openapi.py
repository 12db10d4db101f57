from __future__ import annotations

import re

from flask import Flask

GENERAL = {400, 401, 403, 405, 413, 415, 429, 500, 503}  # of any route: `default` in the document


def documented(app: Flask) -> dict:
    return app.test_client().get("/api/v1/openapi.json").json


def properties(app: Flask, schema: str) -> set[str]:
    """The documented fields of a schema."""
    return set(documented(app)["components"]["schemas"][schema]["properties"])


def path_of(rule: str) -> str:
    """A route as the document writes it."""
    return re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule)


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
                assert operation["responses"]["default"]["$ref"].endswith("/DEFAULT_ERROR"), (method, path)
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
