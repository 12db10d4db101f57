"""The boards at the tables of an event, as requests choose them from the API and from the pages."""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from service.boards.tables import check_boards
from service.errors import Forbidden
from service.games.events.plan import TableBoard
from service.http.access import allows
from service.http.context import current_caller, current_limit


def check_new_boards(before: Collection[TableBoard], after: Collection[TableBoard]) -> None:
    """Check that the caller may change the boards of an event, and have those opened that are new.

    :raises Forbidden: they may open no ports. :raises Invalid, OutsideLimit: see `check_boards`.
    """
    if set(before) == set(after):
        return
    if not allows(current_caller().scopes, "board"):
        raise Forbidden("boards: your key has not the scope 'board', which opens ports of the service's machine.")
    known = {replace(board, table=0) for board in before}  # it may change its table
    check_boards([board for board in after if replace(board, table=0) not in known], current_limit())
