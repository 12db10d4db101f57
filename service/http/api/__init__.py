"""The HTTP API, ``/api/v1`` (`docs/api.md`)."""

from __future__ import annotations

from flask import Flask

from inkeek.service.disputes import api as disputes, evidence_api as evidence

from . import accounts, events, findings, library, live, matches, proofs, review, study, turns
from .blueprint import PREFIX
from .boards import report, views as boards
from .games import views as games
from .health import blueprint as health
from .openapi import blueprint as docs, document_view

BLUEPRINTS = (
    games.rulesets_blueprint,
    games.blueprint,
    library.export_blueprint,
    matches.blueprint,
    library.names_blueprint,
    library.paper_blueprint,
    library.persons_blueprint,
    events.blueprint,
    turns.blueprint,
    turns.people_blueprint,
    disputes.blueprint,
    evidence.blueprint,
    proofs.blueprint,
    review.annotations_blueprint,
    live.events_blueprint,
    live.feed_blueprint,
    findings.blueprint,
    study.analysis_blueprint,
    review.jobs_blueprint,
    study.explorer_blueprint,
    study.positions_blueprint,
    boards.blueprint,
    report.blueprint,
    accounts.tokens_blueprint,
    accounts.invitations_blueprint,
)


def register_api(app: Flask) -> None:
    for blueprint in (*BLUEPRINTS, health, docs):
        app.register_blueprint(blueprint)
    app.add_url_rule(f"{PREFIX}/openapi.json", view_func=document_view(BLUEPRINTS))
