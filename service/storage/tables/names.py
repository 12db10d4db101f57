"""Who played and what was held: the names of players and events, and what is counted of each.

The names are read from the indexes of the games, one step for each name: how many games there are does not matter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any, NamedTuple

import sqlalchemy
from sqlalchemy import ColumnElement, Connection, Select, Table, func, literal, select, text

from inkeek.service.storage.database.session_reader import SessionReader
from inkeek.service.storage.rows import NameRow
from inkeek.service.storage.search import OPEN, initials, key_after_all, known_of, name_key

from .declared import KEY
from .persons import AT_ONCE, PersonTable
from .schema import FIRST, OPENS_MATCH, games, players

MAX_COUNTED = 100_000  # games of one name that are counted, the newest ones
MAX_SEARCHED = 2_000  # names in which a word is looked for: no index has their later words


class PlayerCounts(NamedTuple):
    """What a player's games came to: how many by rule set and score (`PlayerKey`), and how many matches. Unless
    `complete`, only the newest `MAX_COUNTED` games are counted."""

    name: str
    scores: dict[str, dict[str, int]]
    matches: int
    complete: bool


class EventCounts(NamedTuple):
    """How many games and matches an event has, and the first and the last day that a Date tag names. Unless `complete`,
    only the newest `MAX_COUNTED` games are counted."""

    name: str
    games: int
    matches: int
    first_date: str | None
    last_date: str | None
    complete: bool


class NameTable(SessionReader):
    def __init__(self, session: Connection, persons: PersonTable) -> None:
        super().__init__(session)
        self._persons = persons

    def players(self, prefix: str, limit: int, after: str | None = None) -> list[NameRow]:
        """At most `limit` players whose names begin with `prefix`, in the order of their keys, after that key. Before
        them the first page has persons of whom another name begins so."""
        others = self._persons.joined_from(prefix, limit // 2) if prefix and after is None else []
        names = self.shown(others)
        found = [NameRow(key, names[key]) for key in others if key in names]
        return [*found, *self._page(players, players.c.name, prefix, limit - len(found), after)]

    def with_word(self, word: str, limit: int) -> list[NameRow]:
        """At most `limit` players among the first `MAX_SEARCHED`, of whose names a word but the first begins so. Those
        who are shown by their initials are not found."""
        part = f" {name_key(word)}"
        keys = [row.key for row in self._session.execute(_keys(players, players.c.name, "", MAX_SEARCHED, None))]
        found = [*dict.fromkeys([*(key for key in keys if part in key), *self._persons.joined_with(part, limit)])]
        hidden = {key for key, row in self._persons.rows(found).items() if row.initials}
        names = self.shown([key for key in found if key not in hidden][:limit])
        return [NameRow(key, name) for key, name in names.items()]

    def shown(self, keys: Collection[str], *, hide: bool = True) -> dict[str, str]:
        """How the players with these keys are written everywhere, of those who have games or a name that somebody set;
        `hide`: by initials, those who are shown so."""
        found: dict[str, int | None] = {}
        ordered = sorted(keys)
        for first in range(0, len(ordered), AT_ONCE):
            rows = [(key,) for key in ordered[first : first + AT_ONCE]]
            wanted = sqlalchemy.values(sqlalchemy.column("key", KEY), name="wanted").data(rows).cte()
            oldest = select(func.min(players.c.number)).where(players.c.name == wanted.c.key).correlate(wanted)
            query = select(wanted.c.key, oldest.scalar_subquery().label("number"))
            found |= {row.key: row.number for row in self._session.execute(query)}
        return self._display_names(players, found, hide=hide)

    def recent(self, event: str | None, limit: int, *, others: bool) -> list[str]:
        """The names of at most `limit` players: those of the newest games of an event, then, with `others`, of all."""
        newest = select(players.c.number, players.c.name).order_by(players.c.number.desc()).limit(2 * limit)
        of_event = select(games.c.number).where(games.c.event == event).order_by(games.c.number.desc()).limit(limit)
        queries = [newest.where(players.c.number.in_(of_event))] if event is not None else []
        queries += [newest] if others else []
        found = dict.fromkeys(row.name for query in queries for row in self._session.execute(query))
        hidden = {key for key, row in self._persons.rows(found).items() if row.initials}
        return list(self.shown([key for key in found if key not in hidden][:limit]).values())

    def recent_events(self, limit: int) -> list[str]:
        """The names of the events of the newest games, at most `limit`."""
        newest = select(games.c.number, games.c.event).order_by(games.c.number.desc()).limit(2 * limit)
        keys = dict.fromkeys(row.event for row in self._session.execute(newest) if row.event is not None)
        names = (self._name(games, games.c.event, key) for key in list(keys)[:limit])
        return [name for name in names if name is not None]

    def events(self, prefix: str, limit: int, after: str | None = None) -> list[NameRow]:
        """As `players`, for events."""
        return self._page(games, games.c.event, prefix, limit, after)

    def player(self, key: str) -> PlayerCounts | None:
        """What is counted of a player; None if nobody has played under that name."""
        newest = _newest(players, players.c.name == key, players.c.game, players.c.score).subquery()
        query = select(newest.c.game, newest.c.score).group_by(newest.c.game, newest.c.score)
        scores: dict[str, dict[str, int]] = defaultdict(dict)
        for row in self._session.execute(query.add_columns(func.count().label("games"))):
            scores[row.game][row.score] = row.games
        name = self._name(players, players.c.name, key)
        if name is None:
            return None
        total = sum(sum(counts.values()) for counts in scores.values())
        matches = self._count(
            _newest(players, (players.c.name == key) & text(OPENS_MATCH), players.c.number).subquery()
        )
        return PlayerCounts(name, dict(scores), matches, total < MAX_COUNTED)

    def event(self, key: str) -> EventCounts | None:
        """What is counted of an event; None if there is none of that name."""
        newest = _newest(games, games.c.event == key, games.c.date).subquery()
        day = func.nullif(newest.c.date, OPEN)
        dates = func.min(day).label("first"), func.max(day).label("last")
        row = self._session.execute(select(func.count().label("total"), *dates).select_from(newest)).one()
        name = self._name(games, games.c.event, key)
        if name is None:
            return None
        matches = self._count(_newest(games, (games.c.event == key) & text(FIRST), games.c.number).subquery())
        return EventCounts(name, row.total, matches, known_of(row.first), known_of(row.last), row.total < MAX_COUNTED)

    def _page(
        self, table: Table, column: ColumnElement[str], prefix: str, limit: int, after: str | None
    ) -> list[NameRow]:
        query = _keys(table, column, name_key(prefix), limit, after)
        found = {row.key: row.number for row in self._session.execute(query)}
        shown = self._display_names(table, found)
        return [NameRow(key, shown.get(key, key)) for key in found]

    def _name(self, table: Table, column: ColumnElement[str], key: str) -> str | None:
        number = self._session.execute(select(func.min(table.c.number)).where(column == key)).scalar()
        return None if number is None else self._display_names(table, {key: number}).get(key)

    def _display_names(self, table: Table, numbers: dict[str, int | None], *, hide: bool = True) -> dict[str, str]:
        """The names by key, as somebody set them, or as the games with these numbers write them."""
        query = select(games.c.number, games.c.tags).where(games.c.number.in_(list(numbers.values())))
        tags = {row.number: row.tags for row in self._session.execute(query)}
        shown = {key: _name_as_written(tags[number], key) for key, number in numbers.items() if number in tags}
        if table is players:
            for key, row in self._persons.rows(numbers).items():
                if hide and row.initials:
                    shown[key] = initials(key)
                elif row.name:
                    shown[key] = row.name
        return shown


def _name_as_written(tags: dict[str, str], key: str) -> str:
    for name in ("South", "North", "Event"):
        if name_key(tags.get(name, "")) == key:
            return " ".join(tags[name].split())
    return key


def _newest(table: Table, condition: ColumnElement[bool], *columns: ColumnElement[Any]) -> Select[Any]:
    return select(*columns).where(condition).order_by(table.c.number.desc()).limit(MAX_COUNTED)


def _keys(table: Table, column: ColumnElement[str], prefix: str, limit: int, after: str | None) -> Select[Any]:
    """The query for the next keys in an index, each with the number of its oldest game: each step looks up the first
    key after the one before."""
    end = key_after_all(prefix)

    def least(bound: ColumnElement[bool]) -> Select[Any]:
        query = select(func.min(column)).where(bound)
        return query if end is None else query.where(column < end)

    first = least(column >= prefix if after is None else column > max(after, prefix))
    keys = select(first.scalar_subquery().label("key"), literal(1).label("place")).cte("keys", recursive=True)
    following = least(column > keys.c.key).correlate(keys).scalar_subquery()
    keys = keys.union_all(select(following, keys.c.place + 1).where(keys.c.key.is_not(None), keys.c.place < limit))
    oldest = select(func.min(table.c.number)).where(column == keys.c.key).correlate(keys).scalar_subquery()
    return select(keys.c.key, oldest.label("number")).where(keys.c.key.is_not(None)).order_by(keys.c.place)
