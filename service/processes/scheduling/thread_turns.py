"""Threads of which few compute at once: those that wait lend their turn to others, and senders are served in turn.

Python runs one thread at a time. With each further thread that computes, all others wait longer at every statement that
lets go of the interpreter's lock, as each statement of a database does.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Generic, TypeVar

from .fair_queue import FairQueue, Sender

T = TypeVar("T")


class ThreadTurns(Generic[T]):
    """Decides when to `start` items: at most `running` at once, besides those whose threads wait for something, and at
    most `most` with these."""

    def __init__(self, running: int, most: int, start: Callable[[T], None]) -> None:
        self._lock = threading.Lock()
        self._items: FairQueue[T] = FairQueue()
        self._start = start
        self._most = most
        self._free = running
        self._owed = 0  # places that `relieve` lent, which the next that are done give back
        self._has_started = False  # since the last `relieve`
        self.busy = 0  # items that were started, and are not done
        self._returning: deque[threading.Lock] = deque()  # of threads that have waited, and want to go on

    def add(self, sender: Sender, item: T) -> bool:
        """Start an item, or let it wait. Return whether items wait."""
        with self._lock:
            self._items.add(sender, item)
            self._start_next()
            return bool(self._items)

    def finish(self) -> None:
        """In a thread that has done an item."""
        with self._lock:
            self.busy -= 1
            self._pass_on()

    def relieve(self) -> bool:
        """Start one more item if none has started since the last call: those that run take long, perhaps since they
        wait for a database. Return whether items wait."""
        with self._lock:
            if self._items and not self._has_started and self.busy < self._most:
                self._free += 1
                self._owed += 1
                self._start_next()
            self._has_started = False
            return bool(self._items)

    @contextmanager
    def lend(self) -> Iterator[None]:
        """In a thread that works on an item: let others run while this thread waits in the block."""
        with self._lock:
            self._pass_on()
        try:
            yield
        finally:
            self._take_back()

    def _take_back(self) -> None:
        with self._lock:
            if self._free:
                self._free -= 1
                return
            given = threading.Lock()
            given.acquire()
            self._returning.append(given)
        given.acquire()

    def _pass_on(self) -> None:
        if self._returning:
            self._returning.popleft().release()
        elif self._owed:
            self._owed -= 1
        else:
            self._free += 1
        self._start_next()

    def _start_next(self) -> None:
        if self._items and self._free and self.busy < self._most:
            self._free -= 1
            self.busy += 1
            self._has_started = True
            self._start(self._items.pop())


_current = threading.local()


def use_turns(turns: ThreadTurns[Any]) -> None:
    """Have `waiting` lend the turns of the current thread."""
    _current.turns = turns


def waiting() -> AbstractContextManager[None]:
    """For a block in which the current thread waits, and others may compute."""
    turns: ThreadTurns[Any] | None = getattr(_current, "turns", None)
    return nullcontext() if turns is None else turns.lend()
