"""The HTTP API, ``/api/v1`` (`docs/api.md`)."""

from __future__ import annotations

from flask import Flask

from inkeek.service.disputes import api as disputes, evidence_api as evidence

from . import events as planned_events, findings, matches, people, proofs, turns
from .accounts import invitations, tokens
from .blueprint import PREFIX
from .boards import report, views as boards_views
from .docs import blueprint as docs
from .games import rulesets, views as games_views
from .health import blueprint as health
from .library import export, names, paper, persons
from .live import feed, game_events as events
from .openapi import document_view
from .review import annotations as game_annotations, jobs
from .study import analysis, explorer, positions

PARTS = (
    rulesets,
    games_views,
    export,
    matches,
    names,
    paper,
    persons,
    planned_events,
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
    boards_views,
    report,
    tokens,
    invitations,
)
BLUEPRINTS = tuple(part.blueprint for part in PARTS)


def register_api(app: Flask) -> None:
    for blueprint in (*BLUEPRINTS, health, docs):
        app.register_blueprint(blueprint)
    app.add_url_rule(f"{PREFIX}/openapi.json", view_func=document_view(BLUEPRINTS))
