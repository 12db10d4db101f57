"""The feed: the events of all games in the order of the ledger."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, FromClause, Select, and_, func, or_, select

from inkeek.service.storage.database.session_reader import SessionReader
from inkeek.service.storage.integrity.chain import GameEvent
from inkeek.service.storage.rows import Days, Limit
from inkeek.service.storage.search import (
    EVERYTHING,
    GameFilter,
    OneOrMore,
    first_moment,
    last_moment,
    name_key,
    reading,
    values_of,
)

from .game_list import GameList
from .games import GameTable
from .ledger import ledger, positions_of
from .schema import events, games, players

WINDOW = 5000  # entries of the ledger that are looked at for one page
_SEQ_BITS = 31  # a PostgreSQL integer without its sign
_ALL = (1 << _SEQ_BITS) - 1


class FeedCursor(NamedTuple):
    """A place in the feed: after the event `seq` of the entry `position` of the ledger; by default after all of it."""

    position: int = 0
    seq: int = _ALL

    def __str__(self) -> str:
        return str(self.position) if self.seq == _ALL else f"{self.position}.{self.seq}"

    @property
    def number(self) -> int:
        """One number that grows along the feed."""
        return self.position << _SEQ_BITS | self.seq

    @classmethod
    def of(cls, number: int) -> FeedCursor:
        """The cursor with this `number`."""
        return cls(number >> _SEQ_BITS, number & _ALL)


@dataclass(frozen=True, slots=True)
class FeedFilter:
    """Which events; None matches all. `game_id` and `match` are ids; `kind`: of an event, of several each matches;
    `games`: by what their games are now; `actor`: who did it, or if nobody is named, was signed in with that name. How
    they went (`result`, `state`) and what came up in them is no filter of events."""

    game_id: str | None = None
    match: str | None = None
    kind: OneOrMore = None
    games: GameFilter = EVERYTHING
    actor: str | None = None

    def within(self, limit: Limit | None) -> FeedFilter:
        """The same within what a key may read."""
        if limit is None:
            return self
        limit = reading(limit)
        if limit.kind == "event":
            return replace(self, games=replace(self.games, event=limit.value))
        if limit.kind == "game":
            return replace(self, game_id=limit.value)
        return replace(self, match=limit.value)

    def matches(self, item: FeedEvent) -> bool:
        """Whether an event is to be sent."""
        where = self.games
        return (
            self.game_id in (None, item.event.game)
            and self.match in (None, item.match)
            and (self.kind is None or item.event.kind in values_of(self.kind))
            and (
                self.actor in (None, item.event.actor)
                or (not item.event.actor and item.event.source.startswith(_pages_of(self.actor)))
            )
            and (where.game is None or item.game in where.values("game"))
            and (where.event is None or item.held_event in [*map(name_key, where.values("event"))])
            and (where.player is None or not item.players.isdisjoint(map(name_key, where.values("player"))))
            and (where.days is None or where.days.meets(item.days))
            and _lies_between(item.created, first_moment("", where.created_since), last_moment("", where.created_until))
        )


def _pages_of(actor: str) -> str:
    """How the source of events begins which somebody with this name entered on pages."""
    return f"page:{actor}:"


def _lies_between(value: str | None, low: str | None, high: str | None) -> bool:
    return (low is None and high is None) or (value is not None and (low or "") <= value and value <= (high or value))


class FeedEvent(NamedTuple):
    """An event in the feed, with what its game is now: rule set, match, the event's key, the days as in `days_of`, the
    time when it was stored, the keys of its players."""

    cursor: FeedCursor
    game: str
    match: str | None
    held_event: str | None
    days: Days
    created: str
    players: frozenset[str | None]
    event: GameEvent


class FeedPage(NamedTuple):
    """Events, the cursor after all that was looked at, and whether there is more now."""

    items: list[FeedEvent]
    after: FeedCursor
    more: bool


class FeedTable(SessionReader):
    def __init__(self, session: Connection, games: GameTable) -> None:
        super().__init__(session)
        self._games = games

    def read(self, after: FeedCursor, limit: int, last: int, where: FeedFilter) -> FeedPage:
        """At most `limit` events after a cursor. `last` is the last position of the ledger in this transaction."""
        top = last
        if where.game_id is None and where.match is None:  # these have few entries, which are listed
            top = min(last, after.position + WINDOW)
        rows: list[Any] = list(self._session.execute(_query(after, top, where).limit(limit)))
        numbers: dict[str, list[int]] = {}
        for row in rows:
            numbers.setdefault(row.id, []).append(row.seq)
        events = {
            (game_id, event.seq): event
            for game_id, seqs in numbers.items()
            for event in self._games.shown_events(game_id, min(seqs) - 1, max(seqs) - min(seqs) + 1)
        }
        items = [
            FeedEvent(
                FeedCursor(at, seq), game, match, event, Days(first, last), created, frozenset(names), events[id, seq]
            )
            for id, at, seq, game, match, event, first, last, created, *names in rows
        ]
        if len(items) == limit:
            return FeedPage(items, items[-1].cursor, True)
        return FeedPage(items, max(after, FeedCursor(top)), top < last)


def _player(of: Callable[[ColumnElement[str]], ColumnElement[str]]) -> ColumnElement[str | None]:
    """One of the two players of a game, by key."""
    return select(of(players.c.name)).where(players.c.number == games.c.number).scalar_subquery()


_OF_GAME = (
    games.c.game,
    games.c.match_id,
    games.c.event,
    games.c.date,
    games.c.last_date,
    games.c.created,
    _player(func.min),
    _player(func.max),
)


def _entries(where: FeedFilter) -> tuple[FromClause, ColumnElement[int]]:
    """The entries of the ledger that may hold the events, and the column of their positions."""
    given = ((games.c.id, where.game_id), (games.c.match_id, where.match))
    conditions = [column == value for column, value in given if value is not None]
    if not conditions:
        return ledger, ledger.c.position
    # Joined to these, and not a condition: else PostgreSQL, which prepares the query for any range of positions, takes
    # the range for a short one and reads all entries in it.
    own = positions_of(select(games.c.number).where(*conditions)).subquery()
    return ledger.join(own, own.c.position == ledger.c.position), own.c.position


def _query(after: FeedCursor, top: int, where: FeedFilter) -> Select[tuple[object, ...]]:
    entries, position = _entries(where)
    query = (
        select(games.c.id, position, events.c.seq, *_OF_GAME)
        .select_from(entries)
        .join(games, games.c.id == ledger.c.game_id)
        .join(events, and_(events.c.number == ledger.c.number, events.c.seq.between(ledger.c.first, ledger.c.seq)))
        .where(position.between(after.position, top), or_(position > after.position, events.c.seq > after.seq))
        .order_by(position, events.c.seq)
    )
    if where.kind is not None:
        query = query.where(events.c.kind.in_(values_of(where.kind)))
    if where.actor is not None:
        begin = _pages_of(where.actor)
        on_pages = and_(events.c.actor == "", func.substr(events.c.source, 1, len(begin)) == begin)
        query = query.where(or_(events.c.actor == where.actor, on_pages))
    return query.where(*GameList(where.games, None).checks())
