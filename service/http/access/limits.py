"""Limited keys: what they may use of the routes whose path names a game, a match, a board or a dispute."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from service.errors import ErrorText, OutsideLimit
from service.storage import GameRow, Limit, Store, Transaction, covers

Find = Callable[[Transaction, str], GameRow | None]


def check_path(store: Store, limit: Limit, values: Mapping[str, Any], *, otherwise: bool) -> None:
    """Check that what the arguments of a path name is within the limit. `otherwise`: whether it is if they name none.

    :raises OutsideLimit: it is not, or does not exist.
    """
    named = [(name, find) for name, find in _FINDERS.items() if name in values]
    with store.reading() as transaction:
        for name, find in named:
            game = find(transaction, values[name])
            if game is None or not _is_within(limit, name, game):
                kind = name.removesuffix("_id")
                raise OutsideLimit(
                    ErrorText(
                        "The key is limited to %(limit)s. There is no %(kind)s %(values)r in it.",
                        limit=limit,
                        kind=kind,
                        values=values[name][:80],
                    )
                )
    if not named and not otherwise:
        raise OutsideLimit(
            ErrorText("The key is limited to %(limit)s. This route is about more than that.", limit=limit)
        )


def _is_within(limit: Limit, name: str, game: GameRow) -> bool:
    # A match is more than its first game, which has its id and is in its event.
    return covers(limit, game) and (name != "match_id" or limit.kind != "game")


def _game_of_board(transaction: Transaction, board_id: str) -> GameRow | None:
    board = transaction.boards.get(board_id)
    return None if board is None else transaction.games.get(board.game)


_FINDERS: dict[str, Find] = {
    "game_id": lambda transaction, game_id: transaction.games.get(game_id),
    "match_id": lambda transaction, match_id: transaction.games.get(match_id),
    "board_id": _game_of_board,
    "dispute_id": lambda transaction, dispute_id: transaction.games.get(dispute_id.rpartition("-")[0]),
}
