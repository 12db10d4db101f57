"""Stored games as a stream of records, in memory that does not grow with their number."""

from __future__ import annotations

import json
from collections.abc import Iterator

from service.storage import EVERYTHING, GameFilter, Store

from .repository import Games
from .snapshot import GameSnapshot

BATCH = 100  # games looked up at once


def export_pmn(games: Games, store: Store, where: GameFilter) -> Iterator[str]:
    """The records of the games that fit, in the notation, an empty line between two."""
    between = ""
    for loaded in _loaded(games, store, where):
        yield between + loaded.pmn()
        between = "\n"


def export_ndjson(games: Games, store: Store, where: GameFilter) -> Iterator[str]:
    """The records of the games that fit, each as a line of JSON with its id."""
    for loaded in _loaded(games, store, where):
        yield json.dumps({"id": loaded.id, **loaded.record.to_json()}, ensure_ascii=False) + "\n"


def _loaded(games: Games, store: Store, where: GameFilter) -> Iterator[GameSnapshot]:
    for batch in _ids(games, store, where):
        for game_id in batch:
            yield games.load(game_id)


def _ids(games: Games, store: Store, where: GameFilter) -> Iterator[list[str]]:
    """The ids of the games that fit; all games come in the order they were stored in, which no change upsets."""
    if where == EVERYTHING:
        after = 0
        while True:
            with store.reading() as transaction:
                numbered = transaction.games.numbered(after, BATCH)
            if not numbered:
                return
            yield [game_id for _, game_id in numbered]
            after = numbered[-1][0]
    cursor: str | None = None
    while True:
        rows, cursor = games.page(BATCH, cursor, where)
        yield [row.id for row in rows]
        if cursor is None:
            return
