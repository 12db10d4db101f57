"""The threads of a web process: where a request runs, and how long responses make room for others."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from flask import Flask

from service.http.access import NOBODY
from service.http.api.operation import computing_paths, long_paths
from service.http.context import CALLER
from service.processes.scheduling.call_threads import CallThreads, LoopCalls
from service.processes.scheduling.fair_queue import Sender
from service.processes.scheduling.lanes import Lanes

# For responses of unknown length once they have begun, and for the beginning of those and of streams: for each thread
# that computes, requests wait longer for the interpreter's lock.
LONG_THREADS = 1
OPENING_THREADS = 1
BUSY_FOR = 0.05  # seconds after the start of a request for which such responses make room for it
MAX_REST = 0.02  # seconds that they rest at once

MAX_HOLDERS = 1000
MAX_CREDENTIALS = 1000  # characters
Run = Callable[..., Awaitable[Any]]


class KeyHolders:
    """Who sent which key lately, so that their next request has its turn before the key is checked.

    What is kept decides only who is served next: a request with a key that has ended since is refused as ever.
    """

    def __init__(self) -> None:
        self._senders: OrderedDict[str, Sender] = OrderedDict()

    def sender(self, environ: dict[str, Any]) -> Sender:
        """Whom a request counts against, as far as that is known before its key is checked."""
        return self._senders.get(_credentials(environ)) or NOBODY.sender(environ["REMOTE_ADDR"])

    def note(self, environ: dict[str, Any]) -> None:
        """Remember the holder of the key of a request, once it was checked."""
        caller, credentials = environ.get(CALLER, NOBODY), _credentials(environ)
        if caller.id and 0 < len(credentials) <= MAX_CREDENTIALS:
            self._senders[credentials] = caller.sender(environ["REMOTE_ADDR"])
            self._senders.move_to_end(credentials)
            if len(self._senders) > MAX_HOLDERS:
                self._senders.popitem(last=False)


def _credentials(environ: dict[str, Any]) -> str:
    text: str = environ.get("HTTP_AUTHORIZATION") or environ.get("HTTP_COOKIE") or ""
    return text


class WebThreads:
    """Runs functions for requests: `threads` in each lane (see `Lanes`), and few for long responses."""

    def __init__(self, app: Flask, threads: int, readers: int, loop_calls: LoopCalls) -> None:
        self._lanes = Lanes(threads, readers, computing_paths(app), loop_calls)
        self._long_paths = long_paths(app)
        self._long = CallThreads(LONG_THREADS, loop_calls)
        self._opening = CallThreads(OPENING_THREADS, loop_calls)
        self._running = 0  # calls in the lanes
        self._last_call = 0.0
        self._holders = KeyHolders()
        self._opened_for = 0.0  # seconds that the last call in `_opening` worked

    def lane(self, environ: dict[str, Any], size: int) -> Run:
        """What runs a function for a request with a body of `size` bytes."""
        return partial(self._run, self._lanes.lane(environ, size), environ)

    def answering(self, environ: dict[str, Any], size: int) -> Run:
        """The same for what answers the request, which may begin a long response."""
        if environ["REQUEST_METHOD"] == "GET" and self._long_paths.fullmatch(environ["PATH_INFO"]):
            return partial(self._run_opening, environ)
        return self.lane(environ, size)

    async def next_part(self, next_part: Callable[..., bytes], size: int) -> bytes:
        """The next part of a long response, of at least `size` bytes."""
        part: bytes = await self._long.run(next_part, size, self._rest)
        return part

    async def _run(self, lane: CallThreads, environ: dict[str, Any], call: Callable[..., Any], *arguments: Any) -> Any:
        self._running += 1
        self._last_call = time.monotonic()
        try:
            return await lane.run(call, *arguments, sender=self._holders.sender(environ))
        finally:
            self._running -= 1
            self._holders.note(environ)

    async def _run_opening(self, environ: dict[str, Any], call: Callable[..., Any], *arguments: Any) -> Any:
        """Run what a long response begins with, and what it reads later. Senders are served in turn."""
        try:
            return await self._opening.run(self._open, call, *arguments, sender=self._holders.sender(environ))
        finally:
            self._holders.note(environ)

    def _open(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """In the thread for beginnings, of which hundreds may wait: make room for requests between two of them."""
        self._rest(self._opened_for)
        began = time.monotonic()
        try:
            return call(*arguments)
        finally:
            self._opened_for = time.monotonic() - began

    def _rest(self, worked: float) -> None:
        """In a thread that has worked so many seconds for long responses: make room for requests that run.

        They would wait for the interpreter's lock at each of their statements.
        """
        if self._running and time.monotonic() - self._last_call < BUSY_FOR:
            time.sleep(min(worked, MAX_REST))
