"""Games and events as rows of their tables, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from service.errors import Damaged
from service.storage.database.session import Row
from service.storage.event_rows import DATA, without_hash
from service.storage.integrity.chain import canonical_json
from service.storage.rows import GameRow, PlayerKey
from service.storage.search import date_of, event_of, player_keys_of, position_keys
from service.storage.tables.schema import games

COLUMNS = tuple(games.c.keys())
_NUMBER = COLUMNS.index("number")
_SCORE = COLUMNS.index("score_south") - COLUMNS.index("tags") - 1  # in what follows the tags


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
        [*map(without_hash, events[:-1]), *events[-1:]],
    )


def position_rows(number: int, game: str, texts: Sequence[str], first: int) -> list[Row]:
    """The rows of consecutive positions."""
    return [(number, ply, key) for ply, key in enumerate(position_keys(game, texts), first)]


def game_values(row: GameRow) -> dict[str, Any]:
    """The columns of a game that follow from its events."""
    values = row._asdict()
    values["score_south"], values["score_north"] = values.pop("score") or (None, None)
    values["options"] = canonical_json(row.options).decode()
    values["tags"] = canonical_json(row.tags).decode()
    values["event"], values["date"] = event_of(row.tags), date_of(row.tags)
    return values


def read_game(row: Sequence[Any]) -> GameRow:
    """The game of a row with all columns; others may stand after them.

    :raises Damaged: its options or tags are not JSON.
    """
    id_, game, options, tags, *plain = row[:_NUMBER]
    south, north = plain[_SCORE : _SCORE + 2]
    plain[_SCORE : _SCORE + 2] = [None if south is None else (south, north)]
    try:
        return GameRow._make((id_, game, msgspec.json.decode(options), msgspec.json.decode(tags), *plain))
    except (ValueError, TypeError, RecursionError) as error:
        raise Damaged(f"the row of game {id_} cannot be read: {error}") from error
