"""Pages of analyses have the fixtures of all pages."""

from tests.service.http.web.conftest import database_kind, games, new_game, page_context, served, watch, work_on_jobs

__all__ = ["database_kind", "games", "new_game", "page_context", "served", "watch", "work_on_jobs"]
