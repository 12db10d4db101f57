"""Going through all games of a store: checking them, and working out anew what follows from their events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from service.games.integrity import chain_faults, derived_faults, game_faults
from service.games.state import game_state
from service.storage import GameRow, Store, Transaction

BATCH = 100  # games between two looks at the database: a reader of one state for long keeps SQLite's log from shrinking


@dataclass(frozen=True, slots=True)
class Told:
    """What there is to say of one game. `rebuilt`: it has been worked out anew, because `faults` were found."""

    id: str
    faults: tuple[str, ...] = ()
    rebuilt: bool = False


def count(store: Store) -> int:
    """How many games there are."""
    with store.reading() as transaction:
        return transaction.games.count()


def verify(store: Store) -> Iterator[Told]:
    """Check every game: its chain, its turns by the rules, and everything derived. Writes nothing."""
    for ids in _batches(store):
        with store.reading() as transaction:
            told = [_verified(transaction, game_id) for game_id in ids]
        yield from told
    with store.reading() as transaction:
        lost = transaction.games.ids_without_row()
    for game_id in lost:
        yield Told(game_id, ("there are events, but no game; it can be rebuilt from them",))


def rebuild(store: Store) -> Iterator[Told]:
    """Work out what follows from the events of every game, and store it where something else stands.

    A game whose chain of events is not whole is told and left as it is: its row is what shows that events are missing.
    """
    for ids in _batches(store):
        with store.reading() as transaction:
            told = [_compared(transaction, game_id) for game_id in ids]
        wrong = {one.id for one in told if one.faults}
        if wrong:
            with store.writing() as transaction:
                told = [_rebuilt(transaction, one.id) if one.id in wrong else one for one in told]
        yield from told
    with store.writing() as transaction:  # first: a game that lost its row may get the number that it had
        transaction.games.delete_orphans()
    with store.reading() as transaction:
        lost = transaction.games.ids_without_row()
    for game_id in lost:
        with store.writing() as transaction:
            one = _rebuilt(transaction, game_id)
        yield one


def _batches(store: Store) -> Iterator[list[str]]:
    after = ""
    while True:
        with store.reading() as transaction:
            ids = transaction.games.ids(after, BATCH)
        if not ids:
            return
        yield ids
        after = ids[-1]


def _verified(transaction: Transaction, game_id: str) -> Told:
    try:
        return Told(game_id, tuple(game_faults(transaction, _row(transaction, game_id))))
    except ValueError as error:
        return _unreadable(game_id, error)


def _compared(transaction: Transaction, game_id: str) -> Told:
    try:
        row, events = _row(transaction, game_id), transaction.games.events(game_id)
    except ValueError as error:
        return _unreadable(game_id, error)
    faults = chain_faults(events, row)
    if not faults:
        faults = derived_faults(transaction, game_state(events), row)
    return Told(game_id, tuple(faults))


def _rebuilt(transaction: Transaction, game_id: str) -> Told:
    """The game worked out anew, unless its chain is broken. Looks once more, now that nobody else writes."""
    try:
        row, events = transaction.games.get(game_id, lock=True), transaction.games.events(game_id)
    except ValueError as error:
        return _unreadable(game_id, error)
    faults = chain_faults(events, row)
    if faults:
        return Told(game_id, tuple(faults))
    state = game_state(events)
    faults = ["there are events, but no game"] if row is None else derived_faults(transaction, state, row)
    if faults:
        transaction.games.replace(state.row, state.positions)
        transaction.disputes.replace(game_id, state.disputes)
    return Told(game_id, tuple(faults), rebuilt=bool(faults))


def _unreadable(game_id: str, error: ValueError) -> Told:
    return Told(game_id, (f"what is stored of it cannot be read: {error}",))


def _row(transaction: Transaction, game_id: str) -> GameRow:
    row = transaction.games.get(game_id)
    assert row is not None  # games are never deleted
    return row
