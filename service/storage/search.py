"""Search for games: the filter, the columns that it is looked up in, and the order of a page.

A page is in one of three orders, each with an index of its own: the whole list has live games first, then newest first;
a list between dates has the latest date first; every other list is newest first. *Newest* is by the number that a game
got when it was stored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, false, func, select, tuple_
from sqlalchemy.sql.expression import exists

from service.errors import Invalid

from .rows import GameRow, Limit, SearchKeys
from .tables import games, players, positions

STATES = ("live", "ended")
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
NAMELESS = ("", "?")  # what stands in a tag whose value nobody knows
COMMON = 1000  # games; a position that is in so many is looked up last
MAX_KEY = 200  # characters of a name that are compared
_DATE = re.compile(r"([0-9]{4})\.([0-9]{2}|\?\?)\.([0-9]{2}|\?\?)", re.ASCII)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


@dataclass(frozen=True, slots=True)
class GameFilter:
    """Which games to list; None matches anything.

    `game`: a rule set's id. `player`: the South or North tag, `event`: the Event tag, both compared whole but without
    regard to case and runs of spaces. `since` and `until`: days (``2026-11-20``), both included, that the Date tag must
    lie between; a date whose day or month is not known counts as before the first of it. `result`: as in the Result
    tag. `state`: ``live`` or ``ended``. `position`: the text of a position that came up in the game, whatever the
    stores and the ply; needs `game`. `within`: only games that this limit covers.

    :raises Invalid: a day, a result, a state that cannot be; a position without a game.
    """

    game: str | None = None
    player: str | None = None
    event: str | None = None
    since: str | None = None
    until: str | None = None
    result: str | None = None
    state: str | None = None
    position: str | None = None
    within: Limit | None = None

    def __post_init__(self) -> None:
        if self.game is not None and not self.game.isprintable():
            raise Invalid(f"game is {self.game[:80]!r}: expected the id of a rule set")
        if self.result is not None and self.result not in RESULTS:
            raise Invalid(f"result is {self.result[:80]!r}: expected one of {', '.join(RESULTS)}")
        for name in ("since", "until"):
            day = getattr(self, name)
            if day is not None and not _DAY.fullmatch(day):
                raise Invalid(f"{name} is {day[:80]!r}: expected a day, as 2026-11-20")
        if self.state is not None and self.state not in STATES:
            raise Invalid(f"state is {self.state[:80]!r}: expected {' or '.join(STATES)}")
        if self.position is not None and self.game is None:
            raise Invalid(
                f"position is {self.position[:80]!r}: give game too, it is looked up in those of one rule set"
            )


EVERYTHING = GameFilter()


def name_key(name: str) -> str:
    """The form in which names of players and events are compared. PostgreSQL knows no text with a NUL in it."""
    return " ".join(name.replace("\0", "").split()).casefold()[:MAX_KEY]


def players_of(tags: Mapping[str, str]) -> set[str]:
    """The keys of the players, if they are named."""
    return {name_key(tags.get(side, "")) for side in ("South", "North")}.difference(NAMELESS)


def event_of(tags: Mapping[str, str]) -> str | None:
    """The key of the event, if it is named."""
    key = name_key(tags.get("Event", ""))
    return None if key in NAMELESS else key


def covers(limit: Limit, row: GameRow) -> bool:
    """Whether a limit covers a game."""
    if limit.kind == "event":
        return event_of(row.tags) == name_key(limit.value)
    return limit.value == (row.id if limit.kind == "game" else row.match_id)


def within(limit: Limit) -> ColumnElement[bool]:
    """The same as `covers`, of the columns of `games`."""
    if limit.kind == "event":
        return games.c.event == name_key(limit.value)
    return (games.c.id if limit.kind == "game" else games.c.match_id) == limit.value


def matches_within(limit: Limit) -> ColumnElement[bool]:
    """Of the first games of matches: whether the limit covers the match, which is more than its first game."""
    return false() if limit.kind == "game" else within(limit)


def date_of(tags: Mapping[str, str]) -> str | None:
    """The Date tag as ``2026-11-20``, with ``00`` for what is not known; None when not even the year is."""
    match = _DATE.fullmatch(tags.get("Date", ""))
    return None if match is None else "-".join(match.groups()).replace("??", "00")


def position_key(game: str, position: str) -> int:
    """64 bits (signed) for the rule set, the pits with their marks and the side to move of a position's text.

    Two different positions share a key with a chance of 2^-64: among 40 million stored ones the chance that any two do
    is 1 in 20,000.
    """
    pits, _stores, side = position.split(" ")[:3]
    return int.from_bytes(blake2b(f"{game} {pits} {side}".encode(), digest_size=8).digest(), "big", signed=True)


def search_keys(row: GameRow, texts: Sequence[str]) -> SearchKeys:
    """The search keys of a game; `texts` are all its positions, from the start."""
    keys = tuple(position_key(row.game, text) for text in texts)
    return SearchKeys(frozenset(players_of(row.tags)), event_of(row.tags), date_of(row.tags), keys)


def positions_counted(where: GameFilter) -> Select[Any]:
    """How often the position of `where` came up in all games, counted up to `COMMON`."""
    key = position_key(where.game or "", where.position or "")
    return select(func.count()).select_from(
        select(positions.c.ply).where(positions.c.key == key).limit(COMMON).subquery()
    )


def query(where: GameFilter, limit: int, cursor: str | None, *, common: bool = False) -> Select[Any]:
    """The query for a page: the columns of `games`, then ``reached``, the first ply with the position.

    `common`: the position is in so many games that the event is to be looked up before it.

    :raises Invalid: the cursor is not from such a list.
    """
    found = select(games, positions.c.ply.label("reached")) if where.position is not None else select(games)
    number: ColumnElement[int] = games.c.number
    # The order is that of the table looked up first, or its index would not be used for it.
    if where.player is not None:
        found = found.join(players, players.c.number == games.c.number)
        found = found.where(players.c.name == name_key(where.player))
        number = players.c.number
    if where.position is not None:
        key: ColumnElement[int] = positions.c.key
        if common and where.event is not None:
            key = key + 0  # so that no database looks it up in the index
        elif where.player is None:  # whose games are few, while the start of the game is in all
            number = positions.c.number
        earlier = positions.alias("earlier")
        found = found.join(positions, positions.c.number == games.c.number).where(
            key == position_key(where.game or "", where.position),
            ~exists().where(
                earlier.c.key == positions.c.key,
                earlier.c.number == positions.c.number,
                earlier.c.ply < positions.c.ply,
            ),
        )
    elif where.game is not None:  # a position's key holds the game
        found = found.where(games.c.game == where.game)
    if where.event is not None:
        found = found.where(games.c.event == name_key(where.event))
    if where.since is not None:
        found = found.where(games.c.date >= where.since)
    if where.until is not None:
        found = found.where(games.c.date <= where.until)
    if where.result is not None:
        found = found.where(games.c.result == where.result)
    if where.state is not None:
        found = found.where(games.c.state == where.state)
    if where.within is not None:
        found = found.where(within(where.within))
    return _ordered(found, where, number, cursor).limit(limit)


def cursor_after(row: Row[Any], where: GameFilter) -> str:
    """The cursor of the page that goes on after a row that `query` found."""
    column = _order(where)
    return str(row.number) if column is None else f"{row._mapping[column]}~{row.number}"


_CURSORS = {
    None: re.compile(r"()([0-9]{1,9})", re.ASCII),
    "state": re.compile(r"(live|ended)~([0-9]{1,9})", re.ASCII),
    "date": re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})~([0-9]{1,9})", re.ASCII),
}


def _order(where: GameFilter) -> str | None:
    """The column that a list is ordered by before the numbers."""
    if where == EVERYTHING:
        return "state"
    return "date" if where.since is not None or where.until is not None else None


def _ordered(found: Select[Any], where: GameFilter, number: ColumnElement[int], cursor: str | None) -> Select[Any]:
    column = _order(where)
    if column is None:
        return before(found, number, cursor)
    after = _place(column, cursor)
    if after is not None:
        found = found.where(tuple_(games.c[column], number) < tuple_(after[1], int(after[2])))
    return found.order_by(games.c[column].desc(), number.desc())


def before(found: Select[Any], number: ColumnElement[int], cursor: str | None) -> Select[Any]:
    """A list that is newest first, after the cursor.

    :raises Invalid: the cursor is not from such a list.
    """
    after = _place(None, cursor)
    if after is not None:
        found = found.where(number < int(after[2]))
    return found.order_by(number.desc())


def _place(column: str | None, cursor: str | None) -> re.Match[str] | None:
    after = None if cursor is None else _CURSORS[column].fullmatch(cursor)
    if cursor is not None and after is None:
        raise Invalid(f"cursor is {cursor[:80]!r}: expected the 'next' of a page of the same list")
    return after
