"""The positions that games are found by: stored before somebody searches, not with each turn."""

from __future__ import annotations

import logging
from contextlib import suppress

from service.errors import ServiceError
from service.games.state import GameState, game_state
from service.storage import GameFilter, Store, Transaction

BATCH = 20  # games a transaction: who plays waits for each
POSITIONS = 1_500  # positions a transaction, unless one game has more

log = logging.getLogger(__name__)


def update_for(store: Store, where: GameFilter) -> None:
    """Bring up to date what a search reads that no turn writes."""
    if where.updated_since is not None:
        store.update_ledger()
    if where.position is not None:
        update_positions(store)


def update_positions(store: Store, *, begun: bool = False, until: int | None = None) -> int:
    """Store the positions of all games in which turns were played or taken back until now, or of those with numbers up
    to `until`; if `begun`, only of those of which some are stored: an import is about to store the others. If that
    fails, a search does not find the latest ones.

    Returns the greatest number of such a game at the start."""
    newest = 0
    try:
        with store.reading() as transaction:
            newest = transaction.positions.last_stale()
        last = newest if until is None else min(until, newest)
        done = 0  # each game is dealt with once, however fast others are marked
        while done < last and (states := _stale_states(store, done, begun=begun)):
            with store.writing() as transaction:
                taken = transaction.positions.take_stale(done, len(states), begun=begun)
                heads = transaction.games.heads([game_id for game_id, _, _ in taken])
                for game_id, number, ply in taken:
                    state = states.get(game_id)
                    if state is None or state.row.seq != heads[game_id]:  # a turn was played just now
                        state = _state(transaction, game_id)
                    if state is not None:
                        transaction.positions.replace(number, state.row.game, state.positions, ply)
            done = taken[-1][1] if taken else last
    except ServiceError as error:  # also a conflict with another search
        log.warning("a search by position does not find the latest turns: %s", error)
    return newest


def _stale_states(store: Store, above: int, *, begun: bool) -> dict[str, GameState | None]:
    """The states of some games with numbers above that one whose positions have changed, by id: worked out while
    others write."""
    states: dict[str, GameState | None] = {}
    left = POSITIONS
    with store.reading() as transaction:
        for game_id, _, ply in transaction.positions.stale(above, BATCH, begun=begun):
            state = _state(transaction, game_id)
            left -= 0 if state is None else len(state.positions) - ply
            if states and left < 0:
                break
            states[game_id] = state
    return states


def _state(transaction: Transaction, game_id: str) -> GameState | None:
    """The state of a game; None if its events are damaged."""
    with suppress(ServiceError, LookupError, TypeError, ValueError, AttributeError):
        return game_state(transaction.games.events(game_id))
    return None
