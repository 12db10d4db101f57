"""Go through all games of a store, and derive again what follows from their events."""

from __future__ import annotations

from collections.abc import Iterator

from inkeek.service.errors import StorageError
from inkeek.service.games.integrity import chain_faults, derived_faults
from inkeek.service.games.state import game_state
from inkeek.service.storage import Store, Transaction

from .verify import BATCH, GameReport


def rebuild(store: Store) -> Iterator[GameReport]:
    """Derive what follows from the events of every game, and store it where something else is stored.

    A game whose chain of events is broken is reported and left as it is: its row shows which events are missing.
    """
    for ids in _batches(store):
        with store.reading() as transaction:
            reports = [_rebuild(transaction, game_id, write=False) for game_id in ids]
        if any(report.faults for report in reports):
            with store.writing() as transaction:
                reports = [
                    _rebuild(transaction, game_id, write=True) if report.faults else report
                    for game_id, report in zip(ids, reports, strict=True)
                ]
        yield from reports
    with store.writing() as transaction:  # before: a game without a row may get its number again
        transaction.audit.delete_orphans()
        if transaction.ledger.list_fault() is not None:
            transaction.ledger.list_again()
    with store.reading() as transaction:
        lost = transaction.audit.ids_without_row()
    for game_id in lost:
        with store.writing() as transaction:
            report = _rebuild(transaction, game_id, write=True)
        yield report


def _batches(store: Store) -> Iterator[list[str]]:
    after = ""
    while True:
        with store.reading() as transaction:
            ids = transaction.games.ids(after, BATCH)
        if not ids:
            return
        yield ids
        after = ids[-1]


def _rebuild(transaction: Transaction, game_id: str, *, write: bool) -> GameReport:
    """Compare what is stored with what the events say, and store that with `write`, unless the chain is broken."""
    try:
        row, events = transaction.games.get(game_id, lock=write), transaction.games.events(game_id)
    except (StorageError, ValueError) as error:
        return _unreadable(game_id, error)
    faults = chain_faults(events, row)
    if faults:
        return GameReport(game_id, tuple(faults))
    state = game_state(events)
    faults = ["there are events, but no game"] if row is None else derived_faults(transaction, state, row)
    if faults and write:
        transaction.games.replace(state.row, state.positions)
        transaction.disputes.replace(game_id, state.disputes)
    return GameReport(game_id, tuple(faults), rebuilt=bool(faults) and write)


def _unreadable(game_id: str, error: Exception) -> GameReport:
    return GameReport(game_id, (f"the stored game cannot be read: {error}",))
