"""All operations of the API (`docs/api.md`) in the order of its document, and all pages."""

from __future__ import annotations

from flask import Flask

from inkeek.service.disputes import api as disputes, pages as disputes_pages, steps

from .api import accounts, events, findings, library, live, matches, proofs, review, study, turns
from .api.blueprint import PREFIX
from .api.boards import report, views as boards
from .api.games import views as games
from .api.health import blueprint as health
from .api.openapi import blueprint as docs, document_view
from .web import backup, matches as match_pages, study as study_pages
from .web.accounts import joining, people
from .web.base import blueprint
from .web.boards import pages as boards_pages
from .web.drawing import appearance
from .web.events import booklet, hall, pages as events_pages, plans
from .web.findings import pages as findings_pages
from .web.games import pages as games_pages, rules
from .web.library import imports, manual, pages as library_pages
from .web.review import game_analysis, pages as review_pages
from .web.sharing import pages as sharing_pages
from .web.turns import live_page

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
    steps.evidence_blueprint,
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
# Importing a module puts its routes on the blueprint of the pages.
PAGES = (
    appearance,
    backup,
    booklet,
    boards_pages,
    disputes_pages,
    events_pages,
    findings_pages,
    game_analysis,
    games_pages,
    hall,
    imports,
    joining,
    library_pages,
    live_page,
    manual,
    match_pages,
    people,
    plans,
    review_pages,
    rules,
    sharing_pages,
    study_pages,
)


def register_routes(app: Flask) -> None:
    """Let an application answer all of them."""
    for part in (*BLUEPRINTS, health, docs, blueprint):
        app.register_blueprint(part)
    app.add_url_rule(f"{PREFIX}/openapi.json", view_func=document_view(BLUEPRINTS))
