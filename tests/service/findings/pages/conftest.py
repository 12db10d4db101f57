"""The page of findings has the fixtures of all pages."""

from tests.service.http.web.conftest import bind_board, database_kind, games, new_game, served, watch

__all__ = ["bind_board", "database_kind", "games", "new_game", "served", "watch"]
