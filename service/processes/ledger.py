"""Keeps the ledger up to date, where that is not the business of those who store events."""

from __future__ import annotations

import logging
import threading

from inkeek.service.errors import ServiceError
from inkeek.service.storage import Store

from .logs import Trouble

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
