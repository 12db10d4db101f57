"""Calls of what may hang, such as a database that does not answer."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from inkeek.service.errors import NotReady

T = TypeVar("T")
PATIENCE = 0.5  # seconds


class TimedCalls:
    """Runs one call at a time in a thread, and waits at most `PATIENCE` for it and those before it."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1)

    def run(self, call: Callable[[], T]) -> T:
        """What the function returns.

        :raises NotReady: it takes too long.
        """
        future = self._thread.submit(call)
        try:
            return future.result(PATIENCE)
        except TimeoutError:
            future.cancel()
            raise NotReady("the database does not answer") from None
