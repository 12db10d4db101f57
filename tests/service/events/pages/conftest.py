"""Pages of events have the fixtures of all pages."""

from tests.service.http.web.conftest import admin, bind_board, database_kind, games, new_game, served, watch

__all__ = ["admin", "bind_board", "database_kind", "games", "new_game", "served", "watch"]
