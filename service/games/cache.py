"""The games that were read last, so that a game that has not changed is not read again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from .snapshot import GameSnapshot

if TYPE_CHECKING:
    from inkeek.service.storage import Version

MAX_SIZE = 10_000  # kept in all, in events
EVENTS_PER_GAME = 3  # events that take as much memory as a game without any


class GameCache:
    """Snapshots of games by id, each with the version that was read before it.

    A version holds the hash of the last event, so an equal version means an equal game.
    """

    def __init__(self, max_size: int = MAX_SIZE) -> None:
        self._max_size = max_size
        self._games: OrderedDict[str, tuple[Version, GameSnapshot]] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def find(self, game_id: str, version: Version) -> GameSnapshot | None:
        """The snapshot of that version."""
        with self._lock:
            version_kept, snapshot = self._games.get(game_id, (None, None))
            if version_kept != version:
                return None
            self._games.move_to_end(game_id)
            return snapshot

    def latest(self, game_id: str) -> GameSnapshot | None:
        """The snapshot that was kept last, of whatever version."""
        with self._lock:
            return self._games.get(game_id, (None, None))[1]

    def keep(self, version: Version, snapshot: GameSnapshot) -> None:
        """Keep a snapshot. Those that were used longest ago are dropped when they are too large together."""
        with self._lock:
            _, before = self._games.pop(snapshot.id, (None, None))
            self._size -= _size(before) if before else 0
            if _size(snapshot) > self._max_size:
                return
            self._games[snapshot.id] = version, snapshot
            self._size += _size(snapshot)
            while self._size > self._max_size:
                _, (_, dropped) = self._games.popitem(last=False)
                self._size -= _size(dropped)


def _size(snapshot: GameSnapshot) -> int:
    """How much memory a snapshot takes, in events."""
    return len(snapshot.events) + EVENTS_PER_GAME
