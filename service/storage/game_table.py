"""Games and their events in the database."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Row, insert, select, text, tuple_, update

from .chain import Event, canonical_json
from .rows import GameRow
from .search import EVERYTHING, GameFilter
from .tables import FROM_BOARD, events, games


class GameTable:
    """Reads and writes within the transaction of `connection`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, game_id: str, *, lock: bool = False) -> GameRow | None:
        """The game; with `lock` no other writer gets at it before this transaction ends."""
        query = select(games).where(games.c.id == game_id)
        row = self._connection.execute(query.with_for_update() if lock else query).first()
        return None if row is None else _game(row)

    def page(
        self, limit: int, cursor: str | None = None, where: GameFilter = EVERYTHING
    ) -> tuple[list[GameRow], str | None]:
        """At most `limit` games that fit `where`, in the order that `search` tells, after `cursor` (the second value of the
        page before); and the cursor of the next page, None when this is the last.

        :raises Invalid: the cursor is none of such a list.
        """
        raise NotImplementedError

    def games_that_reached(
        self, game: str, position: str, limit: int, cursor: str | None = None
    ) -> tuple[list[tuple[GameRow, int]], str | None]:
        """At most `limit` games of the rule set `game` in which the position came up (stores and ply do not count), each with
        the first ply after which it lay there, newest first; and the cursor of the next page.

        :raises Invalid: the cursor is none of such a list.
        """
        raise NotImplementedError

    def add(self, row: GameRow, positions: Sequence[str]) -> None:
        """Store a new game; `positions` are the texts of all that came up, from the start."""
        raise NotImplementedError

    def put(self, row: GameRow, positions: Sequence[str] | None = None) -> None:
        """Replace the game's derived columns and what it is found by.

        Without `positions` those before ply ``row.ply`` stay as they are, and ``row.position`` is the one at ``row.ply``: right for
        a turn and for turns taken back from the end. With `positions` (all of them, from the start) they are replaced.
        """
        raise NotImplementedError

    def append(self, event: Event) -> None:
        """Store one event; the numbers of a game's events are unique."""
        self._connection.execute(insert(events).values(_event_values(event)))

    def append_all(self, new: list[Event]) -> None:
        if new:
            self._connection.execute(insert(events), [_event_values(event) for event in new])

    def events(self, game_id: str, after: int = 0, limit: int | None = None) -> list[Event]:
        """The game's events with numbers above `after`, in order."""
        query = select(events).where(events.c.game_id == game_id, events.c.seq > after).order_by(events.c.seq)
        return [_event(row) for row in self._connection.execute(query if limit is None else query.limit(limit))]

    def has(self, game_id: str, source: str) -> bool:
        """Whether an event of a board is stored. The condition is the index's own, else it would not be used."""
        query = select(events.c.seq).where(text(FROM_BOARD), events.c.game_id == game_id, events.c.source == source)
        return self._connection.execute(query).first() is not None


def _event_values(event: Event) -> dict[str, Any]:
    values = asdict(event)
    values["game_id"] = values.pop("game")
    values["data"] = canonical_json(event.data)
    return values


def _event(row: Row[Any]) -> Event:
    values = dict(row._mapping)
    values["game"] = values.pop("game_id")
    values["data"] = json.loads(row.data)
    return Event(**values)


def _game_values(row: GameRow) -> dict[str, Any]:
    values = asdict(row)
    values["score_south"], values["score_north"] = values.pop("score") or (None, None)
    values["options"] = json.dumps(row.options, ensure_ascii=False)
    values["tags"] = json.dumps(row.tags, ensure_ascii=False)
    return values


def _game(row: Row[Any]) -> GameRow:
    values = dict(row._mapping)
    south, north = values.pop("score_south"), values.pop("score_north")
    values["score"] = None if south is None else (south, north)
    values["options"], values["tags"] = json.loads(row.options), json.loads(row.tags)
    return GameRow(**values)
