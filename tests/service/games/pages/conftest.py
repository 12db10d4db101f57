"""Pages of games have the fixtures of all pages."""

from tests.service.http.web.conftest import (
    admin,
    bind_board,
    database_kind,
    games,
    new_game,
    page_context,
    served,
    watch,
)

__all__ = ["admin", "bind_board", "database_kind", "games", "new_game", "page_context", "served", "watch"]
