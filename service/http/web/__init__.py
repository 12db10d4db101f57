"""The pages: `blueprint` holds their routes, `html_error` answers errors outside the API."""

from __future__ import annotations

from inkeek.service.disputes import pages as disputes_pages

from . import backup, matches, study
from .accounts import joining, mine, people, signing, tokens, welcome
from .base import blueprint, html_error
from .boards import pages as boards_pages
from .drawing import appearance
from .events import booklet, changes, hall, pages as events_pages, plans as event_plans
from .findings import pages as findings_pages
from .games import pages as games_pages, rules, rules_form
from .library import (
    imports,
    manual_pages,
    pages as library_pages,
    paper,
    persons as persons_pages,
    search as search_pages,
)
from .review import comparison, game_analysis, pages as review_pages, printed_game
from .sharing import pages as sharing_pages
from .turns import live_actions, live_page

# Importing a module puts its routes on the blueprint.
PAGES = (
    appearance,
    backup,
    booklet,
    boards_pages,
    disputes_pages,
    event_plans,
    changes,
    comparison,
    events_pages,
    findings_pages,
    game_analysis,
    games_pages,
    hall,
    imports,
    joining,
    library_pages,
    live_actions,
    live_page,
    manual_pages,
    matches,
    mine,
    paper,
    people,
    persons_pages,
    printed_game,
    review_pages,
    rules,
    rules_form,
    search_pages,
    sharing_pages,
    signing,
    study,
    tokens,
    welcome,
)

__all__ = ["blueprint", "html_error"]
