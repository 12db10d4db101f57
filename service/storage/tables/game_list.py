"""Pages of games: their order, their cursors, and the index that a page is read from.

A list between days has the latest first day first; one between times of creation, or with `sort`, goes by these times;
every other list is newest first. *Newest* is by the number that a game got when it was stored. Of these keys only the
date can change while somebody reads page after page, by a change of the tag.

No page reads more than `WINDOW` games. If one index has all that is asked for, in the order of the list, the page is
read from there. Else a filter that matches few games decides: these are sorted. If none does, the page looks at the
next `WINDOW` games in the order of the list, and may have fewer games than asked for, or none, with more on the next.

Games by their last change (`GameFilter.updated_since`), the oldest change first, come in the order of the ledger, so
that no game is missed whose change was stored while the list was read: a game that changes moves to the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeGuard

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, exists, false, literal, select, text, tuple_
from sqlalchemy.sql.expression import FromClause

from inkeek.service.errors import Ahead, Invalid
from inkeek.service.storage.rows import Limit
from inkeek.service.storage.search import (
    ANY_OF,
    GameFilter,
    first_moment,
    last_moment,
    name_key,
    position_key,
    reading,
)

from .ledger import ledger
from .schema import FIRST, OPENS_MATCH, games, players, positions

MAX_SORTED = 1000  # games that are sorted
WINDOW = 10_000  # games that a page looks at
SELECTIVE = ("within", "player", "position", "event")  # filters that may match few games
BY_NUMBER = ("player", "position", "event", "first_of_match", "state", "game", "result")  # the first one given leads

NOTHING = Limit("game", "")  # covers no game

_NUMBER = r"([0-9]{1,9})"
_CURSORS = {
    "number": re.compile(f"(){_NUMBER}", re.ASCII),
    "date": re.compile(f"([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})~{_NUMBER}", re.ASCII),
    "created": re.compile(f"([0-9TZ:.-]{{1,32}})~{_NUMBER}", re.ASCII),
}
CURSOR = "|".join(cursor.pattern for cursor in _CURSORS.values())  # of any such list
_GIVEN = {  # the filter that each field belongs to
    "game": "game",
    "player": "player",
    "event": "event",
    "since": "date",
    "until": "date",
    "result": "result",
    "state": "state",
    "position": "position",
    "created_since": "created",
    "created_until": "created",
    "first_of_match": "first_of_match",
    "within": "within",
}


def _has(number: ColumnElement[int], condition: ColumnElement[bool]) -> ColumnElement[bool]:
    """Whether a game has such a row. PostgreSQL would make a join of EXISTS, and read all rows for that."""
    found = select(number).where(number == games.c.number, condition).correlate(games).limit(1)
    return found.scalar_subquery().is_not(None)


def _is_any(column: ColumnElement[Any], values: Iterable[Any]) -> ColumnElement[bool]:
    first, *others = values
    return column.in_([first, *others]) if others else column == first


def within_limit(limit: Limit) -> ColumnElement[bool]:
    """Whether a limit lets a game be read, by the columns of `games`."""
    limit = reading(limit)
    if limit.kind == "event":
        return games.c.event == name_key(limit.value)
    return (games.c.id if limit.kind == "game" else games.c.match_id) == limit.value


class GameList:
    """The games that match `where`, after `cursor`.

    :raises Invalid: the cursor is not from such a list.
    """

    def __init__(self, where: GameFilter, cursor: str | None) -> None:
        self._where = where = _limit_to_event(where)
        given = {name for field, name in _GIVEN.items() if getattr(where, field)}
        several = {name for name in ANY_OF if len(where.values(name)) > 1}
        if {"position", "game"} <= given and "game" in several:
            several.add("position")  # a key for each rule set
        self._order = _order(where)
        self._descending = where.sort != "created"
        if self._order == "number":
            leading = next((name for name in BY_NUMBER if name in given - several), "number")
            leads = {leading, "first_of_match"} & given if leading in ("player", "event") else {leading}
        else:
            leading, leads = self._order, {self._order}
        if "position" in given:  # its key holds the rule set
            given.discard("game")
        self._leading = leading
        self._leads = leads & given
        self._others = given - leads
        self._given = given
        self._after = _read_cursor(self._order, cursor)

    @property
    def is_indexed(self) -> bool:
        """Whether one index has all that is asked for."""
        return not self._others

    def candidates(self) -> list[Select[Any]]:
        """Queries for the numbers of the games that match one filter, at most one more than `MAX_SORTED`."""
        return [
            select(number).where(condition).distinct().limit(MAX_SORTED + 1)
            for name in SELECTIVE
            if name in self._given
            for number, condition in [self._source(name)]
        ]

    def window(self) -> Select[Any]:
        """The query for the place of the last game to look at; it has no row if fewer are left."""
        number = self._number()
        query = select(*([number] if self._order == "number" else [games.c[self._order], number]))
        return self._sort(self._filter_by_index(query, number), number).offset(WINDOW - 1).limit(1)

    def page(self, limit: int, last: Row[Any] | None = None) -> Select[Any]:
        """The query for at most `limit` games up to the place `last`: the columns of `games`."""
        number = self._number()
        query = self._filter_by_index(select(games), number)
        for name in sorted(self._others):
            query = query.where(self._check(name))
        if last is not None:
            place, key = self._place(number), tuple_(*map(literal, last))
            query = query.where(place >= key if self._descending else place <= key)
        return self._sort(query, number).limit(limit)

    @staticmethod
    def is_few(numbers: Sequence[int] | None) -> TypeGuard[Sequence[int]]:
        """Whether these games are few enough to be sorted."""
        return numbers is not None and len(numbers) <= MAX_SORTED

    def few(self, limit: int, numbers: Sequence[int]) -> Select[Any]:
        """The query for at most `limit` of the games with these numbers; columns as in `page`."""
        query = select(games).where(games.c.number.in_(numbers))
        query = query.where(*self.checks())
        return self._sort(query, games.c.number, indexed=False).limit(limit)

    def checks(self) -> list[ColumnElement[bool]]:
        """All filters, checked game by game."""
        return [self._check(name) for name in sorted(self._given)]

    def cursor_at(self, row: Row[Any]) -> str:
        """The cursor of the page that goes on after a row of `page`, `few` or `window`."""
        return str(row.number) if self._order == "number" else f"{row._mapping[self._order]}~{row.number}"

    def _source(self, name: str) -> tuple[ColumnElement[int], ColumnElement[bool]]:
        """The column of numbers, and the condition, in the index that has the filter `name` itself."""
        if name == "player":
            return players.c.number, _is_any(players.c.name, map(name_key, self._where.values("player")))
        if name == "position":
            keys = [position_key(game, self._where.position or "") for game in self._where.values("game")]
            return positions.c.number, _is_any(positions.c.key, keys)
        return games.c.number, self._within() if name == "within" else self._conditions(name, games.c.event)[0]

    def _within(self) -> ColumnElement[bool]:
        return false() if self._where.within is None else within_limit(self._where.within)

    def _number(self) -> ColumnElement[int]:
        """The number in the table that is read first, or its index would not be used for the order."""
        tables = {"player": players, "position": positions}
        number: ColumnElement[int] = tables.get(self._leading, games).c.number
        return number

    def _filter_by_index(self, query: Select[Any], number: ColumnElement[int]) -> Select[Any]:
        """The query with the filters that the leading index has."""
        if number.table is not games:
            table: FromClause = number.table
            query = query.join_from(table, games, table.c.number == games.c.number)
            query = query.where(self._source(self._leading)[1])
        if self._leading == "position":
            earlier = positions.alias("earlier")
            query = query.where(
                ~exists().where(
                    earlier.c.key == positions.c.key,
                    earlier.c.number == positions.c.number,
                    earlier.c.ply < positions.c.ply,
                )
            )
        for name in sorted(self._leads - {"player", "position"}):
            if name == "first_of_match":
                query = query.where(text(OPENS_MATCH if self._leading == "player" else FIRST))
            else:
                query = query.where(*self._conditions(name, games.c[name]))
        return query

    def _check(self, name: str) -> ColumnElement[bool]:
        """A filter that is checked game by game, in no index but that of a game's number."""
        if name == "player":
            return _has(players.c.number, self._source(name)[1])
        if name == "position":
            return _has(positions.c.number, self._source(name)[1])
        if name == "within":
            return self._within()
        if name == "first_of_match":
            return games.c.match_id.concat("") == games.c.id
        return and_(*self._conditions(name, games.c[name].concat("")))

    def _conditions(self, name: str, column: ColumnElement[str]) -> list[ColumnElement[bool]]:
        where = self._where
        if name == "date" and (asked := where.days):  # `Days.meets`
            return [literal(asked.first) <= asked.last, column <= asked.last, games.c.last_date >= asked.first]
        if name == "created":
            low, high = first_moment("", where.created_since), last_moment("", where.created_until)
        else:
            values = where.values(name)
            return [_is_any(column, map(name_key, values) if name == "event" else values)]
        bounds = [column >= low] if low else []
        return [*bounds, column <= high] if high else bounds

    def _place(self, number: ColumnElement[int], *, indexed: bool = True) -> Any:
        if self._order == "number":
            return tuple_(number)
        column = games.c[self._order]
        return tuple_(column if indexed else column.concat(""), number)

    def _sort(self, query: Select[Any], number: ColumnElement[int], *, indexed: bool = True) -> Select[Any]:
        place = self._place(number, indexed=indexed)
        if self._after is not None:
            after = tuple_(*map(literal, self._after))
            query = query.where(place < after if self._descending else place > after)
        return query.order_by(*(part.desc() if self._descending else part.asc() for part in place.clauses))


def _limit_to_event(where: GameFilter) -> GameFilter:
    """The same filter; a limit to an event is one by the event, which has indexes."""
    limit = where.within
    if limit is None:
        return where
    limit = reading(limit)
    if limit.kind == "event" and (where.event is None or name_key(limit.value) in map(name_key, where.values("event"))):
        return replace(where, event=limit.value, within=None)
    if limit.kind == "event" or (limit.kind == "game" and where.first_of_match):
        return replace(where, within=NOTHING)  # of another event; a match is more than its first game
    return where


def _order(where: GameFilter) -> str:
    """The column that a list is ordered by before the numbers, or ``number``."""
    if where.sort is None and (where.since or where.until):
        return "date"
    return "created" if where.sort or where.created_since or where.created_until else "number"


def _read_cursor(order: str, cursor: str | None) -> tuple[str | int, ...] | None:
    if cursor is None:
        return None
    match = _CURSORS[order].fullmatch(cursor)
    if match is None:
        raise Invalid(
            f"cursor is {cursor[:80]!r}: expected the 'next' of a page of the same list. One of an earlier version: "
            "list again without it",
            field="cursor",
        )
    return (int(match[2]),) if order == "number" else (match[1], int(match[2]))


CHANGE_CURSOR = "[0-9]{1,18}"  # of the games by their last change


def changed_games(
    session: Connection, where: GameFilter, limit: int, cursor: str | None
) -> tuple[list[Any], str | None]:
    """At most `limit` rows of games that match and changed since then, and the cursor of the next page.

    :raises Invalid: the cursor is not from such a list. :raises Ahead: it is beyond the end of the ledger.
    """
    since = first_moment("updated_since", where.updated_since) or ""
    last = session.execute(select(ledger.c.position).order_by(ledger.c.position.desc()).limit(1)).scalar() or 0
    after = _first_since(session, since, last) - 1 if cursor is None else _read_place(cursor, last)
    top = min(last, after + WINDOW)
    rows = list(session.execute(_changes(where, since, after, top).limit(limit + 1)))
    if len(rows) > limit:
        return rows[:limit], place_of(rows[limit - 1])
    return rows, None if top == last else str(top)


def place_of(row: Row[Any]) -> str:
    """The cursor of the page that goes on after a row of `changed_games`."""
    return str(row.place)


def _changes(where: GameFilter, since: str, after: int, top: int) -> Select[Any]:
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


def _read_place(cursor: str, last: int) -> int:
    if not re.fullmatch(CHANGE_CURSOR, cursor, re.ASCII):
        raise Invalid(f"cursor is {cursor[:80]!r}: expected the 'next' of a page of the same list", field="cursor")
    if int(cursor) > last:
        raise Ahead(f"The cursor {cursor} does not exist; the last one is {last}. List again without it.", last=last)
    return int(cursor)
