"""Games and their events in the database."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, exists, func, insert, literal_column, select, text, update

from service.errors import StorageError

from . import search
from .chain import GameEvent, canonical_json
from .direct import Direct
from .rows import GameRow, SearchKeys
from .search import EVERYTHING, GameFilter, date_of, event_of, players_of, position_key
from .tables import FIRST, FROM_BOARD, NUMBERS, boards, events, games, players, positions

Version = tuple[Any, ...]  # all of a game's row, then id and version of its open board


class GameTable:
    """Reads and writes within the transaction of `connection`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._seen: dict[str, tuple[int, GameRow]] = {}  # numbers and rows as this transaction last knew them

    def get(self, game_id: str, *, lock: bool = False) -> GameRow | None:
        """The game; with `lock` no other writer gets at it before this transaction ends."""
        row = (_GAME_LOCKED if lock else _GAME).first(self._connection, {"game_id": game_id})
        if row is None:
            return None
        found = _game(row)
        self._seen[game_id] = (row[_NUMBER], found)
        return found

    def glance(self, game_id: str) -> Version | None:
        """As `Store.glance`."""
        return GLANCE.first(self._connection, {"game_id": game_id})

    def heads(self, game_ids: Sequence[str]) -> dict[str, int]:
        """The number of the last event of each of these games."""
        return {row.id: row.seq for row in self._connection.execute(_HEADS, {"game_ids": game_ids})}

    def page(
        self, limit: int, cursor: str | None = None, where: GameFilter = EVERYTHING
    ) -> tuple[list[GameRow], str | None]:
        """At most `limit` games that fit `where`, in the order that `search` tells, after `cursor` (the second value of
        the page before); and the cursor of the next page, None when this is the last.

        :raises Invalid: the cursor is none of such a list.
        """
        rows, following = self._found(where, limit, cursor)
        return [_game(row) for row in rows], following

    def games_that_reached(
        self, game: str, position: str, limit: int, cursor: str | None = None
    ) -> tuple[list[tuple[GameRow, int]], str | None]:
        """At most `limit` games of the rule set `game` in which the position came up (stores and ply do not count),
        each with the first ply after which it lay there, newest first; and the cursor of the next page.

        :raises Invalid: the cursor is none of such a list.
        """
        rows, following = self._found(GameFilter(game=game, position=position), limit, cursor)
        return [(_game(row), row.reached) for row in rows], following

    def of_match(self, match_id: str) -> list[GameRow]:
        """The games of a match, in the order they were begun."""
        query = select(games).where(games.c.match_id == match_id).order_by(games.c.number)
        return [_game(row) for row in self._connection.execute(query)]

    def matches(self, limit: int, cursor: str | None) -> tuple[list[GameRow], str | None]:
        """The first games of at most `limit` matches, newest first, after `cursor`; and the cursor of the next page.

        :raises Invalid: the cursor is none of such a list.
        """
        query = search.before(select(games).where(text(FIRST)), games.c.number, cursor).limit(limit + 1)
        rows = self._connection.execute(query).all()
        return [_game(row) for row in rows[:limit]], str(rows[limit - 1].number) if len(rows) > limit else None

    def _found(self, where: GameFilter, limit: int, cursor: str | None) -> tuple[Sequence[Row[Any]], str | None]:
        common = False
        if where.position is not None and where.event is not None:
            common = self._connection.execute(search.positions_counted(where)).scalar_one() >= search.COMMON
        rows = self._connection.execute(search.query(where, limit + 1, cursor, common=common)).all()
        return rows[:limit], search.cursor_after(rows[limit - 1], where) if len(rows) > limit else None

    def add(self, row: GameRow, positions: Sequence[str]) -> None:
        """Store a new game; `positions` are the texts of all that came up, from the start."""
        self.add_all([(row, positions)])

    def add_all(self, new: Sequence[tuple[GameRow, Sequence[str]]]) -> None:
        """Store new games, each as `add` does."""
        if not new:
            return
        numbers = self._next(len(new))
        values = [{**_game_values(row), "number": number} for number, (row, _) in zip(numbers, new, strict=True)]
        self._connection.execute(insert(games), values)
        names: list[dict[str, object]] = []
        placed: list[dict[str, object]] = []
        for number, (row, texts) in zip(numbers, new, strict=True):
            self._seen[row.id] = (number, row)
            names += ({"number": number, "name": name} for name in players_of(row.tags))
            placed += _placed(number, row.game, texts, 0)
        if names:
            self._connection.execute(_NAME, names)
        self._connection.execute(insert(positions), placed)

    def put(self, row: GameRow, positions: Sequence[str] | None = None) -> None:
        """Replace the game's derived columns and what it is found by.

        Without `positions` those before ply ``row.ply`` stay as they are, and ``row.position`` is the one at
        ``row.ply``: right for a turn and for turns taken back from the end. With `positions` (all of them, from the
        start) they are replaced.

        :raises StorageError: there is no such game.
        """
        if row.id not in self._seen and self.get(row.id) is None:
            raise StorageError(f"there is no game {row.id!r} to be changed")
        number, before = self._seen[row.id]
        if replace(before, **{column: getattr(row, column) for column in _MOVING}) == row:
            _MOVE.run(self._connection, {**{column: getattr(row, column) for column in _MOVING}, "game_id": row.id})
        else:
            self._connection.execute(_PUT, {**_game_values(row), "game_id": row.id})
            self._name(number, players_of(before.tags), players_of(row.tags))
        if positions is not None:
            self._unplace(number, 0)
            self._place(number, row.game, positions, 0)
        elif (before.ply, before.position) != (row.ply, row.position):
            if row.ply <= before.ply:
                self._unplace(number, row.ply)
            self._place(number, row.game, [row.position], row.ply)
        self._seen[row.id] = (number, row)

    def found_by(self, game_id: str) -> SearchKeys:
        """What the game is found by, as it is stored.

        :raises StorageError: there is no such game.
        """
        asked = select(games.c.number, games.c.event, games.c.date).where(games.c.id == game_id)
        row = self._connection.execute(asked).first()
        if row is None:
            raise StorageError(f"there is no game {game_id!r}")
        names = self._connection.execute(select(players.c.name).where(players.c.number == row.number))
        placed = select(positions.c.ply, positions.c.key).where(positions.c.number == row.number)
        keys = {row.ply: row.key for row in self._connection.execute(placed)}
        return SearchKeys(
            frozenset(names.scalars()),
            row.event,
            row.date,
            tuple(keys.get(ply, 0) for ply in range(max(keys, default=-1) + 1)),
        )

    def replace(self, row: GameRow, texts: Sequence[str]) -> None:
        """Store everything about a game but its events anew, whatever stands there now."""
        if self.get(row.id) is None:
            self.add(row, texts)
            return
        number, _ = self._seen[row.id]
        self._connection.execute(delete(players).where(players.c.number == number))
        self._name(number, set(), players_of(row.tags))
        self._connection.execute(_PUT, {**_game_values(row), "game_id": row.id})
        self._unplace(number, 0)
        self._place(number, row.game, texts, 0)
        self._seen[row.id] = (number, row)

    def ids(self, after: str, limit: int) -> list[str]:
        """At most `limit` ids of games that have a row, in their order, after the id `after`."""
        query = select(games.c.id).where(games.c.id > after).order_by(games.c.id).limit(limit)
        return list(self._connection.execute(query).scalars())

    def numbered(self, after: int, limit: int) -> list[tuple[int, str]]:
        """At most `limit` games by number and id, in the order they were stored in, after the number `after`."""
        query = select(games.c.number, games.c.id).where(games.c.number > after).order_by(games.c.number).limit(limit)
        return [(row.number, row.id) for row in self._connection.execute(query)]

    def ids_without_row(self) -> list[str]:
        """Games that only have events, which cannot be unless somebody tampered with the database."""
        query = select(events.c.game_id).where(~exists().where(games.c.id == events.c.game_id)).distinct()
        return list(self._connection.execute(query.order_by(events.c.game_id)).scalars())

    def count(self) -> int:
        """How many games there are."""
        return self._connection.execute(select(func.count()).select_from(games)).scalar_one()

    def sweep(self) -> int:
        """Drop players and positions of games that are not there; how many rows that were."""
        swept = 0
        for table in (players, positions):
            nobody = ~exists().where(games.c.number == table.c.number)
            swept += self._connection.execute(delete(table).where(nobody)).rowcount
        return swept

    def _next(self, count: int) -> list[int]:
        """The numbers of the next so many games. Where there is no sequence, there is one writer at a time."""
        if self._connection.dialect.supports_sequences:
            drawn = select(NUMBERS.next_value()).select_from(func.generate_series(1, count))
            return list(self._connection.execute(drawn).scalars())
        last = self._connection.execute(select(func.max(games.c.number))).scalar() or 0
        return list(range(last + 1, last + 1 + count))

    def _name(self, number: int, before: set[str], now: set[str]) -> None:
        for name in before - now:
            self._connection.execute(delete(players).where(players.c.name == name, players.c.number == number))
        for name in now - before:
            self._connection.execute(_NAME, {"name": name, "number": number})

    def _place(self, number: int, game: str, texts: Sequence[str], ply: int) -> None:
        _PLACE.run(self._connection, *_placed(number, game, texts, ply))

    def _unplace(self, number: int, ply: int) -> None:
        self._connection.execute(delete(positions).where(positions.c.number == number, positions.c.ply >= ply))

    def append(self, event: GameEvent) -> None:
        """Store one event; the numbers of a game's events are unique."""
        _APPEND.run(self._connection, _event_values(event))

    def append_all(self, new: list[GameEvent]) -> None:
        if new:
            self._connection.execute(insert(events), [_event_values(event) for event in new])

    def events(self, game_id: str, after: int = 0, limit: int | None = None) -> list[GameEvent]:
        """The game's events with numbers above `after`, in order."""
        query = _EVENTS if limit is None else _EVENTS.limit(limit)
        return [_event(row) for row in self._connection.execute(query, {"game_id": game_id, "after": after})]

    def has(self, game_id: str, source: str) -> bool:
        """Whether an event of a board is stored."""
        return self._connection.execute(_HAS, {"game_id": game_id, "source": source}).first() is not None


# `dataclasses.asdict` would copy all that is in the values, which takes longer than to store them.
_EVENT_FIELDS = tuple(("game_id" if field.name == "game" else field.name, field.name) for field in fields(GameEvent))
_GAME_FIELDS = tuple(field.name for field in fields(GameRow) if field.name != "score")
_COLUMNS = tuple(games.c.keys())
_NUMBER = _COLUMNS.index("number")
_STORED = tuple(column for column in _COLUMNS if column not in ("number", "event", "date"))

# Statements are made once: making one takes longer than what most of them do.
_ONE_GAME = select(games).where(games.c.id == bindparam("game_id"))
_GAME = Direct(_ONE_GAME)
GLANCE = Direct(
    select(games, boards.c.id, boards.c.version)
    .outerjoin_from(games, boards, (boards.c.game_id == games.c.id) & (boards.c.wanted == literal_column("'open'")))
    .where(games.c.id == bindparam("game_id"))
)
_HEADS = select(games.c.id, games.c.seq).where(games.c.id.in_(bindparam("game_ids", expanding=True)))
_GAME_LOCKED = Direct(_ONE_GAME.with_for_update())
# A turn changes these alone. SQLite writes the entry in an index anew wherever its column is named.
_MOVING = ("position", "ply", "seq", "hash", "updated")
_MOVE = Direct(
    update(games).where(games.c.id == bindparam("game_id")).values({column: bindparam(column) for column in _MOVING})
)
_PUT = (
    update(games)
    .where(games.c.id == bindparam("game_id"))
    .values({column: bindparam(column) for column in (*_STORED, "event", "date") if column != "id"})
)
_NAME = insert(players)
_PLACE = Direct(insert(positions))
_APPEND = Direct(insert(events))
_EVENTS = (
    select(events)
    .where(events.c.game_id == bindparam("game_id"), events.c.seq > bindparam("after"))
    .order_by(events.c.seq)
)
# The condition is the index's own, else it would not be used.
_HAS = select(events.c.seq).where(
    text(FROM_BOARD), events.c.game_id == bindparam("game_id"), events.c.source == bindparam("source")
)


def _placed(number: int, game: str, texts: Sequence[str], first: int) -> list[dict[str, object]]:
    """The rows of positions that came up one after the other."""
    return [{"number": number, "ply": ply, "key": position_key(game, text)} for ply, text in enumerate(texts, first)]


def _event_values(event: GameEvent) -> dict[str, Any]:
    values = {column: getattr(event, field) for column, field in _EVENT_FIELDS}
    values["data"] = canonical_json(event.data)
    return values


def _event(row: Row[Any]) -> GameEvent:
    values = dict(row._mapping)
    values["game"] = values.pop("game_id")
    values["data"] = json.loads(row.data)
    return GameEvent(**values)


def _game_values(row: GameRow) -> dict[str, Any]:
    values = {column: getattr(row, column) for column in _GAME_FIELDS}
    values["score_south"], values["score_north"] = row.score or (None, None)
    values["options"] = json.dumps(row.options, ensure_ascii=False)
    values["tags"] = json.dumps(row.tags, ensure_ascii=False)
    values["event"], values["date"] = event_of(row.tags), date_of(row.tags)
    return values


def _game(row: Row[Any] | tuple[Any, ...]) -> GameRow:
    """The game that a row of all columns is; others may stand after them."""
    values = dict(zip(_COLUMNS, row, strict=False))
    south, north = values.pop("score_south"), values.pop("score_north")
    for column in ("number", "event", "date"):
        del values[column]
    values["score"] = None if south is None else (south, north)
    values["options"], values["tags"] = json.loads(values["options"]), json.loads(values["tags"])
    return GameRow(**values)
