"""Pages of the review have the fixtures of all pages."""

from tests.service.http.web.conftest import database_kind, games, new_game

__all__ = ["database_kind", "games", "new_game"]
