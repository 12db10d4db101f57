"""Pages to print have the fixtures of all pages."""

from tests.service.http.web.conftest import admin, database_kind, games, new_game, served, watch

__all__ = ["admin", "database_kind", "games", "new_game", "served", "watch"]
