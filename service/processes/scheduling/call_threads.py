"""Threads that run functions for the coroutines of one event loop, and their way back into it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any

from .fair_queue import Sender
from .thread_turns import ThreadTurns, use_turns

log = logging.getLogger(__name__)

OURSELVES = Sender("", False)
PATIENCE = 0.1  # seconds that calls may wait while none starts, before one more runs: those that run wait for something
LONG_PATIENCE = 1.0  # the same while the process computes: one more that computes would only slow down the others

Call = tuple[Callable[..., Any], tuple[Any, ...], "asyncio.Future[Any]"]


class LoopCalls:
    """Runs functions in an event loop, in order, when other threads ask for it: many at one wakeup, which is dear."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._calls: deque[tuple[Callable[..., Any], tuple[Any, ...]]] = deque()
        self._is_due = False

    def add(self, call: Callable[..., Any], *arguments: Any) -> None:
        """From any thread: let the event loop run a function, which must not wait."""
        self._calls.append((call, arguments))
        if not self._is_due:
            self._is_due = True
            with suppress(RuntimeError):  # the loop is closed: the process ends
                self._loop.call_soon_threadsafe(self._run)

    def _run(self) -> None:
        self._is_due = False  # before looking: what is added later runs again
        for _ in range(len(self._calls)):  # what arrives meanwhile waits, so that sockets have their turn
            call, arguments = self._calls.popleft()
            try:
                call(*arguments)
            except Exception:
                log.exception("a call in the event loop failed")


class CallThreads:
    """At most `most` threads, which are started when they are needed, and of which `running` compute at once."""

    def __init__(self, most: int, loop_calls: LoopCalls, running: int | None = None) -> None:
        self._turns: ThreadTurns[Call] = ThreadTurns(running or most, most, self._start)
        self._threads: list[Thread] = []
        self._calls: SimpleQueue[Call] = SimpleQueue()
        self._loop_calls = loop_calls
        self._is_watched = False

    async def run(self, call: Callable[..., Any], *arguments: Any, sender: Sender = OURSELVES) -> Any:
        """What a function returns in one of the threads. Senders are served in turn."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        if self._turns.add(sender, (call, arguments, future)) and not self._is_watched:
            self._watch_from_now(loop)
        return await future

    def _watch_from_now(self, loop: asyncio.AbstractEventLoop) -> None:
        self._is_watched = True
        loop.call_later(PATIENCE, self._watch, loop, time.monotonic(), time.process_time())

    def _watch(self, loop: asyncio.AbstractEventLoop, since: float, computed: float) -> None:
        """In the event loop: have one more run if calls wait and those that run take long."""
        waited = time.monotonic() - since
        if waited < LONG_PATIENCE and time.process_time() - computed > waited / 2:
            loop.call_later(PATIENCE, self._watch, loop, since, computed)
        elif self._turns.relieve():
            self._watch_from_now(loop)
        else:
            self._is_watched = False

    def _start(self, call: Call) -> None:
        """In any thread, one at a time."""
        if self._turns.busy > len(self._threads):
            self._threads.append(Thread(target=self._run_calls, daemon=True))
            self._threads[-1].start()
        self._calls.put(call)

    def _run_calls(self) -> None:
        use_turns(self._turns)
        while True:
            self._loop_calls.add(_go_on, *_run(*self._calls.get()))
            self._turns.finish()


def _go_on(future: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
    """In the event loop: let a coroutine go on, if it still waits."""
    if future.done():
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)


def _run(
    call: Callable[..., Any], arguments: tuple[Any, ...], future: asyncio.Future[Any]
) -> tuple[asyncio.Future[Any], Any, BaseException | None]:
    """The future, and what a function returns, or the exception that it raises. A thread that waits keeps none."""
    try:
        return future, call(*arguments), None
    except BaseException as error:  # noqa: BLE001 - it is raised again
        return future, None, error
