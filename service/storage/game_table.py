"""Games and their events in the database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import sqlalchemy
from sqlalchemy import bindparam, delete, exists, func, insert, literal_column, select, text, update

from service.errors import StorageError

from .chain import GameEvent, canonical_json
from .game_list import GameList
from .ledger_table import LedgerTable
from .rows import GameRow, PlayerKey, SearchKeys
from .search import EVERYTHING, GameFilter, date_of, event_of, player_keys_of, position_key
from .session import Row, Session, Statement
from .tables import FROM_BOARD, NUMBERS, boards, events, games, players, positions

Version = Row  # all of a game's row, then id and version of its open board


class GameTable:
    """Reads and writes within the transaction of `session`."""

    def __init__(self, session: Session, ledger: LedgerTable) -> None:
        self._session = session
        self._ledger = ledger
        self._seen: dict[str, tuple[int, GameRow]] = {}  # numbers and rows as this transaction last knew them

    def get(self, game_id: str, *, lock: bool = False) -> GameRow | None:
        """The game. `lock` keeps other writers away from it until this transaction ends."""
        row = self._session.first(_GAME_LOCKED if lock else _GAME, {"game_id": game_id})
        if row is None:
            return None
        found = _game(row)
        self._seen[game_id] = (row[_NUMBER], found)
        return found

    def version(self, game_id: str) -> Version | None:
        """As `Store.version`."""
        return self._session.first(VERSION, {"game_id": game_id})

    def heads(self, game_ids: Sequence[str]) -> dict[str, int]:
        """The number of the last event of each of these games."""
        return {row.id: row.seq for row in self._session.execute(_HEADS, {"game_ids": game_ids})}

    def page(
        self, limit: int, cursor: str | None = None, where: GameFilter = EVERYTHING
    ) -> tuple[list[GameRow], str | None]:
        """At most `limit` games that fit `where`, ordered as in `game_list`, after `cursor` (the second value of the
        page before); and the cursor of the next page, None when this is the last.

        A page may have fewer games though there is a next one.

        :raises Invalid: the cursor is not from such a list.
        """
        rows, following = self._found(where, limit, cursor)
        return [_game(row) for row in rows], following

    def games_that_reached(
        self, game: str, position: str, limit: int, cursor: str | None = None
    ) -> tuple[list[tuple[GameRow, int]], str | None]:
        """At most `limit` games of the rule set `game` in which the position came up (stores and ply do not count),
        each with the first ply after which it lay there, newest first; and the cursor of the next page.

        :raises Invalid: the cursor is not from such a list.
        """
        rows, following = self._found(GameFilter(game=game, position=position), limit, cursor)
        return [(_game(row), row.reached) for row in rows], following

    def of_match(self, match_id: str) -> list[GameRow]:
        """The games of a match, in the order they were begun."""
        query = select(games).where(games.c.match_id == match_id).order_by(games.c.number)
        return [_game(row) for row in self._session.execute(query)]

    def of_event(self, key: str, limit: int) -> list[GameRow]:
        """At most `limit` games of the event with that key, in the order they were stored."""
        query = select(games).where(games.c.event == key).order_by(games.c.number).limit(limit)
        return [_game(row) for row in self._session.execute(query)]

    def _found(self, where: GameFilter, limit: int, cursor: str | None) -> tuple[list[Any], str | None]:
        games_list, last = GameList(where, cursor), None
        if games_list.is_indexed:
            query = games_list.page(limit + 1)
        else:
            counted = [list(self._session.execute(one).scalars()) for one in games_list.candidates()]
            fewest = min(counted, key=len, default=None)
            if games_list.is_few(fewest):
                query = games_list.few(limit + 1, fewest)
            else:
                last = self._session.execute(games_list.window()).first()
                query = games_list.page(limit + 1, last)
        rows = list(self._session.execute(query))
        if len(rows) > limit:
            return rows[:limit], games_list.cursor_at(rows[limit - 1])
        return rows, None if last is None else games_list.cursor_at(last)

    def add(self, row: GameRow, positions: Sequence[str]) -> None:
        """Store a new game; `positions` are the texts of all that came up, from the start."""
        self.add_all([(row, positions)])

    def add_all(self, new: Sequence[tuple[GameRow, Sequence[str]]]) -> None:
        """Store new games, each as `add` does."""
        if not new:
            return
        rows: list[Row] = []
        names: list[Row] = []
        keys: list[Row] = []
        for number, (row, texts) in zip(self._next(len(new)), new, strict=True):
            self._seen[row.id] = (number, row)
            values = {**_game_values(row), "number": number}
            rows.append(tuple(values[column] for column in _COLUMNS))
            names += ((number, *player) for player in player_keys_of(row))
            keys += _position_rows(number, row.game, texts, 0)
        self._session.run_many(_ADD, rows)
        self._session.run_many(_ADD_PLAYER, names)
        self._session.run_many(_ADD_POSITION, keys)

    def put(self, row: GameRow, positions: Sequence[str] | None = None) -> None:
        """Replace the game's derived columns and what it is found by.

        Without `positions` those before ply ``row.ply`` stay as they are, and ``row.position`` is the one at
        ``row.ply``: right for a turn and for turns taken back from the end. With `positions` (all of them, from the
        start) they are replaced.

        :raises StorageError: there is no such game.
        """
        number, before = self._number(row.id), self._seen[row.id][1]
        moving = {column: getattr(row, column) for column in _MOVING}
        if before._replace(**moving) == row:
            self._session.run(_MOVE, {**moving, "game_id": row.id})
        else:
            self._session.execute(_PUT, {**_game_values(row), "game_id": row.id})
            self._set_players(number, player_keys_of(before), player_keys_of(row))
        if positions is not None:
            self._delete_positions(number, 0)
            self._add_positions(number, row.game, positions, 0)
        elif (before.ply, before.position) != (row.ply, row.position):
            if row.ply <= before.ply:
                self._delete_positions(number, row.ply)
            self._add_positions(number, row.game, [row.position], row.ply)
        self._seen[row.id] = (number, row)

    def search_keys(self, game_id: str) -> SearchKeys:
        """The stored search keys of the game.

        :raises StorageError: there is no such game.
        """
        query = select(games.c.number, games.c.event, games.c.date).where(games.c.id == game_id)
        row = self._session.execute(query).first()
        if row is None:
            raise StorageError(f"there is no game {game_id!r}")
        names = select(*(players.c[column] for column in PlayerKey._fields)).where(players.c.number == row.number)
        reached = select(positions.c.ply, positions.c.key).where(positions.c.number == row.number)
        keys = {row.ply: row.key for row in self._session.execute(reached)}
        return SearchKeys(
            frozenset(PlayerKey._make(player) for player in self._session.execute(names)),
            row.event,
            row.date,
            tuple(keys.get(ply, 0) for ply in range(max(keys, default=-1) + 1)),
        )

    def replace(self, row: GameRow, texts: Sequence[str]) -> None:
        """Store everything about a game but its events, in place of what is stored now."""
        if self.get(row.id) is None:
            self.add(row, texts)
            return
        number, _ = self._seen[row.id]
        self._session.execute(delete(players).where(players.c.number == number))
        self._set_players(number, frozenset(), player_keys_of(row))
        self._session.execute(_PUT, {**_game_values(row), "game_id": row.id})
        self._delete_positions(number, 0)
        self._add_positions(number, row.game, texts, 0)
        self._seen[row.id] = (number, row)

    def ids(self, after: str, limit: int) -> list[str]:
        """At most `limit` ids of games that have a row, in their order, after the id `after`."""
        query = select(games.c.id).where(games.c.id > after).order_by(games.c.id).limit(limit)
        return list(self._session.execute(query).scalars())

    def numbered(self, after: int, limit: int) -> list[tuple[int, str]]:
        """At most `limit` games by number and id, in the order they were stored in, after the number `after`."""
        query = select(games.c.number, games.c.id).where(games.c.number > after).order_by(games.c.number).limit(limit)
        return [(row.number, row.id) for row in self._session.execute(query)]

    def ids_without_row(self) -> list[str]:
        """Games that only have events, which cannot be unless somebody tampered with the database."""
        query = select(events.c.game_id).where(~exists().where(games.c.id == events.c.game_id)).distinct()
        return list(self._session.execute(query.order_by(events.c.game_id)).scalars())

    def count(self) -> int:
        """How many games there are."""
        return int(self._session.execute(select(func.count()).select_from(games)).scalar_one())

    def delete_orphans(self) -> None:
        """Delete players and positions of games that do not exist."""
        for table in (players, positions):
            self._session.execute(delete(table).where(~exists().where(games.c.number == table.c.number)))

    def _next(self, count: int) -> list[int]:
        """The numbers of the next so many games. Where there is no sequence, there is one writer at a time."""
        if self._session.dialect.supports_sequences:
            drawn = select(NUMBERS.next_value()).select_from(func.generate_series(1, count))
            return list(self._session.execute(drawn).scalars())
        last = self._session.execute(select(func.max(games.c.number))).scalar() or 0
        return list(range(last + 1, last + 1 + count))

    def _set_players(self, number: int, before: frozenset[PlayerKey], now: frozenset[PlayerKey]) -> None:
        for player in before - now:
            self._session.execute(delete(players).where(players.c.name == player.name, players.c.number == number))
        self._session.run_many(_ADD_PLAYER, [(number, *player) for player in now - before])

    def _add_positions(self, number: int, game: str, texts: Sequence[str], ply: int) -> None:
        self._session.run_many(_ADD_POSITION, _position_rows(number, game, texts, ply))

    def _delete_positions(self, number: int, ply: int) -> None:
        self._session.execute(delete(positions).where(positions.c.number == number, positions.c.ply >= ply))

    def append(self, event: GameEvent) -> None:
        """Store one event; the numbers of a game's events are unique."""
        self.append_all([event])

    def append_all(self, new: Sequence[GameEvent]) -> None:
        """Store events."""
        rows = [(*event[:_DATA], canonical_json(event.data).decode(), *event[_DATA + 1 :]) for event in new]
        self._session.run_many(_APPEND, rows)
        for event in new:
            self._ledger.note(event.game, self._number(event.game), event.seq, event.hash)

    def _number(self, game_id: str) -> int:
        """The game's number, which says in which order games were stored.

        :raises StorageError: there is no such game.
        """
        if game_id not in self._seen and self.get(game_id) is None:
            raise StorageError(f"there is no game {game_id!r}")
        return self._seen[game_id][0]

    def events(self, game_id: str, after: int = 0, limit: int | None = None) -> list[GameEvent]:
        """The game's events with numbers above `after`, in order."""
        statement = _EVENTS if limit is None else _SOME_EVENTS
        rows = self._session.all(statement, {"game_id": game_id, "after": after, "limit": limit})
        decode = msgspec.json.decode
        return [GameEvent._make((*row[:_DATA], decode(row[_DATA]), *row[_DATA + 1 :])) for row in rows]

    def characters(self, game_id: str) -> int:
        """The length of the data of all events of a game."""
        query = select(func.coalesce(func.sum(func.length(events.c.data)), 0)).where(events.c.game_id == game_id)
        return int(self._session.execute(query).scalar_one())

    def has_event(self, game_id: str, source: str) -> bool:
        """Whether the event of a board with this source is stored."""
        return self._session.first(_HAS, {"game_id": game_id, "source": source}) is not None

    def has_run(self, game_id: str, prefix: str) -> bool:
        """Whether an event of a board whose source begins with this is stored."""
        query = select(events.c.seq).where(
            events.c.game_id == game_id, events.c.source.startswith(prefix, autoescape=True)
        )
        return self._session.execute(query.limit(1)).first() is not None


_COLUMNS = tuple(games.c.keys())
_NUMBER = _COLUMNS.index("number")
_DATA = GameEvent._fields.index("data")  # an event's fields stand in the order of the table's columns

_ONE_GAME = select(games).where(games.c.id == bindparam("game_id"))
_GAME = Statement(_ONE_GAME)
_GAME_LOCKED = Statement(_ONE_GAME.with_for_update())
VERSION = Statement(
    select(games, boards.c.id, boards.c.version)
    .outerjoin_from(games, boards, (boards.c.game_id == games.c.id) & (boards.c.wanted == literal_column("'open'")))
    .where(games.c.id == bindparam("game_id"))
)
_HEADS = select(games.c.id, games.c.seq).where(games.c.id.in_(bindparam("game_ids", expanding=True)))
_ADD = Statement(insert(games))
# A turn changes only these. SQLite writes to an index wherever one of its columns is named.
_MOVING = ("position", "ply", "seq", "hash", "updated")
_MOVE = Statement(
    update(games).where(games.c.id == bindparam("game_id")).values({column: bindparam(column) for column in _MOVING})
)
_PUT = (
    update(games)
    .where(games.c.id == bindparam("game_id"))
    .values({column: bindparam(column) for column in _COLUMNS if column not in ("id", "number")})
)
_ADD_PLAYER = Statement(insert(players))
_ADD_POSITION = Statement(insert(positions))
_APPEND = Statement(insert(events))
_EVENTS_AFTER = (
    select(events)
    .where(events.c.game_id == bindparam("game_id"), events.c.seq > bindparam("after"))
    .order_by(events.c.seq)
)
_EVENTS = Statement(_EVENTS_AFTER)
_SOME_EVENTS = Statement(_EVENTS_AFTER.limit(bindparam("limit", type_=sqlalchemy.Integer)))
# The condition is the index's own; without it the index would not be used.
_HAS = Statement(
    select(events.c.seq).where(
        text(FROM_BOARD), events.c.game_id == bindparam("game_id"), events.c.source == bindparam("source")
    )
)


def _position_rows(number: int, game: str, texts: Sequence[str], first: int) -> list[Row]:
    """The rows of consecutive positions."""
    return [(number, ply, position_key(game, text)) for ply, text in enumerate(texts, first)]


def _game_values(row: GameRow) -> dict[str, Any]:
    values = row._asdict()
    values["score_south"], values["score_north"] = values.pop("score") or (None, None)
    values["options"] = canonical_json(row.options).decode()
    values["tags"] = canonical_json(row.tags).decode()
    values["event"], values["date"] = event_of(row.tags), date_of(row.tags)
    return values


def _game(row: Sequence[Any]) -> GameRow:
    """The game of a row with all columns; others may stand after them."""
    id_, game, options, tags, *plain, south, north, termination, winner, match_id, match_game = row[:_NUMBER]
    score = None if south is None else (south, north)
    decode = msgspec.json.decode
    return GameRow._make(
        (id_, game, decode(options), decode(tags), *plain, score, termination, winner, match_id, match_game)
    )
