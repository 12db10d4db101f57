"""Games by their last change, the oldest change first: `GameFilter.updated_since`.

The order is that of the ledger, so that no game is missed whose change was stored while the list was read: a game that
changes moves to the end. A page looks at `WINDOW` entries of the ledger, and may have fewer games than asked for.
"""

from __future__ import annotations

import re
from typing import Any

from sqlalchemy import Connection, Row, Select, and_, select

from inkeek.service.errors import Ahead, Invalid
from inkeek.service.storage.search import GameFilter, first_moment

from .game_list import WINDOW, GameList
from .ledger import ledger
from .schema import games

CURSOR = "[0-9]{1,18}"
_CURSOR = re.compile(CURSOR, re.ASCII)


def changed_games(
    session: Connection, where: GameFilter, limit: int, cursor: str | None
) -> tuple[list[Any], str | None]:
    """At most `limit` rows of games that match and changed since then, and the cursor of the next page.

    :raises Invalid: the cursor is not from such a list. :raises Ahead: it is beyond the end of the ledger.
    """
    since = first_moment("updated_since", where.updated_since) or ""
    last = session.execute(select(ledger.c.position).order_by(ledger.c.position.desc()).limit(1)).scalar() or 0
    after = _first_since(session, since, last) - 1 if cursor is None else _read_cursor(cursor, last)
    top = min(last, after + WINDOW)
    rows = list(session.execute(_query(where, since, after, top).limit(limit + 1)))
    if len(rows) > limit:
        return rows[:limit], place_of(rows[limit - 1])
    return rows, None if top == last else str(top)


def place_of(row: Row[Any]) -> str:
    """The cursor of the page that goes on after a row of `changed_games`."""
    return str(row.place)


def _query(where: GameFilter, since: str, after: int, top: int) -> Select[Any]:
    """The games whose last change is one of these entries of the ledger."""
    is_last = and_(games.c.id == ledger.c.game_id, games.c.seq == ledger.c.seq)
    query = select(games, ledger.c.position.label("place")).join_from(ledger, games, is_last)
    query = query.where(ledger.c.position > after, ledger.c.position <= top, games.c.updated >= since)
    return query.where(*GameList(where, None).checks()).order_by(ledger.c.position)


def _first_since(session: Connection, since: str, last: int) -> int:
    """The first position of the ledger with that time or a later one, by bisection: times never go back along it."""
    low, high = 1, last + 1
    while low < high:
        middle = (low + high) // 2
        time = session.execute(select(ledger.c.time).where(ledger.c.position == middle)).scalar_one()
        low, high = (middle + 1, high) if time < since else (low, middle)
    return low


def _read_cursor(cursor: str, last: int) -> int:
    if not _CURSOR.fullmatch(cursor):
        raise Invalid(f"cursor is {cursor[:80]!r}: expected the 'next' of a page of the same list")
    if int(cursor) > last:
        raise Ahead(f"The cursor {cursor} does not exist; the last one is {last}. List again without it.", last=last)
    return int(cursor)
