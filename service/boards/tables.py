"""The boards that stand at the tables of events: each plays the games of its table, round after round."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING

from inkeek.service.errors import Invalid, NotFound, ServiceError, about
from inkeek.service.games.events.plan import EventPlan, TableBoard, plan_of
from inkeek.service.games.events.results import games_of_pairing
from inkeek.service.storage import Limit, event_of
from inkeek.service.storage.rows import FAR

from .bindings import Boards, is_over
from .ports import check_port

if TYPE_CHECKING:
    from inkeek.service.storage.store import Store
    from inkeek.service.storage.transaction import Transaction

log = logging.getLogger(__name__)


class TableBoards:
    """Brings the boards of plans to the games of their tables."""

    def __init__(self, store: Store, boards: Boards) -> None:
        self._store = store
        self._boards = boards

    def seat(self, before: EventPlan, after: EventPlan) -> None:
        """Release the boards that a change of a plan takes from their tables, and bind each board to the game that goes
        on at its table, if that has none.

        A board that still plays another game stays there: `seat_idle` brings it later. What fails is logged, and the
        page of the event shows it: a round does not wait for a board.
        """
        for taken in set(before.boards) - set(after.boards):
            with self._store.reading() as transaction:
                board = transaction.boards.at(taken.port)
                is_here = board is not None and board.game == table_game(transaction, before, taken.table)
            if board is not None and is_here:
                self._boards.release(board.id)
        if not after.boards:
            return
        with self._store.reading() as transaction:
            due = [board for board in after.boards if _is_due(transaction, after, board)]
        for board_here in due:
            try:
                self.bind(after, board_here.table)
            except ServiceError as error:
                level = logging.DEBUG if before is after else logging.WARNING  # seconds later again
                log.log(level, "table %s of %s has no board: %s", board_here.table, after.name, error)

    def seat_idle(self) -> None:
        """Bring the boards whose game is over to the game that goes on at their table now."""
        with self._store.reading() as transaction:
            idle = transaction.boards.idle()
            if not idle:
                return
            rows = [row for game_id in idle if (row := transaction.games.get(game_id)) is not None]
            keys = {key for row in rows if (key := event_of(row.tags)) is not None}
            keys |= set(transaction.event_plans.newest(1))  # a board may come from elsewhere
            plans = [transaction.event_plans.get(key) for key in keys]
        for plan in (plan_of(row) for row in plans if row is not None):
            self.seat(plan, plan)

    def bind(self, plan: EventPlan, table: int) -> None:
        """Bind the board of a table to the game that goes on there.

        :raises NotFound: no board stands there, or no game goes on. :raises BoardBound: see `Boards.bind`.
        """
        with self._store.reading() as transaction:
            game_id = table_game(transaction, plan, table)
        board = plan.board_at(table)
        if board is None or game_id is None:
            raise NotFound("Table %(table)s has no sensor board, or no game goes on there.", table=table)
        self._boards.bind_checked(
            board.port,
            board.driver,
            game_id,
            buttons=board.buttons,
            serial=board.serial,
            limit=Limit("event", plan.name),  # who made the plan may have no right beyond the event
        )


def _is_due(transaction: Transaction, plan: EventPlan, board: TableBoard) -> bool:
    """Whether a game goes on at the table that has no board, and this one plays none that goes on."""
    game_id, bound = table_game(transaction, plan, board.table), transaction.boards.at(board.port)
    if game_id is None or transaction.boards.of_game(game_id) is not None:
        return False
    return bound is None or is_over(transaction, bound)


def table_game(transaction: Transaction, plan: EventPlan, table: int) -> str | None:
    """The id of the game that goes on at a table in the last round."""
    pairings = plan.rounds[-1].pairings if plan.rounds else ()
    first = next((one.game for one in pairings if one.table == table), None)
    games = games_of_pairing(transaction, first) if first else []
    return games[-1].id if games and games[-1].state == "live" else None


def check_boards(boards: Mapping[int, TableBoard], limit: Limit | None) -> None:
    """Check that whoever has a key with this limit may have the desk open these boards, each by its place in the plan.

    :raises Invalid: a driver or a port cannot be used. :raises OutsideLimit: see `Boards.bind`.
    """
    for at, board in boards.items():
        if board.driver == FAR:
            raise Invalid(
                "boards: the board at %(port)s hangs on another machine. Attach it there to the game of its table.",
                field="boards",
                port=board.port[:80],
            )
        with about(f"boards[{at}]"):
            check_port(board.driver, board.port, limit)
