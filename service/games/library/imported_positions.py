"""The positions of imported games, stored after the games: sorted by what they are found by.

Each position of a game lies somewhere else in the index. Of one game alone each changes a page, and all these pages are
written, and copied from the database's log while others wait for the disk. Of many games together, sorted, many lie on
one page. Until then the games are stale, so that a search that comes first stores their positions itself.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from service.errors import ServiceError
from service.games.new_game import NewGame
from service.storage import Store
from service.storage.tables.positions import PositionTable

from .batch_size import BatchSize

MOST_GAMES = 2_000  # whose positions wait
MOST_POSITIONS = 100_000  # that wait
SETTLED = 200  # games that are settled in one transaction

log = logging.getLogger(__name__)


class ImportedPositions:
    """Those of the games of an import that are not stored yet."""

    def __init__(self, store: Store, size: BatchSize) -> None:
        self._store = store
        self._size = size
        self._seqs: dict[int, int] = {}  # numbers of games, and of the last event of each
        self._keys: dict[int, Sequence[int]] = {}  # the keys of a game's positions, by ply
        self._count = 0

    def add(self, new: Mapping[int, NewGame]) -> None:
        """Keep the positions of new games, by number."""
        for number, game in new.items():
            self._seqs[number] = game.row.seq
            self._keys[number] = game.rows.positions
            self._count += len(game.rows.positions)

    @property
    def are_many(self) -> bool:
        """Whether they are to be stored."""
        return len(self._seqs) >= MOST_GAMES or self._count >= MOST_POSITIONS

    def store(self) -> None:
        """Store them, in short transactions. If that fails, a search does it."""
        if not self._seqs:
            return
        keyed = [(key, number, ply) for number, keys in self._keys.items() for ply, key in enumerate(keys)]
        rows = [(number, ply, key) for key, number, ply in sorted(keyed)]
        seqs = [*self._seqs.items()]
        self._seqs.clear()
        self._keys.clear()
        first = self._count = 0
        try:
            while len(rows) - first > (count := self._size.positions):
                with self._writing() as positions:
                    positions.add_missing(rows[first : first + count])
                first += count
            with self._writing() as positions:
                positions.add_missing(rows[first:])
                positions.settle(dict(seqs[:SETTLED]))
            for following in range(SETTLED, len(seqs), SETTLED):
                with self._writing() as positions:
                    positions.settle(dict(seqs[following : following + SETTLED]))
        except ServiceError as error:
            log.warning("the positions of imported games are stored before the next search: %s", error)

    @contextmanager
    def _writing(self) -> Iterator[PositionTable]:
        self._size.pause()
        with self._store.writing() as transaction:
            yield transaction.positions
        self._size.note_end()
