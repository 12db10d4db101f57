"""Games and events as rows of their tables, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from inkeek.records.notation.tags import carried_rules
from inkeek.service.errors import Damaged
from inkeek.service.storage.database.session_reader import Row
from inkeek.service.storage.integrity.chain import GENESIS, GameEvent, canonical_json
from inkeek.service.storage.rows import GameRow, PlayerKey
from inkeek.service.storage.search import days_of, event_of, player_keys_of, position_keys
from inkeek.service.storage.tables.schema import games

COLUMNS = tuple(games.c.keys())
_NUMBER = COLUMNS.index("number")
DATA = 5  # its place in a row of `events` without the number of the game
_SCORE = COLUMNS.index("score_south")


class NewRows(NamedTuple):
    """The rows of a new game, made before the transaction that stores them: a row of `games` without its number, keys
    of players and positions, rows of `events` without it."""

    game: Row
    players: Sequence[PlayerKey]
    positions: Sequence[int]
    events: list[Row]

    @property
    def characters(self) -> int:
        """The length of the data of all events."""
        return sum(len(event[DATA]) for event in self.events)


def new_rows(row: GameRow, texts: Sequence[str], events: list[Row], content: str | None = None) -> NewRows:
    """The rows of a new game; `texts` are those of all positions that came up, from the start, `events` its own rows.

    `content` is the key of the content that it is imported with.
    """
    values = {**game_values(row), "number": None, "content": content, "imported": content}
    return NewRows(
        tuple(values[column] for column in COLUMNS),
        tuple(player_keys_of(row)),
        position_keys(row.game, texts),
        events,
    )


def game_values(row: GameRow) -> dict[str, Any]:
    """The columns of a game that follow from its events."""
    values = row._asdict()
    values["score_south"], values["score_north"] = values.pop("score") or (None, None)
    values["event"] = event_of(row.tags)
    values["rules"] = carried_rules(row.tags)
    values["date"], values["last_date"] = days_of(row.tags)
    return values


def read_game(row: Sequence[Any]) -> GameRow:
    """The game of a row with all columns; others may stand after them."""
    values = [*row[:_NUMBER]]
    south, north = values[_SCORE : _SCORE + 2]
    values[_SCORE : _SCORE + 2] = [None if south is None else (south, north)]
    return GameRow._make(values)


def event_row(event: GameEvent, text: bytes | None = None) -> Row:
    """The row of an event, without the number of its game; `text` is the canonical JSON of its data, if it was made
    already."""
    data = (canonical_json(event.data) if text is None else text).decode()
    return event.seq, event.time, event.actor, event.source, event.kind, data, event.hash


def read_events(game_id: str, rows: Iterable[Sequence[Any]], after: int = 0) -> list[GameEvent]:
    """The events of a game after the event `after`, of rows with the columns of `events`, of which the first is that
    one's; others may stand after them.

    :raises Damaged: the data of one is not JSON.
    """
    events = []
    prev_hash = GENESIS
    for _, seq, time, actor, source, kind, data, hash_, *_ in rows:
        if seq > after:
            try:
                value = msgspec.json.decode(data)
            except (ValueError, TypeError, RecursionError) as error:
                raise Damaged(f"event {seq} of game {game_id} cannot be read: {error}") from error
            events.append(GameEvent(game_id, seq, time, actor, source, kind, value, prev_hash, hash_))
        prev_hash = hash_
    return events
