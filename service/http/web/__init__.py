"""The pages: `blueprint` holds their routes, `html_error` answers errors outside the API."""

from __future__ import annotations

from inkeek.service.disputes import pages as disputes_pages

from . import backup, matches, study
from .accounts import joining, people
from .base import blueprint, html_error
from .boards import pages as boards_pages
from .drawing import appearance
from .events import booklet, hall, pages as events_pages, plans
from .findings import pages as findings_pages
from .games import pages as games_pages, rules
from .library import imports, manual, pages as library_pages
from .review import game_analysis, pages as review_pages
from .sharing import pages as sharing_pages
from .turns import live_page

# Importing a module puts its routes on the blueprint.
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
    matches,
    people,
    plans,
    review_pages,
    rules,
    sharing_pages,
    study,
)

__all__ = ["blueprint", "html_error"]
