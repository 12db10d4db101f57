"""Looks at the database now and then, so that damage shows before somebody needs what is damaged, and at its clock."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Protocol

from inkeek.service.errors import ServiceError, StorageError
from inkeek.service.storage.clock import NEAR
from inkeek.service.storage.store import Store

from .logs import Trouble

INTERVAL = 2.0  # seconds between looks
SLICE = 0.02  # seconds of a look in which games are checked


CLOCKS_EVERY = 60.0  # seconds

log = logging.getLogger(__name__)


class Clocks:
    """Compares this machine's clock with that of the database, once a minute. `difference`: the seconds by which this
    one is ahead, None if that is not known. Thread-safe."""

    def __init__(self, store: Store, now: Callable[[], float] = time.time) -> None:
        self.difference: float | None = None
        self._store = store
        self._now = now
        self._next = 0.0
        self._trouble = Trouble(log, "the times of events are wrong")

    def look(self, monotonic: float, *, warns: bool) -> None:
        """Compare, unless that was done in the last minute. With `warns`, log when a difference begins and ends."""
        if monotonic < self._next:
            return
        self._next = monotonic + CLOCKS_EVERY
        try:
            with self._store.reading() as transaction:
                transaction.machines.time()  # after the first question the connection is open
                before = self._now()
                theirs = transaction.machines.time()
                self.difference = None if theirs is None else (before + self._now()) / 2 - theirs
        except ServiceError:  # the watch says so
            self.difference = None
        if not warns or self.difference is None:
            return
        if abs(self.difference) <= NEAR:
            self._trouble.over()
        else:
            self._trouble.note(f"this machine's clock is {self.difference:+.1f} s from the database's. Set both clocks")


class Watch(Protocol):
    """`inkeek.service.games.integrity.DatabaseWatch`."""

    def look(self, seconds: float) -> StorageError | None: ...


def keep_watch(watch: Watch, clocks: Clocks, stop: threading.Event, seconds: float, *, warns: bool) -> threading.Thread:
    """Start a thread that looks until `stop`, checks games for so many seconds each time, and compares the clocks."""

    def run() -> None:
        while not stop.wait(INTERVAL):
            watch.look(seconds)
            clocks.look(time.monotonic(), warns=warns)

    thread = threading.Thread(target=run, name="watch", daemon=True)
    thread.start()
    return thread
