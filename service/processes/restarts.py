"""Child processes that are started again when they end."""

from __future__ import annotations

import logging
import signal
import subprocess
import time
from collections.abc import Callable

from . import child_process

log = logging.getLogger(__name__)

RESTART_AFTER = (0.25, 15.0)  # seconds until a process is started again: at first, at most
HEALTHY_AFTER = 10.0  # seconds after which a process counts as healthy


class RestartedChild:
    """A child process, called `name` in the log, that is started again whenever it ends.

    It is started at once after a healthy run, and twice as late after each run that was short. `child` is the first
    process if it runs already; `on_end` gets the id of each that has ended.
    """

    def __init__(
        self,
        name: str,
        start: Callable[[], subprocess.Popen[bytes]],
        child: subprocess.Popen[bytes] | None = None,
        clock: Callable[[], float] = time.monotonic,
        on_end: Callable[[int], None] = lambda pid: None,
    ) -> None:
        self._name = name
        self._start = start
        self._clock = clock
        self._on_end = on_end
        self.child = start() if child is None else child
        self._started = clock()
        self._restart_at: float | None = None
        self._short_runs = 0
        self._has_worked = False

    def check(self) -> int | None:
        """Start the process again if it has ended and the time has come.

        Return an exit status once the process has ended by itself and never worked before: it cannot start.
        """
        now = self._clock()
        if self._restart_at is not None:
            if now >= self._restart_at:
                try:
                    self.child = self._start()
                except OSError as error:  # no memory for another process
                    log.error("%s cannot be started again now: %s", self._name, error)
                    self._restart_at = now + RESTART_AFTER[1]
                else:
                    self._started, self._restart_at = self._clock(), None
            return None
        status = child_process.ended(self.child)
        if status is None:
            return None
        self._on_end(self.child.pid)
        is_healthy = now - self._started > HEALTHY_AFTER
        self._has_worked |= is_healthy or status <= 0
        self._short_runs = 0 if is_healthy else self._short_runs + 1
        wait = min(RESTART_AFTER[0] * 2 ** min(self._short_runs - 1, 16), RESTART_AFTER[1]) if self._short_runs else 0.0
        if not self._has_worked:
            log.error("%s %s soon after its first start", self._name, _describe(status))
            return status
        again = f", {self._short_runs} times in a row soon after its start" if self._short_runs > 1 else ""
        log.error("%s %s%s; it is started again in %g s", self._name, _describe(status), again, wait)
        self._restart_at = now + wait
        return None if wait else self.check()


def _describe(status: int) -> str:
    if status >= 0:
        return f"ended with status {status}"
    try:
        return f"was killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"was killed by signal {-status}"
