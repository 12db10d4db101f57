"""Work that keeps a processor busy: few requests of it compute at once, few more wait, and the rest are refused."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from service.errors import TooBusy


class WorkQueue:
    """Lets `running` calls compute at once, while `waiting` more wait for `patience` seconds at most."""

    def __init__(self, running: int, waiting: int, patience: float) -> None:
        self._running = threading.BoundedSemaphore(running)
        self._places = threading.BoundedSemaphore(running + waiting)
        self._patience = patience

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Compute in the block, as soon as it is this call's turn.

        :raises TooBusy: too many others wait, or they take too long.
        """
        if not self._places.acquire(blocking=False):
            raise TooBusy("Too many sheets are being made. Try again in a few seconds.")
        try:
            if not self._running.acquire(timeout=self._patience):
                raise TooBusy(f"The sheets before this one took over {self._patience:g} s. Try again in a few seconds.")
            try:
                yield
            finally:
                self._running.release()
        finally:
            self._places.release()
