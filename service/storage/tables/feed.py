"""The feed: the events of all games in the order of the ledger."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import msgspec
from sqlalchemy import Select, and_, or_, select

from service.storage.database.session import Row
from service.storage.database.session_reader import SessionReader
from service.storage.integrity.chain import GameEvent
from service.storage.search import OneOrMore, name_key, values_of

from .ledger import ledger
from .schema import events, games

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
    """Which events; None matches all. `game_id` and `match` are ids, `game` is that of a rule set; `event` is the Event
    tag that the game has now. Of several values each matches."""

    game_id: str | None = None
    match: str | None = None
    event: OneOrMore = None
    game: OneOrMore = None

    def matches(self, item: FeedEvent) -> bool:
        """Whether an event is to be sent."""
        return (
            self.game_id in (None, item.event.game)
            and self.match in (None, item.match)
            and (self.game is None or item.game in values_of(self.game))
            and (self.event is None or item.held_event in [*map(name_key, values_of(self.event))])
        )


class FeedEvent(NamedTuple):
    """An event in the feed, with the rule set, the match and the event's key of its game."""

    cursor: FeedCursor
    game: str
    match: str | None
    held_event: str | None
    event: GameEvent


class FeedPage(NamedTuple):
    """Events, the cursor after all that was looked at, and whether there is more now."""

    items: list[FeedEvent]
    after: FeedCursor
    more: bool


class FeedTable(SessionReader):
    """Reads within the transaction of `session`."""

    def read(self, after: FeedCursor, limit: int, last: int, where: FeedFilter) -> FeedPage:
        """At most `limit` events after a cursor. `last` is the last position of the ledger in this transaction."""
        top = last
        if where.game_id is None and where.match is None:  # these have few entries, which an index has
            top = min(last, after.position + WINDOW)
        items = [_item(row) for row in self._session.execute(_query(after, top, where).limit(limit))]
        if len(items) == limit:
            return FeedPage(items, items[-1].cursor, True)
        return FeedPage(items, max(after, FeedCursor(top)), top < last)


def _query(after: FeedCursor, top: int, where: FeedFilter) -> Select[tuple[object, ...]]:
    position = ledger.c.position
    query = (
        select(position, games.c.game, games.c.match_id, games.c.event, events)
        .select_from(ledger)
        .join(games, games.c.id == ledger.c.game_id)
        .join(events, and_(events.c.game_id == ledger.c.game_id, events.c.seq.between(ledger.c.first, ledger.c.seq)))
        .where(position.between(after.position, top), or_(position > after.position, events.c.seq > after.seq))
        .order_by(position, events.c.seq)
    )
    if where.game_id is not None:
        query = query.where(ledger.c.game_id == where.game_id)
    if where.match is not None:
        query = query.where(games.c.match_id == where.match)
    if where.game is not None:
        query = query.where(games.c.game.concat("").in_(values_of(where.game)))
    if where.event is not None:
        query = query.where(games.c.event.concat("").in_(map(name_key, values_of(where.event))))
    return query


def _item(row: Row) -> FeedEvent:
    position, game, match, held_event, *event = row
    data = GameEvent._fields.index("data")
    stored = GameEvent._make((*event[:data], msgspec.json.decode(event[data]), *event[data + 1 :]))
    return FeedEvent(FeedCursor(position, stored.seq), game, match, held_event, stored)
