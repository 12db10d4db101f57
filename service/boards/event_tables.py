"""What callers may change at the tables of events, and which boards they may put there."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from msgspec.structs import replace

from inkeek.service.errors import Forbidden
from inkeek.service.games.events.plan import EventPlan, TableBoard, plan_of
from inkeek.service.games.events.planning import Expected
from inkeek.service.games.write import Write
from inkeek.service.http.access import allows
from inkeek.service.http.context import current_caller, current_limit, current_services, current_write
from inkeek.service.http.names import check_event, keeps_table
from inkeek.service.storage import BoardRow, EventPlanRow, event_of
from inkeek.service.storage.rows import FAR

from .tables import check_boards


def check_new_boards(before: Collection[TableBoard], after: Collection[TableBoard]) -> None:
    """Check that the caller may change the boards of an event, and have those opened that are new.

    :raises Forbidden: they may open no ports. :raises Invalid, OutsideLimit: see `check_boards`.
    """
    if set(before) == set(after):
        return
    if not allows(current_caller().scopes, "board"):
        raise Forbidden("boards: your key has not the scope 'board', which opens ports of the service's machine.")
    known = {replace(board, table=0) for board in before}  # it may change its table
    new = {at: board for at, board in enumerate(after) if replace(board, table=0) not in known}
    check_boards(new, current_limit())


def keep_at_table(board: BoardRow) -> None:
    """Have a board that was bound by hand to the game at a table play the next rounds there too, in place of another
    one, if the caller may change the plan. One that the plan has at another table stays there."""
    services, limit = current_services(), current_limit()
    game = services.games.row(board.game)
    key = event_of(game.tags)
    row = None if key is None else services.events.row(key)
    if key is None or row is None or board.driver == FAR or not allows(current_caller().scopes, "arbiter"):
        return
    if limit is not None and limit.kind != "event":
        return
    plan = plan_of(row)
    first = game.match_id or game.id
    pairings = plan.rounds[-1].pairings if plan.rounds else ()
    table = next((one.table for one in pairings if one.game == first), None)
    if table is None or any(one.port == board.url for one in plan.boards):
        return
    placed = TableBoard(table, board.url, board.driver, board.serial, board.buttons)

    def add(plan: EventPlan) -> EventPlan:
        return replace(plan, boards=(*(one for one in plan.boards if one.table != table), placed))

    services.events.change(key, None, add, current_write())


def change_event_table(
    event: str, version: Expected, number: int, table: int, changes: Mapping[str, Any], write: Write
) -> EventPlanRow:
    """Change a table of the event with that key as `Events.change_table` does, and as the caller may."""
    return current_services().events.change_table(
        check_event(event, table),
        version,
        number,
        table,
        changes,
        write,
        is_arbiter=allows(current_caller().scopes, "arbiter"),
        keeps=keeps_table(event, table),
    )
