"""Lanes of threads: what runs a request. Turns and other short writes go first, whoever asks for what else."""

from __future__ import annotations

import re
from typing import Any

from service.http.access.guard import SAFE_METHODS

from .call_threads import CallThreads, LoopCalls

# Requests that compute at once besides writes, and long writes. Python computes one at a time: more gain nothing, and
# make each write wait longer. With PostgreSQL a reader waits for its answers about half of the time.
READERS = 1
READERS_OF_SERVER = 2  # of a database server
BULK = 1
WATCHERS = 2
LONG = 16 << 10  # bytes of the body of a long write
HEALTH = frozenset({"/healthz", "/readyz", "/metrics"})


class Lanes:
    """The threads of a web process, in lanes that do not wait for each other. Within one, senders are served in turn.

    A lane for writes has `threads`; so has one for reads, calculations and all else, of which `readers` compute at once
    while the others wait for something. Long writes have a lane of their own, and so has what streams and files begin
    with. Who watches the service has one too: the others may all wait for a database that does not answer. `computing`:
    the paths of what stores nothing, although its method could.
    """

    def __init__(self, threads: int, readers: int, computing: re.Pattern[str], loop_calls: LoopCalls) -> None:
        self.writes = CallThreads(threads, loop_calls)
        self.bulk = CallThreads(BULK, loop_calls)
        self.reads = CallThreads(threads, loop_calls, readers)
        self.health = CallThreads(WATCHERS, loop_calls)
        self._computing = computing

    def lane(self, environ: dict[str, Any], size: int) -> CallThreads:
        """The lane for a request with a body of `size` bytes."""
        if environ["PATH_INFO"] in HEALTH:
            return self.health
        if environ["REQUEST_METHOD"] in SAFE_METHODS or self._computing.fullmatch(environ["PATH_INFO"]):
            return self.reads
        return self.bulk if size > LONG else self.writes
