"""The positions that games are found by: stored before somebody searches, not with each turn."""

from __future__ import annotations

import logging
from contextlib import suppress

from service.errors import ServiceError, StorageError
from service.games.state import game_state
from service.storage import Store

BATCH = 20  # games a transaction: who plays waits for each

log = logging.getLogger(__name__)


def update_positions(store: Store) -> None:
    """Store the positions of all games in which turns were played or taken back since. If that fails, a search does not
    find the latest ones."""
    try:
        while _has_stale(store):
            with store.writing() as transaction:
                for game_id, number, ply in transaction.positions.take_stale(BATCH):
                    with suppress(ServiceError, LookupError, TypeError, ValueError, AttributeError):  # it is damaged
                        state = game_state(transaction.games.events(game_id))
                        transaction.positions.replace(number, state.row.game, state.positions, ply)
    except StorageError as error:
        log.warning("a search by position does not find the latest turns: %s", error)


def _has_stale(store: Store) -> bool:
    with store.reading() as transaction:
        return transaction.positions.has_stale()
