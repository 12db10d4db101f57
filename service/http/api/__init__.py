"""The HTTP API, ``/api/v1`` (`docs/api.md`)."""

from __future__ import annotations

from flask import Flask

from . import (
    analysis,
    boards,
    disputes,
    events,
    evidence,
    explorer,
    export,
    feed,
    findings,
    game_annotations,
    games,
    jobs,
    matches,
    names,
    people,
    positions,
    proofs,
    remote,
    rulesets,
    tokens,
    turns,
)
from .blueprint import PREFIX
from .docs import blueprint as docs
from .health import blueprint as health
from .openapi import document_view

PARTS = (
    rulesets,
    games,
    export,
    matches,
    names,
    turns,
    people,
    disputes,
    evidence,
    proofs,
    game_annotations,
    events,
    feed,
    findings,
    analysis,
    jobs,
    explorer,
    positions,
    boards,
    remote,
    tokens,
)


def register_api(app: Flask) -> None:
    blueprints = [part.blueprint for part in PARTS]
    for blueprint in (*blueprints, health, docs):
        app.register_blueprint(blueprint)
    app.add_url_rule(f"{PREFIX}/openapi.json", view_func=document_view(blueprints))
