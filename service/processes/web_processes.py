"""The web servers, which are started again when they end; a spare is ready for the case that the only one ends."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable

from . import child_process
from .restarts import RestartedChild

SPARE_AFTER = 3.0  # seconds after the start of a web server, which is busy at first, until a spare is started


class WebProcesses:
    """`count` web servers. `start` starts one that waits for its release; `on_end` gets the id of one that has ended.

    Where there is one, a spare has loaded all that it needs, and waits for its release: clients wait less than a second
    instead of some seconds if the web server is killed. If there are more, the others answer meanwhile.
    """

    def __init__(
        self,
        count: int,
        start: Callable[[], subprocess.Popen[bytes]],
        on_end: Callable[[int], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._count = count
        self._start_waiting = start
        self._on_end = on_end
        self._clock = clock
        self._spare: subprocess.Popen[bytes] | None = start()
        self._spare_at = 0.0
        self._kept: list[RestartedChild] = []

    def release(self) -> None:
        """Let all serve: the database is ready."""
        for number in range(self._count):
            name = "the web server" if self._count == 1 else f"web server {number + 1}"
            self._kept.append(RestartedChild(name, self._start, on_end=self._on_end))

    def check(self) -> int | None:
        """Start what has ended. Return an exit status if the web server cannot start."""
        for kept in self._kept:
            status = kept.check()
            if status is not None:
                return status
        if self._count == 1 and self._clock() >= self._spare_at and not self._has_spare():
            self._spare = self._start_waiting()
            self._spare_at = self._clock() + SPARE_AFTER
        return None

    @property
    def children(self) -> list[subprocess.Popen[bytes]]:
        """All processes, the spare included."""
        spare = [] if self._spare is None else [self._spare]
        return [*(kept.child for kept in self._kept), *spare]

    def _start(self) -> subprocess.Popen[bytes]:
        child = self._spare if self._spare is not None and self._has_spare() else self._start_waiting()
        self._spare, self._spare_at = None, self._clock() + SPARE_AFTER
        child_process.release(child)
        return child

    def _has_spare(self) -> bool:
        return self._spare is not None and child_process.ended(self._spare) is None
