"""Whether a stored game is whole: the chain of its events, and all that follows from them."""

from __future__ import annotations

from collections.abc import Sequence

from records import RecordsError
from service.errors import ServiceError
from service.storage import GameEvent, GameRow, Transaction, search_keys, verify_chain

from .state import RESULTS, GameState, game_state
from .validation import check_record

WINNERS = {result: winner for winner, result in RESULTS.items()}


def game_faults(transaction: Transaction, row: GameRow) -> list[str]:
    """List the faults of a stored game."""
    events = transaction.games.events(row.id)
    faults = chain_faults(events, row)
    if faults:
        return faults
    state = game_state(events)
    return [*derived_faults(transaction, state, row), *replay_faults(state)]


def chain_faults(events: Sequence[GameEvent], row: GameRow | None = None) -> list[str]:
    """List the faults of the events themselves; `row` says which must be the last."""
    try:
        faults = verify_chain(events, None if row is None else (row.seq, row.hash))
        if not faults:
            game_state(events).record  # noqa: B018 - reading the record is the check of the events' data
        return faults
    except ServiceError as error:
        return [error.message]
    except (LookupError, TypeError, ValueError, AttributeError) as error:  # the data can be anything
        return [f"the events are not those of a game: {error!r}"]


def derived_faults(transaction: Transaction, state: GameState, row: GameRow) -> list[str]:
    """List what of the stored row, search keys and disputes does not follow from the events."""
    faults = []
    if state.row != row:
        faults.append("the stored game differs from its events; it can be rebuilt from them")
    if search_keys(state.row, state.positions) != transaction.games.search_keys(row.id):
        faults.append("the stored search keys differ from the events; they can be rebuilt from them")
    if state.disputes != transaction.disputes.of_game(row.id):
        faults.append("the stored disputes differ from the events; they can be rebuilt from them")
    return faults


def record_faults(state: GameState) -> list[str]:
    """List why an import would refuse the record, or where it differs from the events."""
    faults = replay_faults(state)
    if faults:
        return faults
    row = state.row
    if row.winner != WINNERS.get(row.result):
        return [f"the winner is {row.winner}, but the result {row.result}"]
    try:
        check_record(state.record)
    except (ServiceError, RecordsError) as error:
        return [str(error)]
    return []


def replay_faults(state: GameState) -> list[str]:
    """List where the record, played by the rules, reaches other positions than the events say."""
    replay = state.record.replay()
    if replay.error is not None:
        return [f"the rules refuse a stored turn: {replay.error}"]
    played = [str(position) for position in replay.positions]
    for ply, (reached, stored) in enumerate(zip(played, state.positions, strict=False)):
        if reached != stored:
            return [f"turn {ply} leads to {reached}, but the events say {stored}"]
    if len(played) != len(state.positions):
        return [f"the record has {len(played) - 1} turns, but the events have {len(state.positions) - 1}"]
    return []
