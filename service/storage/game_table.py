"""Games and their events in the database."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Row, insert, select, text, tuple_, update

from .chain import Event, canonical_json
from .rows import GameRow
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

    def page(self, limit: int, after: Sequence[str] | None) -> list[GameRow]:
        """At most `limit` games, live ones first, then newest first, after the (state, created, id) of `after`."""
        key = tuple_(games.c.state, games.c.created, games.c.id)
        query = select(games).order_by(games.c.state.desc(), games.c.created.desc(), games.c.id.desc()).limit(limit)
        if after is not None:
            query = query.where(key < tuple_(*after))
        return [_game(row) for row in self._connection.execute(query)]

    def add(self, row: GameRow) -> None:
        self._connection.execute(insert(games).values(_game_values(row)))

    def put(self, row: GameRow) -> None:
        """Replace the game's derived columns."""
        values = _game_values(row)
        self._connection.execute(update(games).where(games.c.id == row.id).values(values))

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
