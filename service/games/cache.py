"""Games as they were last read, kept so that a game which has not changed is not read and folded again."""

from __future__ import annotations

import threading
from collections import OrderedDict

from service.storage import Version

from .snapshot import GameSnapshot

MAX_EVENTS = 20_000  # kept in all; the games that were asked for longest ago go first


class GameCache:
    """Snapshots of games by id, each with the version that was read before it.

    A version holds the hash of the last event, so an equal version means an equal game.
    """

    def __init__(self, max_events: int = MAX_EVENTS) -> None:
        self._max_events = max_events
        self._games: OrderedDict[str, tuple[Version, GameSnapshot]] = OrderedDict()
        self._events = 0
        self._lock = threading.Lock()

    def find(self, game_id: str, glance: Version) -> GameSnapshot | None:
        """The game as it was read after this glance."""
        with self._lock:
            known = self._games.get(game_id)
            if known is None or known[0] != glance:
                return None
            self._games.move_to_end(game_id)
            return known[1]

    def keep(self, glance: Version, loaded: GameSnapshot) -> None:
        """Remember a game, and forget others if there are too many."""
        with self._lock:
            before = self._games.pop(loaded.id, None)
            self._events -= len(before[1].events) if before else 0
            if len(loaded.events) > self._max_events:
                return
            self._games[loaded.id] = glance, loaded
            self._events += len(loaded.events)
            while self._events > self._max_events:
                _, (_, forgotten) = self._games.popitem(last=False)
                self._events -= len(forgotten.events)
