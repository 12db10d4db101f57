"""Room for the threads of a process that write: when others lock the database, not every thread is to wait for them."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from inkeek.service.errors import StorageBusy

PATIENCE = 0.5  # seconds without any writer that comes or goes, after which the others do not wait for room


class WriteRoom:
    """Lets at most `places` threads at once write, or wait until they may."""

    def __init__(self, places: int) -> None:
        self._free = threading.Semaphore(places)
        self._moved = 0.0

    @contextmanager
    def place(self, timeout: float) -> Iterator[None]:
        """Write in the block.

        :raises StorageBusy: there is no room, and the writers there get no further, or not within `timeout` seconds.
        """
        deadline = time.monotonic() + timeout
        while not self._free.acquire(blocking=False):
            left = min(self._moved + PATIENCE, deadline) - time.monotonic()
            if left <= 0:
                raise StorageBusy("the database is locked, and many writers wait for it already. Try again later")
            if self._free.acquire(timeout=left):
                break
        self._moved = time.monotonic()
        try:
            yield
        finally:
            self._moved = time.monotonic()
            self._free.release()
