"""Games and their events in the database."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from sqlalchemy import (
    Connection,
    Select,
    bindparam,
    delete,
    func,
    literal_column,
    null,
    or_,
    select,
    text,
    update,
)

from inkeek.service.errors import Invalid, StorageError
from inkeek.service.storage.database.session_reader import Row, SessionReader
from inkeek.service.storage.game_rows import (
    COLUMNS,
    NewRows,
    event_row,
    game_values,
    new_rows,
    read_events,
    read_game,
)
from inkeek.service.storage.integrity.chain import GameEvent
from inkeek.service.storage.redaction import with_names
from inkeek.service.storage.rows import Days, GamePlace, GameRow, PlayerKey, SearchKeys
from inkeek.service.storage.search import EVERYTHING, GameFilter, joined_keys, player_keys_of, table_of
from inkeek.service.storage.text_json import load_stored

from .game_list import GameList, changed_games, place_of
from .ledger import LedgerTable
from .persons import PersonTable
from .positions import PositionTable
from .schema import (
    CHANGED,
    FROM_BOARD,
    IMPORTED,
    NUMBERS,
    UNCHANGED,
    boards,
    events,
    games,
    players,
    positions,
)

PG_IMPORTS = 0x494E4B47  # PostgreSQL's advisory lock of those who import: any number of our own
Version = Row  # all of a game's row, then id and version of its open board


class GameTable(SessionReader):
    def __init__(
        self, session: Connection, ledger: LedgerTable, persons: PersonTable, positions: PositionTable
    ) -> None:
        super().__init__(session)
        self._ledger = ledger
        self._persons = persons
        self._positions = positions
        self._seen: dict[str, tuple[int, GameRow]] = {}  # numbers and rows as this transaction last knew them
        self._identified: set[str] = set()  # those of them whose content has a key

    def get(self, game_id: str, *, lock: bool = False) -> GameRow | None:
        """The game. `lock` keeps other writers away from it until this transaction ends."""
        row = self._session.execute(_GAME_LOCKED if lock else _GAME, {"game_id": game_id}).first()
        if row is None:
            return None
        found = read_game(row)
        self._seen[game_id] = (row[_NUMBER], found)
        if row[_CONTENT] is not None:
            self._identified.add(game_id)
        return found

    def version(self, game_id: str) -> Version | None:
        """As `Store.version`."""
        return self._session.execute(VERSION, {"game_id": game_id}).first()

    def heads(self, game_ids: Sequence[str]) -> dict[str, int]:
        """The number of the last event of each of these games."""
        return {row.id: row.seq for row in self._session.execute(_HEADS, {"game_ids": game_ids})}

    def rows(self, game_ids: Sequence[str]) -> dict[str, GameRow]:
        """These games, by their ids."""
        return {row.id: read_game(row) for row in self._session.execute(_ROWS, {"game_ids": game_ids})}

    def places(self, game_ids: Collection[str]) -> dict[str, GamePlace]:
        """Where each of these games counts, as far as they are there."""
        if not game_ids:
            return {}
        query = select(games.c.id, games.c.match_id, games.c.event, games.c.tags).where(games.c.id.in_(game_ids))
        return {
            row.id: GamePlace(row.id, row.match_id, row.event, table_of(row.tags))
            for row in self._session.execute(query)
        }

    def page(
        self, limit: int, cursor: str | None = None, where: GameFilter = EVERYTHING
    ) -> tuple[list[GameRow], str | None]:
        """At most `limit` games that fit `where`, ordered as in `game_list`, after `cursor` (the second value of the
        page before); and the cursor of the next page, None when this is the last.

        A page may have fewer games though there is a next one.

        :raises Invalid: the cursor is not from such a list.
        """
        rows, following = self._find_page(where, limit, cursor)
        return [read_game(row) for row in rows], following

    def of_match(self, match_id: str) -> list[GameRow]:
        """The games of a match, in the order they were begun."""
        query = select(games).where(games.c.match_id == match_id).order_by(games.c.number)
        return [read_game(row) for row in self._session.execute(query)]

    def of_event(self, key: str, limit: int) -> list[GameRow]:
        """At most `limit` games of the event with that key, in the order they were stored."""
        query = select(games).where(games.c.event == key).order_by(games.c.number).limit(limit)
        return [read_game(row) for row in self._session.execute(query)]

    def event_exceeds(self, key: str, most: int) -> bool:
        """Whether more than `most` games have the event with that key, without reading them."""
        query = select(games.c.number).where(games.c.event == key).order_by(games.c.number).offset(most).limit(1)
        return self._session.execute(query).first() is not None

    def _find_page(self, where: GameFilter, limit: int, cursor: str | None) -> tuple[list[Any], str | None]:
        where = self._persons.resolve(where)
        if where.updated_since is not None:
            return changed_games(self._session, where, limit, cursor)
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

    def add_all(self, new: Sequence[NewRows], numbers: Sequence[int] | None = None) -> None:
        """Store new games and their events, under the next numbers, unless it is known which they had."""
        if not new:
            return
        numbered = list(zip(numbers or self._next(len(new)), new, strict=True))
        rows = [(*game.game[:_NUMBER], number, *game.game[_NUMBER + 1 :]) for number, game in numbered]
        self._insert(games, rows)
        self._add_players([(number, game.players) for number, game in numbered])
        self._positions.add_keys((number, game.positions) for number, game in numbered)
        self._insert(events, [(number, *event) for number, game in numbered for event in game.events])
        for number, game in numbered:
            for seq, time, *_ in game.events[:1] + game.events[-1:]:
                self._ledger.note(game.game[0], number, seq, time, game.events[-1][-1])

    def put(self, row: GameRow, line: Sequence[str] | None = None) -> None:
        """Replace the game's derived columns and what it is found by. A turn may have been played, or some taken back
        from the end; if several turns differ, `line` are the texts of all its positions, from the start.

        :raises StorageError: there is no such game.
        """
        number, before = self._number(row.id), self._seen[row.id][1]
        moving = {column: getattr(row, column) for column in _MOVING}
        if before._replace(**moving) == row:
            self._session.execute(_MOVE, {**moving, "game_id": row.id})
        else:
            self._session.execute(_PUT, {**game_values(row), "game_id": row.id})
            if player_keys_of(before) != player_keys_of(row):
                self.replace_players([(number, player_keys_of(row))])
        self._forget_content(row.id)
        if line is not None:
            self._positions.replace(number, row.game, line)
        elif row.ply > before.ply:
            self._positions.add(row.game, [(number, row.ply, row.position)])
        elif row.ply < before.ply:
            self._positions.remove(number, above=row.ply)
        self._seen[row.id] = (number, row)

    def search_keys(self, game_id: str) -> SearchKeys:
        """The stored search keys of the game.

        :raises StorageError: there is no such game.
        """
        columns = games.c["number", "event", "date", "last_date", "rules"]
        query = select(*columns).where(games.c.id == game_id)
        row = self._session.execute(query).first()
        if row is None:
            raise StorageError(f"there is no game {game_id!r}")
        names = select(*(players.c[column] for column in PlayerKey._fields)).where(players.c.number == row.number)
        reached = select(positions.c.ply, positions.c.key).where(positions.c.number == row.number)
        keys = {row.ply: row.key for row in self._session.execute(reached)}
        return SearchKeys(
            frozenset(PlayerKey._make(player) for player in self._session.execute(names)),
            row.event,
            Days(row.date, row.last_date),
            tuple(keys.get(ply, 0) for ply in range(max(keys, default=-1) + 1)),
            row.rules,
        )

    def replace(self, row: GameRow, texts: Sequence[str]) -> None:
        """Store everything about a game but its events, in place of what is stored now."""
        if self.get(row.id) is None:
            entries, _ = self._ledger.of_game(row.id)
            self.add_all([new_rows(row, texts, [])], [entry.number for entry in entries[:1]])
            return
        number, _ = self._seen[row.id]
        self.replace_players([(number, player_keys_of(row))])
        self._session.execute(_PUT, {**game_values(row), "game_id": row.id})
        self._positions.replace(number, row.game, texts)
        self._forget_content(row.id)
        self._seen[row.id] = (number, row)

    def _forget_content(self, game_id: str) -> None:
        """The game has changed: if an import asks for its content, it is to be computed again."""
        if game_id in self._identified:
            self._session.execute(_FORGET_CONTENT, {"game_id": game_id})
            self._identified.remove(game_id)

    def lock_contents(self) -> None:
        """Let no other import look for games and store them before this transaction ends."""
        self._lock(PG_IMPORTS)

    def with_contents(self, keys: Sequence[str]) -> dict[str, str]:
        """The ids of the games that have contents with these keys, or were imported with them."""
        return {row[0]: row[1] for query in _IDS_BY_CONTENT for row in self._session.execute(query, {"keys": keys})}

    def without_content(self, after: int, limit: int) -> list[tuple[int, str]]:
        """As `numbered`, for games that have changed since the key of their content was computed."""
        query = select(games.c.number, games.c.id).where(text(CHANGED), games.c.number > after)
        return [(row.number, row.id) for row in self._session.execute(query.order_by(games.c.number).limit(limit))]

    def set_contents(self, keys: Sequence[tuple[str, str, str]]) -> None:
        """Store keys of contents: each with the id of the game and the hash of its last event when it was computed."""
        values = [{"game_id": game_id, "last": last, "key": key} for game_id, last, key in keys]
        if values:
            self._session.execute(_SET_CONTENT, values)

    def ids(self, after: str, limit: int) -> list[str]:
        """At most `limit` ids of games that have a row, in their order, after the id `after`."""
        query = select(games.c.id).where(games.c.id > after).order_by(games.c.id).limit(limit)
        return list(self._session.execute(query).scalars())

    def numbered(self, after: int, limit: int) -> list[tuple[int, str]]:
        """At most `limit` games by number and id, in the order they were stored in, after the number `after`."""
        query = select(games.c.number, games.c.id).where(games.c.number > after).order_by(games.c.number).limit(limit)
        return [(row.number, row.id) for row in self._session.execute(query)]

    def listed(
        self, where: GameFilter, limit: int, cursor: str | None = None
    ) -> tuple[list[tuple[str, str, int]], str | None]:
        """At most `limit` games that match, after `cursor`: the cursor of each, its id, and its number of events; and
        the cursor of the next page, None when this is the last.

        They come in the order of `page`, but all games in the order they were stored in.

        :raises Invalid: the cursor is not from such a list.
        """
        if where != EVERYTHING:
            rows, following = self._find_page(where, limit, cursor)
            at = GameList(where, cursor).cursor_at if where.updated_since is None else place_of
            return [(at(row), row.id, row.seq) for row in rows], following
        if cursor is not None and not _NUMBERED.fullmatch(cursor):
            raise Invalid(f"cursor is {cursor[:80]!r}: expected that of a line of the same export", field="cursor")
        query = select(games.c.number, games.c.id, games.c.seq).where(games.c.number > int(cursor or 0))
        found = self._session.execute(query.order_by(games.c.number).limit(limit)).all()
        numbered = [(str(row.number), row.id, row.seq) for row in found]
        return numbered, numbered[-1][0] if len(numbered) == limit else None

    def count(self) -> int:
        """How many games there are."""
        return self._count(games)

    def _next(self, count: int) -> list[int]:
        """The numbers of the next `count` games. A database without sequences has one writer at a time."""
        if self._session.dialect.supports_sequences:
            drawn = select(NUMBERS.next_value()).select_from(func.generate_series(1, count))
            return list(self._session.execute(drawn).scalars())
        row = self._session.execute(_LAST).first()
        last = row[0] or 0 if row else 0
        return list(range(last + 1, last + 1 + count))

    def player_exceeds(self, key: str, most: int) -> bool:
        """Whether the person with that key has more than `most` games."""
        query = select(players.c.number).where(players.c.name == key).offset(most).limit(1)
        return self._session.execute(query).first() is not None

    def derive_players(self, key: str) -> None:
        """Store again who plays in the games of the person with that key."""
        of_person = select(players.c.number).where(players.c.name == key)
        rows = self._session.execute(select(games).where(games.c.number.in_(of_person))).all()
        self.replace_players([(row.number, player_keys_of(read_game(row))) for row in rows])

    def replace_players(self, numbered: Sequence[tuple[int, Iterable[PlayerKey]]]) -> None:
        """Set who plays in games."""
        of_games = players.c.number.in_([number for number, _ in numbered])
        self._session.execute(delete(players).where(of_games))
        self._add_players(numbered)

    def _add_players(self, numbered: Sequence[tuple[int, Iterable[PlayerKey]]]) -> None:
        self._persons.lock_joins(alone=False)
        owners = self._persons.owners({player.name for _, keys in numbered for player in keys})
        rows = [(number, *player) for number, keys in numbered for player in joined_keys(keys, owners)]
        self._insert(players, rows)

    def append(self, event: GameEvent, text: bytes | None = None) -> None:
        """Store one event; the numbers of a game's events are unique. `text` is as in `event_row`."""
        number = self._number(event.game)
        self._insert(events, [(number, *event_row(event, text))])
        self._ledger.note(event.game, number, event.seq, event.time, event.hash)

    def number(self, game_id: str) -> int | None:
        """The game's number, which says in which order games were stored; None if there is no such game."""
        if game_id not in self._seen and self.get(game_id) is None:
            return None
        return self._seen[game_id][0]

    def _number(self, game_id: str) -> int:
        """:raises StorageError: there is no such game."""
        number = self.number(game_id)
        if number is None:
            raise StorageError(f"there is no game {game_id!r}")
        return number

    def events(self, game_id: str, after: int = 0, limit: int | None = None) -> list[GameEvent]:
        """The game's events with numbers above `after`, in order. Those of a game without a row are in the ledger."""
        values = {"game_id": game_id, "after": after, "last": _MOST if limit is None else after + limit}
        rows = self._session.execute(_EVENTS, values).all()
        if not rows and self.number(game_id) is None:
            entries, _ = self._ledger.of_game(game_id)
            rows = self._session.execute(_LOST_EVENTS, {**values, "number": entries[0].number}).all() if entries else []
        return read_events(game_id, rows, after)

    def shown_events(self, game_id: str, after: int = 0, limit: int | None = None) -> Sequence[GameEvent]:
        """As `events`, without the names that were taken out."""
        return with_names(self.events(game_id, after, limit), self.names_out(game_id))

    def names_out(self, game_id: str) -> dict[str, str]:
        """The stand-ins of the names that were taken out of a game, by their digests."""
        query = select(events.c.data).where(
            events.c.number == _number_of, events.c.kind == "tags", events.c.data.contains('"names":')
        )
        names: dict[str, str] = {}
        for (data,) in self._session.execute(query, {"game_id": game_id}):
            names |= load_stored(data, f"an event of game {game_id}").get("names", {})
        return names

    def naming(self, keys: Iterable[str]) -> list[str]:
        """The ids of games whose events may have one of these names, by key, anywhere."""
        patterns = ["%" + re.sub("[^a-z0-9]+", "%", key) + "%" for key in keys]
        found = [func.lower(column).like(one) for one in patterns for column in (events.c.data, events.c.actor)]
        query = select(games.c.id).join(events, events.c.number == games.c.number).where(or_(*found)).distinct()
        return [str(game_id) for (game_id,) in self._session.execute(query.order_by(games.c.id))]

    def events_of(self, game_ids: Sequence[str]) -> dict[str, list[GameEvent]]:
        """All events of these games, in order."""
        found: dict[str, list[Row]] = {}
        for row in self._session.execute(_EVENTS_OF, {"game_ids": game_ids}).all():  # in one step, not row by row
            found.setdefault(row[-1], []).append(row)
        return {game_id: read_events(game_id, rows) for game_id, rows in found.items()}

    def characters(self, game_id: str) -> int:
        """The length of the data of all events of a game, as it is stored."""
        query = select(func.coalesce(func.sum(func.length(events.c.data)), 0)).where(events.c.number == _number_of)
        return int(self._session.execute(query, {"game_id": game_id}).scalar_one())

    def has_event(self, game_id: str, source: str) -> bool:
        """Whether the event of a board with this source is stored."""
        return self._session.execute(_HAS, {"game_id": game_id, "source": source}).first() is not None

    def has_run(self, game_id: str, prefix: str) -> bool:
        """Whether an event of a board whose source begins with this is stored."""
        query = select(events.c.seq).where(
            events.c.number == _number_of, events.c.source.startswith(prefix, autoescape=True)
        )
        return self._session.execute(query.limit(1), {"game_id": game_id}).first() is not None


_NUMBER = COLUMNS.index("number")
_CONTENT = COLUMNS.index("content")
_NUMBERED = re.compile("[0-9]{1,9}", re.ASCII)  # the cursor of an export of everything

_number_of = select(games.c.number).where(games.c.id == bindparam("game_id")).scalar_subquery()
_ONE_GAME = select(games).where(games.c.id == bindparam("game_id"))
_GAME = _ONE_GAME
_GAME_LOCKED = _ONE_GAME.with_for_update()
VERSION = (
    select(games, boards.c.id, boards.c.version)
    .outerjoin_from(games, boards, (boards.c.game == games.c.id) & (boards.c.wanted == literal_column("'open'")))
    .where(games.c.id == bindparam("game_id"))
)
_HEADS = select(games.c.id, games.c.seq).where(games.c.id.in_(bindparam("game_ids", expanding=True)))
_ROWS = select(games).where(games.c.id.in_(bindparam("game_ids", expanding=True)))
# A turn changes only these. SQLite writes to an index wherever one of its columns is named.
_MOVING = ("position", "ply", "seq", "hash", "updated")
_MOVE = (
    update(games).where(games.c.id == bindparam("game_id")).values({column: bindparam(column) for column in _MOVING})
)
_PUT = (
    update(games)
    .where(games.c.id == bindparam("game_id"))
    .values({column: bindparam(column) for column in COLUMNS if column not in ("id", "number", "content", "imported")})
)
_FORGET_CONTENT = update(games).where(games.c.id == bindparam("game_id")).values(content=null())
_SET_CONTENT = (
    update(games)
    .where(games.c.id == bindparam("game_id"), games.c.hash == bindparam("last"))
    .values(content=bindparam("key"))
)
_IDS_BY_CONTENT = [  # what a game is now counts more than what another was, the first of several games most
    (
        select(column, games.c.id)
        .where(column.in_(bindparam("keys", expanding=True)), is_known)
        .order_by(games.c.number.desc())
    )
    for column, is_known in ((games.c.imported, text(IMPORTED)), (games.c.content, text(UNCHANGED)))
]
_LAST = select(func.max(games.c.number))
_MOST = 2**31 - 1  # the highest number that a column can have


def _events_of(number: Any) -> Select[Any]:
    return (
        select(events)
        .where(events.c.number == number, events.c.seq.between(bindparam("after"), bindparam("last")))
        .order_by(events.c.seq)
    )


_EVENTS = _events_of(_number_of)
_LOST_EVENTS = _events_of(bindparam("number"))
_EVENTS_OF = (
    select(events, games.c.id)
    .join(games, games.c.number == events.c.number)
    .where(games.c.id.in_(bindparam("game_ids", expanding=True)))
    .order_by(events.c.number, events.c.seq)
)
# The condition is the index's own; without it the index would not be used.
_HAS = select(events.c.seq).where(
    text(FROM_BOARD), events.c.number == _number_of, events.c.source == bindparam("source")
)
