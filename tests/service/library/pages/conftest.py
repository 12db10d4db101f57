"""Pages of the library have the fixtures of all pages."""

from tests.service.http.web.conftest import admin, database_kind, games, new_game, page_context, served, watch

__all__ = ["admin", "database_kind", "games", "new_game", "page_context", "served", "watch"]
