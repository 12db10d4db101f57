"""Games and their events in the database."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, insert, select, tuple_, update

from .chain import Event, canonical_json
from .rows import GameRow
from .tables import events, games


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

    def by_source(self, game_id: str, source: str) -> Event | None:
        """The first event that came from `source`."""
        query = select(events).where(events.c.game_id == game_id, events.c.source == source).order_by(events.c.seq)
        row = self._connection.execute(query.limit(1)).first()
        return None if row is None else _event(row)


def _event_values(event: Event) -> dict[str, Any]:
    return {
        "game_id": event.game,
        "seq": event.seq,
        "time": event.time,
        "actor": event.actor,
        "source": event.source,
        "kind": event.kind,
        "data": canonical_json(event.data),
        "prev_hash": event.prev_hash,
        "hash": event.hash,
    }


def _event(row: Row[Any]) -> Event:
    return Event(
        row.game_id,
        row.seq,
        row.time,
        row.actor,
        row.source,
        row.kind,
        json.loads(row.data),
        row.prev_hash,
        row.hash,
    )


def _game_values(row: GameRow) -> dict[str, Any]:
    score = row.score or (None, None)
    return {
        "id": row.id,
        "game": row.game,
        "options": json.dumps(row.options, ensure_ascii=False),
        "tags": json.dumps(row.tags, ensure_ascii=False),
        "created": row.created,
        "updated": row.updated,
        "seq": row.seq,
        "hash": row.hash,
        "start": row.start,
        "position": row.position,
        "ply": row.ply,
        "state": row.state,
        "result": row.result,
        "score_south": score[0],
        "score_north": score[1],
        "termination": row.termination,
        "winner": row.winner,
    }


def _game(row: Row[Any]) -> GameRow:
    return GameRow(
        id=row.id,
        game=row.game,
        options=json.loads(row.options),
        tags=json.loads(row.tags),
        created=row.created,
        updated=row.updated,
        seq=row.seq,
        hash=row.hash,
        start=row.start,
        position=row.position,
        ply=row.ply,
        state=row.state,
        result=row.result,
        score=None if row.score_south is None else (row.score_south, row.score_north),
        termination=row.termination,
        winner=row.winner,
    )
