"""Pages of boards have the fixtures of all pages."""

from tests.service.http.web.conftest import bind_board, database_kind, games, new_game, page_context, served, watch

__all__ = ["bind_board", "database_kind", "games", "new_game", "page_context", "served", "watch"]
