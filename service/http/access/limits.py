"""Limited keys: what they may use of the games, matches, boards and disputes that a request names.

What is outside the limit is not there: the refusal is the same whether it exists or not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from service.errors import NotFound, OutsideLimit
from service.storage import GameRow, Limit, Store, Transaction, covers

Find = Callable[[Transaction, str], GameRow | None]


def check_path(store: Store, limit: Limit, values: Mapping[str, Any], *, otherwise: bool) -> None:
    """Check that what the arguments of a path name is within the limit. `otherwise`: whether it is if they name none.

    :raises NotFound: it is not, or does not exist. :raises OutsideLimit: they name nothing, and more is asked for.
    """
    if not any(name in values for name in _FINDERS):
        if not otherwise:
            raise OutsideLimit("The key is limited to %(limit)s. This route is about more than that.", limit=limit)
        return
    check_named(store, limit, values)


def check_named(store: Store, limit: Limit, values: Mapping[str, Any]) -> None:
    """Check that the games, matches, boards and disputes with these ids, by the names of `_FINDERS`, are within the
    limit.

    :raises NotFound: one is not, or does not exist.
    """
    with store.reading() as transaction:
        for name, find in _FINDERS.items():
            value = values.get(name)
            if value is None:
                continue
            game = find(transaction, value)
            if game is None or not _is_within(limit, name, game):
                raise outside(limit, name.removesuffix("_id"), value)


def outside(limit: Limit, kind: str, value: str) -> NotFound:
    """The error for what a limited key asks for by its id or name, and is not within the limit, or does not exist."""
    return NotFound(
        "There is no %(kind)s %(value)r in what you have access to: %(limit)s.",
        kind=kind,
        value=value[:80],
        limit=limit,
    )


def _is_within(limit: Limit, name: str, game: GameRow) -> bool:
    # A match is more than its first game, which has its id and is in its event.
    return covers(limit, game) and (name != "match_id" or (limit.kind != "game" and game.match_id == game.id))


def _game_of_board(transaction: Transaction, board_id: str) -> GameRow | None:
    board = transaction.boards.get(board_id)
    return None if board is None else transaction.games.get(board.game)


_FINDERS: dict[str, Find] = {
    "game_id": lambda transaction, game_id: transaction.games.get(game_id),
    "match_id": lambda transaction, match_id: transaction.games.get(match_id),
    "board_id": _game_of_board,
    "dispute_id": lambda transaction, dispute_id: transaction.games.get(dispute_id.rpartition("-")[0]),
}
