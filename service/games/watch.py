"""Watches whether the database is sound, a little at a time."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from inkeek.service.errors import Damaged, StorageError
from inkeek.service.storage import Store, Transaction, verify_chain

from .integrity import ledger_faults

BATCH = 20  # games whose ids are read at once
PAUSE = 1.0  # seconds between two looks at least

log = logging.getLogger(__name__)


class DatabaseWatch:
    """Looks at the surface of a database and, part by part, at the events of all games. Thread-safe.

    A look opens a connection of its own, so that what has changed in a file is not hidden by what a process has read.
    """

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._lock = threading.Lock()
        self._looked: float | None = None
        self._after = ""  # the id of the game that was checked last
        self._damaged: dict[str, str] = {}  # by game
        self._fault: StorageError | None = None

    def look(self, seconds: float) -> StorageError | None:
        """Look again, and check games for about `seconds`, unless the last look was `PAUSE` ago or less.

        Return what is wrong: damage, or why the database cannot be read; None if nothing is known to be. What is new is
        logged.
        """
        with self._lock:
            now = self._clock()
            if self._looked is None or now - self._looked >= PAUSE:
                fault = self._look(now + seconds)
                known = ("" if self._fault is None else self._fault.message, self._store.damage.reason)
                if fault is None and self._fault is not None:
                    log.info("the database can be used again")
                elif fault is not None and fault.message not in known:
                    log.error("%s", fault.message)
                self._fault, self._looked = fault, self._clock()
            return self._fault

    def _look(self, deadline: float) -> StorageError | None:
        """What is wrong, None if nothing is known to be."""
        try:
            faults = self._store.surface_faults()
            if not faults:
                with self._store.reading(anew=True) as transaction:
                    self._check_games(transaction, deadline)
            faults += self._damaged.values()
        except StorageError as error:
            if self._store.damage.reason is None:
                return error
            faults = [self._store.damage.reason]
        return Damaged(faults[0]) if faults else None

    def _check_games(self, transaction: Transaction, deadline: float) -> None:
        """Check damaged games again, and the next ones in the order of their ids, over and over."""
        for game_id in list(self._damaged):
            self._check_game(transaction, game_id)
        while self._clock() < deadline:
            ids = transaction.games.ids(self._after, BATCH)
            if not ids:
                self._after = ""
                return
            for game_id in ids:
                self._check_game(transaction, game_id)
                self._after = game_id
                if self._clock() >= deadline:
                    return

    def _check_game(self, transaction: Transaction, game_id: str) -> None:
        try:
            row = transaction.games.get(game_id)
            events = transaction.games.events(game_id)
            faults = verify_chain(events, None if row is None else (row.seq, row.hash))
            faults = faults or ledger_faults(transaction, game_id, events)
        except Damaged as error:
            if self._store.damage.reason is not None:  # not of this game alone
                raise
            faults = [error.message]
        self._damaged.pop(game_id, None)
        if faults:
            self._damaged[game_id] = f"game {game_id} is damaged: {faults[0]}"
