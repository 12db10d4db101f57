"""Calls of what may hang, such as a database that does not answer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from service.errors import NotReady

T = TypeVar("T")
PATIENCE = 0.5  # seconds


class BoundedCalls:
    """Runs one call at a time, each in a thread of its own, and waits at most `PATIENCE` for it."""

    def __init__(self) -> None:
        self._is_busy = threading.Lock()

    def run(self, call: Callable[[], T]) -> T:
        """What the function returns.

        :raises NotReady: it takes too long, or an earlier one still does.
        """
        future: Future[T] = Future()

        def work() -> None:
            try:
                future.set_result(call())
            except BaseException as error:  # noqa: BLE001 - it is raised again
                future.set_exception(error)
            finally:
                self._is_busy.release()

        if self._is_busy.acquire(timeout=PATIENCE):
            threading.Thread(target=work, daemon=True).start()
            try:
                return future.result(PATIENCE)
            except TimeoutError:
                pass
        raise NotReady("the database does not answer")
