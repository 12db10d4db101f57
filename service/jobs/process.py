"""The process of jobs and backups. `inkeek.service.processes.entry` runs it; the supervisor restarts it.

It has the priority of the others: it writes to the database, and who holds its lock must not wait for those who wait
for the lock. Only the workers of its executor give way.
"""

from __future__ import annotations

import logging
import os
import signal
import threading

from inkeek.records.kernel.loader import kernel_module, mode_of
from inkeek.service.errors import ServiceError, StorageError
from inkeek.service.games.repository import Games
from inkeek.service.maintenance.backups import Backups
from inkeek.service.processes import child_process, logs
from inkeek.service.processes.heartbeats import beat
from inkeek.service.processes.metrics import Metrics
from inkeek.service.processes.system import set_on_signals
from inkeek.service.settings import Settings, read_settings
from inkeek.service.storage.store import Store

from .executors import open_executor
from .runner import LOOK_EVERY, Runner

BACKUPS_EVERY = 5.0  # seconds between looks whether a backup is due, and whether its stick is there
DASK_SLOTS = 16  # searches that a Dask cluster has at once

log = logging.getLogger(__name__)


def run(settings: Settings, stop: threading.Event) -> None:
    """Work on jobs and make backups, until `stop`."""
    connections = settings.jobs_connections
    store = Store(settings.database_url, settings.lock_timeout, connections=connections, meter=Metrics("jobs"))
    # A stick may hang for minutes: nobody waits for this thread.
    threading.Thread(target=keep_backups, args=(Backups(store, settings.backup_folder), stop), daemon=True).start()
    if not settings.job_workers:
        stop.wait()
        store.close()
        return
    games = Games.of(store, settings)
    slots = DASK_SLOTS if settings.dask else settings.job_workers + 1  # one waits, so that no worker does
    runner = Runner(store, games, lambda: open_executor(settings.job_workers, settings.dask), slots)
    trouble = logs.Trouble(log, "no games are analyzed")
    try:
        while not stop.is_set():
            beat("jobs")
            try:
                is_busy = runner.step()
                trouble.over()
            except StorageError as error:
                trouble.note(error)
                is_busy = False
            if not is_busy:
                stop.wait(LOOK_EVERY)
    finally:
        stop.set()  # also after an error: the supervisor starts this process again once all of it has ended
        try:
            runner.close()
        finally:
            store.close()


def keep_backups(backups: Backups, stop: threading.Event) -> None:
    """Make a backup whenever one is due, until `stop`."""
    trouble = logs.Trouble(log, "no backups are made")
    while not stop.wait(BACKUPS_EVERY):
        try:
            backups.look()
            trouble.over()
        except (ServiceError, OSError) as error:
            trouble.note(error)


def main(_arguments: list[str]) -> None:
    """Work until a signal says stop, or the parent is gone."""
    settings = read_settings(os.environ)
    logs.set_up(settings, "jobs")
    stop = threading.Event()
    set_on_signals(stop, signal.SIGTERM, signal.SIGINT)
    child_process.watch(stop.set)
    if mode_of(kernel_module()) == "interpreted":
        log.warning(
            "the kernel is not compiled, so analyses are many times slower: install a C compiler and Python's headers, "
            "then install Inkeek again"
        )
    run(settings, stop)
