"""Threads that run functions for the greenlets of one event loop."""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Any

import gevent  # type: ignore[import-untyped]
from gevent.hub import Waiter  # type: ignore[import-untyped]


class CallThreads:
    """At most `most` threads, which are started when they are needed. A server's event loop has its sockets to wait
    for; one that has nothing else does not wait for these threads.

    gevent's own pool makes a watcher in the event loop for each call, which takes longer than many a request.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._threads: list[Thread] = []
        self._given = 0  # calls that have not returned
        self._calls: SimpleQueue[tuple[Callable[..., Any], tuple[Any, ...], Any]] = SimpleQueue()
        self._loop = gevent.get_hub().loop

    def run(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """What a function returns in one of the threads; other greenlets run meanwhile."""
        waiter = Waiter()
        if self._given >= len(self._threads) < self._most:
            self._threads.append(Thread(target=self._run_calls, daemon=True))
            self._threads[-1].start()
        self._given += 1
        self._calls.put((call, arguments, waiter))
        result, error = waiter.get()
        if error is not None:
            raise error
        return result

    def _run_calls(self) -> None:
        while True:
            self._loop.run_callback_threadsafe(self._finish, *_run(*self._calls.get()))

    def _finish(self, waiter: Any, result: Any, error: BaseException | None) -> None:
        """In the event loop: let a greenlet go on, if it still waits."""
        self._given -= 1
        waiter.switch((result, error))


def _run(call: Callable[..., Any], arguments: tuple[Any, ...], waiter: Any) -> tuple[Any, Any, BaseException | None]:
    """The waiter, and what a function returns, or the exception that it raises. A thread that waits keeps none."""
    try:
        return waiter, call(*arguments), None
    except BaseException as error:  # noqa: BLE001 - it is raised again
        return waiter, None, error
