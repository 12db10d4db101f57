"""The page of backups has the fixtures of all pages."""

from tests.service.http.web.conftest import admin, database_kind, games, new_game

__all__ = ["admin", "database_kind", "games", "new_game"]
