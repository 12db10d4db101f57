"""The desk as a child process, with its settings from the environment: `inkeek.service.processes.entry` runs it."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading

from inkeek.service.errors import ServiceError
from inkeek.service.games.integrity import SLICE
from inkeek.service.http.services import StoredServices
from inkeek.service.processes import child_process, logs
from inkeek.service.processes.logs import Trouble
from inkeek.service.processes.system import set_on_signals
from inkeek.service.processes.workers.calculator import CONTEXT
from inkeek.service.settings import read_settings
from inkeek.service.storage.store import Store

from . import board_process
from .desk import Desk
from .plugged import PluggedPorts

INTERVAL = 0.1  # seconds between extensions of the ledger
RETRY_AFTER = 1.0  # seconds after one that failed

log = logging.getLogger(__name__)


def keep_ledger(store: Store, stop: threading.Event) -> None:
    """Extend the ledger by what is stored, until `stop`."""
    trouble = Trouble(log, "the ledger is not extended")
    while store.ledger_lags and not stop.is_set():
        try:
            store.update_ledger()
            trouble.over()
            stop.wait(INTERVAL)
        except ServiceError as error:
            trouble.note(error)
            stop.wait(RETRY_AFTER)


SWITCH_EVERY = 0.001  # seconds that one board's thread may compute while others wait


def main(_arguments: list[str]) -> None:
    """Run the desk until a signal says stop, or the parent is gone."""
    settings = read_settings(os.environ)
    logs.set_up(settings, "desk")
    sys.setswitchinterval(SWITCH_EVERY)
    services = StoredServices.build(settings, "desk", settings.desk_connections - 1)
    CONTEXT.set_forkserver_preload([board_process.__name__])
    stop = threading.Event()
    set_on_signals(stop, signal.SIGTERM, signal.SIGINT)
    child_process.watch(stop.set)
    ledger = threading.Thread(target=keep_ledger, args=(services.store, stop), name="ledger", daemon=True)
    ledger.start()
    watch = services.watch.keep(stop, SLICE)
    try:
        lock = services.store.desk_lock()
        plugged = PluggedPorts(services.boards, settings.plug_poll)
        tables, boards = services.tables, services.boards
        desk = Desk(
            services.games, boards, settings, tables=tables, lock=lock, plugged=plugged, apart=board_process.own_process
        )
        desk.run(stop)
    finally:
        ledger.join()
        watch.join()
        services.store.close()
