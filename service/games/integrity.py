"""Whether what is stored of a game is whole: the chain of its events, and all that follows from them."""

from __future__ import annotations

from collections.abc import Sequence

from service.errors import ServiceError
from service.storage import GameEvent, GameRow, Transaction, search_keys, verify_chain

from .state import GameState, game_state


def game_faults(transaction: Transaction, row: GameRow) -> list[str]:
    """What is wrong with a stored game, one sentence a fault; empty when nothing is."""
    events = transaction.games.events(row.id)
    faults = chain_faults(events, row)
    if faults:
        return faults
    state = game_state(events)
    return [*derived_faults(transaction, state, row), *replay_faults(state)]


def chain_faults(events: Sequence[GameEvent], row: GameRow | None = None) -> list[str]:
    """What is wrong with the events themselves; `row` tells where they must end."""
    try:
        faults = verify_chain(events, None if row is None else (row.seq, row.hash))
        if not faults:
            game_state(events)
    except ServiceError as error:
        return [error.message]
    except (
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
    ) as error:  # they are whatever stands in a database or file
        return [f"the events tell no game: {error!r}"]
    return faults


def derived_faults(transaction: Transaction, state: GameState, row: GameRow) -> list[str]:
    """What of the stored row, of what the game is found by, and of its disputes does not follow from its events."""
    faults = []
    if state.row != row:
        faults.append("the stored game differs from what its events say; it can be rebuilt from them")
    if search_keys(state.row, state.positions) != transaction.games.search_keys(row.id):
        faults.append("what the game is found by differs from what its events say; it can be rebuilt from them")
    if state.disputes != transaction.disputes.of_game(row.id):
        faults.append("the stored disputes differ from what the events say; they can be rebuilt from them")
    return faults


def replay_faults(state: GameState) -> list[str]:
    """Where the record, played by the rules, does not come to the positions that the events tell."""
    replay = state.record.replay()
    if replay.error is not None:
        return [f"the rules refuse a stored turn: {replay.error}"]
    played = [str(position) for position in replay.positions]
    for ply, (is_, told) in enumerate(zip(played, state.positions, strict=False)):
        if is_ != told:
            return [f"turn {ply} leads to {is_}, the events say {told}"]
    if len(played) != len(state.positions):
        return [f"the record has {len(played) - 1} turns, the events {len(state.positions) - 1}"]
    return []
