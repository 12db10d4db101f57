"""Limited keys: to what they may be limited, and what they may use of what a request names.

What is outside the limit is not there: the refusal is the same whether it exists or not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from inkeek.service.errors import Invalid, NotFound, OutsideLimit
from inkeek.service.games.record_check import check_text
from inkeek.service.storage import GameRow, Limit, covers, event_of
from inkeek.service.storage.search import name_key, reading, table_and_event
from inkeek.service.storage.store import Store
from inkeek.service.storage.transaction import Transaction

MAX_LIMIT = 200  # characters of what a key is limited to
LIMITS = ("game", "match", "event", "table")
Find = Callable[[Transaction, str], GameRow | None]


def check_limit(transaction: Transaction, limit: Limit, scopes: Collection[str]) -> None:
    """Check that a key with these scopes may have the limit.

    :raises Invalid: it may not.
    """
    if limit.kind not in LIMITS:
        raise Invalid(
            "limit: %(kind)r is unknown. Expected one of %(limits)s.",
            field="limit",
            kind=limit.kind[:40],
            limits=", ".join(LIMITS),
        )
    check_text("limit", limit.value, MAX_LIMIT)
    if "admin" in scopes:
        raise Invalid(
            "limit: a key with the scope admin cannot be limited: it could create any other key.", field="limit"
        )
    if limit.kind == "event":
        if event_of({"Event": limit.value}) is None:
            raise Invalid("limit: %(value)r names no event.", field="limit", value=limit.value)
        return
    if limit.kind == "table":
        table, event = table_and_event(limit)
        if not name_key(table) or event_of({"Event": event}) is None:
            raise Invalid(
                "limit: %(value)r names no table. Expected such as '3:Narok Open'.", field="limit", value=limit.value
            )
        return
    game = transaction.games.get(limit.value)
    if game is None or not covers(limit, game):
        raise Invalid("limit: there is no %(limit)s.", field="limit", limit=limit)


def is_part(transaction: Transaction, limit: Limit | None, of: Limit | None) -> bool:
    """Whether what is within a limit is within another one."""
    if of is None or limit is None:
        return of is None
    if limit.kind in ("game", "match"):
        game = transaction.games.get(limit.value)
        return limit == of or (game is not None and covers(of, game))
    wider = reading(limit) if of.kind == "event" else limit
    return wider.kind == of.kind and name_key(wider.value) == name_key(of.value)


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
