"""The positions of imported games, stored after the games: sorted by what they are found by.

Each position of a game lies somewhere else in the index. Of one game alone each changes a page, and all these pages are
written, and copied from the database's log while others wait for the disk. Of many games together, sorted, many lie on
one page. Until then the games are stale, so that a search that comes first stores their positions itself.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping

from service.errors import StorageError
from service.games.new_game import NewGame
from service.storage import Store

from .batch_size import BatchSize

MOST = 2_000  # games whose positions wait
SETTLED = 200  # games that are settled in one transaction

log = logging.getLogger(__name__)


class ImportedPositions:
    """Those of the games of an import that are not stored yet."""

    def __init__(self, store: Store, size: BatchSize) -> None:
        self._store = store
        self._size = size
        self._waiting: dict[int, NewGame] = {}

    def add(self, new: Mapping[int, NewGame]) -> None:
        """Keep the positions of new games, by number."""
        self._waiting.update(new)

    @property
    def are_many(self) -> bool:
        """Whether they are to be stored."""
        return len(self._waiting) >= MOST

    def store(self) -> None:
        """Store them, in short transactions. If that fails, a search does it."""
        keyed = [
            (key, number, ply) for number, game in self._waiting.items() for ply, key in enumerate(game.rows.positions)
        ]
        rows = [(number, ply, key) for key, number, ply in sorted(keyed)]
        seqs = [(number, game.row.seq) for number, game in self._waiting.items()]
        self._waiting.clear()
        try:
            while rows:
                count = self._size.positions
                self._size.pause()
                with self._store.writing() as transaction:
                    transaction.positions.add_missing(rows[:count])
                self._size.note_end()
                del rows[:count]
            for first in range(0, len(seqs), SETTLED):
                self._size.pause()
                with self._store.writing() as transaction:
                    transaction.positions.settle(dict(seqs[first : first + SETTLED]))
                self._size.note_end()
        except StorageError as error:
            log.warning("the positions of imported games are stored before the next search: %s", error)
