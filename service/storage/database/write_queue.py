"""The threads of a process that write to SQLite: one after the other, and short ones in one transaction.

A commit takes longer than all that a turn stores, and waits for the disk. So when a thread has written and others wait
that may join, each writes into the same transaction, which the first thread commits for all of them.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from sqlalchemy import Connection

from inkeek.service.errors import ServiceError, StorageBusy, StorageError

MOST = 16  # threads that join one transaction
JOIN_WITHIN = 0.005  # seconds after its first thread has written: later ones would make it wait


class Group:
    """Threads that write in the transaction of `connection`. If `error` is set, nothing of it is stored."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.error: ServiceError | None = None
        self.joined: list[QueuedWriter] = []
        self.until = time.monotonic() + JOIN_WITHIN
        self.is_complete = _locked()

    def fail(self, error: BaseException) -> None:
        self.error = error if isinstance(error, ServiceError) else StorageError(f"nothing was stored: {error!r}")


class QueuedWriter:
    """A thread in the queue. `group` is set if it is to join one."""

    def __init__(self, *, joins: bool, urgent: bool) -> None:
        self.joins = joins
        self.urgent = urgent
        self.group: Group | None = None
        self._signal = _locked()

    def wait(self, timeout: float = -1) -> bool:
        """Wait until `go_on` is called."""
        return self._signal.acquire(timeout=timeout)

    def go_on(self) -> None:
        self._signal.release()


class WriteQueue:
    """Lets threads write in the order in which they come, the urgent ones first."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_busy = False
        self._waiting: deque[QueuedWriter] = deque()
        self._urgent = 0  # of those that wait; they are the first ones

    def enter(self, timeout: float, *, joins: bool, urgent: bool = False) -> QueuedWriter:
        """Wait until this thread may write: alone, or in a group if it `joins`.

        :raises StorageBusy: others wrote for so many seconds.
        """
        writer = QueuedWriter(joins=joins, urgent=urgent)
        with self._lock:
            if not self._is_busy:
                self._is_busy = True
                return writer
            self._waiting.insert(self._urgent if urgent else len(self._waiting), writer)
            self._urgent += urgent
        if not writer.wait(timeout):
            with self._lock:
                if writer in self._waiting:
                    self._waiting.remove(writer)
                    self._urgent -= urgent
                    raise StorageBusy(f"other writers held the database for {timeout:g} s")
            writer.wait()  # it came just now
        return writer

    def leave(self, group: Group | None) -> None:
        """Let the threads go on that joined the group, which has ended, and the next thread write."""
        for writer in group.joined if group is not None else ():
            writer.go_on()
        with self._lock:
            if self._waiting:
                self._next().go_on()
            else:
                self._is_busy = False

    def pass_on(self, group: Group) -> None:
        """Let the next thread write in the group, or else the first one commit."""
        with self._lock:
            is_open = group.error is None and len(group.joined) < MOST and time.monotonic() < group.until
            if not (is_open and self._waiting and self._waiting[0].joins):
                group.is_complete.release()
                return
            writer = self._next()
        writer.group = group
        group.joined.append(writer)
        writer.go_on()

    def _next(self) -> QueuedWriter:
        writer = self._waiting.popleft()
        self._urgent -= writer.urgent
        return writer


def _locked() -> Lock:
    lock = Lock()
    lock.acquire()
    return lock


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
