"""Looks at the database now and then, so that damage shows before somebody needs what is damaged."""

from __future__ import annotations

import threading
from typing import Protocol

INTERVAL = 2.0  # seconds between looks
SLICE = 0.02  # seconds of a look in which games are checked


class Watch(Protocol):
    """`service.games.watch.DatabaseWatch`."""

    def look(self, seconds: float) -> str | None: ...


def keep_watch(watch: Watch, stop: threading.Event, seconds: float) -> threading.Thread:
    """Start a thread that looks until `stop`, and checks games for so many seconds each time."""

    def run() -> None:
        while not stop.wait(INTERVAL):
            watch.look(seconds)

    thread = threading.Thread(target=run, name="watch", daemon=True)
    thread.start()
    return thread
