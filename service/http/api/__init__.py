"""The HTTP API, ``/api/v1`` (`docs/api.md`)."""

from __future__ import annotations

from flask import Flask

from . import boards, disputes, events, export, games, matches, people, remote, rulesets, tokens, turns
from .docs import blueprint as docs
from .health import blueprint as health
from .smorest import register

CONFIG = {
    "API_TITLE": "Inkeek",
    "API_VERSION": "v1",
    "OPENAPI_VERSION": "3.1.0",
    "OPENAPI_URL_PREFIX": "/api/v1",
    "OPENAPI_JSON_PATH": "openapi.json",
}

PARTS = (rulesets, games, export, matches, turns, people, disputes, events, boards, remote, tokens)


def register_api(app: Flask) -> None:
    register(app, [part.blueprint for part in PARTS], CONFIG)
    app.register_blueprint(health)
    app.register_blueprint(docs)


def is_import(endpoint: str | None) -> bool:
    """Whether this is the endpoint that takes records, whose body need not be JSON."""
    return endpoint == "games.import_records"
