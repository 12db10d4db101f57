"""Pages that share games have the fixtures of all pages."""

from tests.service.http.web.conftest import database_kind, games, new_game, served, watch

__all__ = ["database_kind", "games", "new_game", "served", "watch"]
