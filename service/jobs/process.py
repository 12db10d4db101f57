"""The process that works on jobs. ``python -m service.jobs.process`` runs it; the supervisor starts it again."""

from __future__ import annotations

import os
import signal
import threading

from service.games.repository import Games
from service.processes import child_process, logs
from service.settings import Settings, read_settings
from service.storage import Store

from .executors import NICE, open_executor
from .runner import LOOK_EVERY, Runner

DASK_SLOTS = 16  # searches that a Dask cluster has at once


def run(settings: Settings, stop: threading.Event) -> None:
    """Work on jobs until `stop`."""
    store = Store(settings.database_url, settings.lock_timeout)
    games = Games(store, max_plies=settings.max_plies)
    slots = DASK_SLOTS if settings.dask else settings.job_workers + 1  # one waits, so that no worker does
    runner = Runner(store, games, lambda: open_executor(settings.job_workers, settings.dask), slots)
    try:
        while not stop.is_set():
            if not runner.step():
                stop.wait(LOOK_EVERY)
    finally:
        runner.close()
        store.close()


def main() -> None:
    """Work until a signal says stop, or the parent is gone."""
    settings = read_settings(os.environ)
    logs.set_up(settings, "jobs")
    os.nice(NICE)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    child_process.watch(stop.set)
    run(settings, stop)


if __name__ == "__main__":
    main()
