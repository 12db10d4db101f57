"""The HTTP API, ``/api/v1`` (`docs/api.md`)."""

from __future__ import annotations

from flask import Flask

from . import attendance, boards, events, export, games, objections, rulesets, tokens, turns
from .health import blueprint as health
from .smorest import register

CONFIG = {
    "API_TITLE": "Inkeek",
    "API_VERSION": "v1",
    "OPENAPI_VERSION": "3.1.0",
    "OPENAPI_URL_PREFIX": "/api/v1",
    "OPENAPI_JSON_PATH": "openapi.json",
}


def register_api(app: Flask) -> None:
    parts = [
        module.blueprint for module in (rulesets, games, export, turns, attendance, objections, events, boards, tokens)
    ]
    register(app, parts, CONFIG)
    app.register_blueprint(health)
