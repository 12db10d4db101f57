"""Go through all games of a store: check them, or derive again what follows from their events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from service.games.integrity import chain_faults, derived_faults, game_faults
from service.games.state import game_state
from service.storage import Store, Transaction

BATCH = 100  # games a transaction: a long one would keep SQLite's log from shrinking


@dataclass(frozen=True, slots=True)
class GameReport:
    """The faults of one game; `rebuilt` if what follows from its events was stored again because of them."""

    id: str
    faults: tuple[str, ...] = ()
    rebuilt: bool = False


def count(store: Store) -> int:
    """How many games there are."""
    with store.reading() as transaction:
        return transaction.games.count()


def verify(store: Store) -> Iterator[GameReport]:
    """Check every game: its chain, its turns by the rules, and everything derived. Writes nothing."""
    for ids in _batches(store):
        with store.reading() as transaction:
            reports = [_verify(transaction, game_id) for game_id in ids]
        yield from reports
    with store.reading() as transaction:
        lost = transaction.games.ids_without_row()
    for game_id in lost:
        yield GameReport(game_id, ("there are events, but no game; it can be rebuilt from them",))


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
                    _rebuild(transaction, report.id, write=True) if report.faults else report for report in reports
                ]
        yield from reports
    with store.writing() as transaction:  # before: a game without a row may get its number again
        transaction.games.delete_orphans()
    with store.reading() as transaction:
        lost = transaction.games.ids_without_row()
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


def _verify(transaction: Transaction, game_id: str) -> GameReport:
    try:
        row = transaction.games.get(game_id)
        assert row is not None  # games are never deleted
        return GameReport(game_id, tuple(game_faults(transaction, row)))
    except ValueError as error:
        return _unreadable(game_id, error)


def _rebuild(transaction: Transaction, game_id: str, *, write: bool) -> GameReport:
    """Compare what is stored with what the events say, and store that with `write`, unless the chain is broken."""
    try:
        row, events = transaction.games.get(game_id, lock=write), transaction.games.events(game_id)
    except ValueError as error:
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


def _unreadable(game_id: str, error: ValueError) -> GameReport:
    return GameReport(game_id, (f"the stored game cannot be read: {error}",))
