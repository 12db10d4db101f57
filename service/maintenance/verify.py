"""Check everything that is stored: the file, the ledger, changes, every game, and rows that belong to no game.

Memory does not grow with the number of games. What cannot be read is reported, and the rest is checked all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from inkeek.records import RecordsError
from inkeek.service.errors import ServiceError, StorageError
from inkeek.service.games.events.plan import EventPlan, check_plan, plan_of
from inkeek.service.games.events.rules import check_rules
from inkeek.service.games.integrity import chain_faults, derived_faults, game_faults, ledger_faults, lost_game_faults
from inkeek.service.games.rulesets import row_faults
from inkeek.service.games.state import game_state
from inkeek.service.storage import LedgerHead, PersonRow, next_entry, verify_chain
from inkeek.service.storage.integrity.audit import NUMBERED
from inkeek.service.storage.search import name_key
from inkeek.service.storage.store import Store
from inkeek.service.storage.tables.ledger import CHANGES
from inkeek.service.storage.transaction import Transaction

from .checkpoint import Checkpoint, checkpoint_faults

BATCH = 100  # games a transaction: a long one would keep SQLite's log from shrinking
ENTRY_BATCH = 5000  # of the ledger a transaction
NUMBER_BATCH = 10_000  # numbers of games that are compared at once
MAX_FAULTS = 20  # reported of the ledger, and of the file


@dataclass(frozen=True, slots=True)
class GameReport:
    """The faults of one game, or with the id None of what belongs to no single one.

    `rebuilt` if what follows from its events was stored again because of them.
    """

    id: str | None
    faults: tuple[str, ...] = ()
    rebuilt: bool = False


def count(store: Store) -> int:
    """How many games there are."""
    with store.reading() as transaction:
        return transaction.games.count()


def verify(
    store: Store, checkpoint: Checkpoint | None = None, rooms: Mapping[str, Any] | None = None
) -> Iterator[GameReport]:
    """Check every game: its chain, its turns by the rules, everything derived, and that the ledger has its events; and
    the changes of events and persons; that the tables (`MetaData`) of `rooms`, by their names, are as they declare
    them.

    The ledger must begin as it was at the `checkpoint`. Yields a report of each game, and of each other part that has
    faults. Writes nothing.
    """
    yield from _verify_database(store)
    for name, tables in (rooms or {}).items():
        yield from _verify_room(store, name, tables)
    if checkpoint is not None:
        yield from _compare(store, checkpoint)
    yield from _verify_ledger(store)
    yield from _verify_changes(store)
    yield from _verify_games(store)
    yield from _verify_kept(store)
    yield from _find_strays(store)


def _verify_database(store: Store) -> Iterator[GameReport]:
    """Check that the tables are those of the revision, with nothing besides, and that the file is sound, with all that
    it checks itself."""
    try:
        with store.reading() as transaction:
            faults = transaction.audit.schema_faults(strict=True)
        yield from _reports(faults[:MAX_FAULTS])
        with store.reading() as transaction:
            faults = transaction.audit.file_faults(MAX_FAULTS)
        yield from _reports([f"the file is damaged: {fault}" for fault in faults])
        with store.reading() as transaction:
            fault = transaction.ledger.list_fault()
        yield from _reports([] if fault is None else [fault])
    except StorageError as error:
        yield _unreadable("the database", error)


def _verify_room(store: Store, name: str, tables: Any) -> Iterator[GameReport]:
    try:
        with store.reading() as transaction:
            faults = transaction.audit.room_faults(tables)
        yield from _reports([f"the room {name!r}: {fault}" for fault in faults[:MAX_FAULTS]])
    except StorageError as error:
        yield _unreadable(f"the tables of the room {name!r}", error)


def _reports(faults: list[str]) -> list[GameReport]:
    return [GameReport(None, tuple(faults))] if faults else []


def _unreadable(what: str, error: Exception) -> GameReport:
    return GameReport(None, (f"{what} cannot be read: {error}",))


def _compare(store: Store, checkpoint: Checkpoint) -> Iterator[GameReport]:
    try:
        yield from _reports(checkpoint_faults(store, checkpoint))
    except StorageError as error:
        yield _unreadable("the ledger", error)


def _verify_ledger(store: Store) -> Iterator[GameReport]:
    """Check that every entry of the ledger follows from the one before it, and has the time of its event, or the latest
    one before it. The first may be later: entries of early versions got their times together."""
    faults: list[str] = []
    head, time = LedgerHead(), ""
    try:
        while len(faults) < MAX_FAULTS:
            with store.reading() as transaction:
                entries = transaction.ledger.entries_after(head.position, ENTRY_BATCH)
                times = transaction.ledger.event_times(head.position, entries[-1].position) if entries else {}
            if not entries:
                break
            for entry in entries:
                if entry.position != head.position + 1:
                    faults.append(f"the ledger lacks its entries {head.position + 1} to {entry.position - 1}")
                elif next_entry(head, entry.note) != entry:
                    faults.append(f"entry {entry.position} of the ledger, of game {entry.game}, was changed")
                least = max(time, times.get(entry.position, ""))
                is_known = entry.position in times and head.position > 0
                if entry.time < least or (is_known and entry.time != least):
                    faults.append(f"entry {entry.position} of the ledger has the time {entry.time}: expected {least}")
                head, time = LedgerHead(entry.position, entry.hash), entry.time
    except StorageError as error:
        faults.append(f"the ledger cannot be read after entry {head.position}: {error}")
    yield from _reports(faults[:MAX_FAULTS])


def _verify_changes(store: Store) -> Iterator[GameReport]:
    """Check the changes of events and persons: what they say, their chain, and that the ledger has it."""
    try:
        with store.reading() as transaction:
            faults, links = transaction.changes.check()
            faults += verify_chain(links) or ledger_faults(transaction, CHANGES, links)
        yield from _reports([f"changes of events and persons: {fault}" for fault in faults[:MAX_FAULTS]])
    except (StorageError, TypeError, ValueError) as error:  # stored bytes can be anything
        yield _unreadable("the changes of events and persons", error)


def _verify_games(store: Store) -> Iterator[GameReport]:
    """Check the games that have a row, then those that only the ledger has."""
    try:
        after = ""
        while True:
            with store.reading() as transaction:
                ids = transaction.games.ids(after, BATCH)
            if not ids:
                break
            yield from _verify_batch(store, ids)
            after = ids[-1]
    except StorageError as error:
        yield _unreadable(f"the list of games, after {after!r},", error)
    try:
        lost: set[str] = set()
        position: int | None = 0
        while position is not None:
            with store.reading() as transaction:
                found, position = transaction.audit.lost_games(position, ENTRY_BATCH)
            yield from _verify_batch(store, [game_id for game_id in found if game_id not in lost])
            lost.update(found)
    except StorageError as error:
        yield _unreadable(f"the list of games in the ledger, after entry {position},", error)


def _verify_batch(store: Store, ids: list[str]) -> list[GameReport]:
    try:
        with store.reading() as transaction:
            return [verify_game(transaction, game_id) for game_id in ids]
    except StorageError:  # one of them cannot be read: which?
        return [_verify_alone(store, game_id) for game_id in ids]


def _verify_alone(store: Store, game_id: str) -> GameReport:
    try:
        with store.reading() as transaction:
            return verify_game(transaction, game_id)
    except StorageError as error:
        return GameReport(game_id, (f"the stored game cannot be read: {error}",))


def verify_game(transaction: Transaction, game_id: str) -> GameReport:
    """Check one game.

    :raises StorageError: the database cannot read it.
    """
    try:
        row = transaction.games.get(game_id)
        if row is None:
            return GameReport(game_id, tuple(lost_game_faults(transaction, game_id)))
        return GameReport(game_id, tuple(game_faults(transaction, row)))
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:  # stored bytes can be anything
        return GameReport(game_id, (f"the stored game cannot be read: {error}",))


def _verify_kept(store: Store) -> Iterator[GameReport]:
    """Check plans and rules of events, and persons."""
    try:
        with store.reading() as transaction:
            yield from _reports(list(islice(kept_faults(transaction), MAX_FAULTS)))
    except StorageError as error:
        yield _unreadable("events and persons", error)


def _find_strays(store: Store) -> Iterator[GameReport]:
    """Find rows that belong to a game which does not exist."""
    for table in NUMBERED:
        yield from _reports(_table_faults(table, _stray_numbers(store, table)))


def _table_faults(table: str, strays: Iterator[int]) -> list[str]:
    """The faults of a table: a few of the strays, or that it cannot be read."""
    faults: list[str] = []
    try:
        for game in islice(strays, MAX_FAULTS):
            faults.append(f"the table {table} has rows of a game {game} that does not exist")
    except StorageError as error:
        faults.append(f"the table {table} cannot be read: {error}")
    return faults


def _stray_numbers(store: Store, table: str) -> Iterator[int]:
    after: int | None = -(2**31)
    while after is not None:
        with store.reading() as transaction:
            strays, after = transaction.audit.strays(table, after, NUMBER_BATCH)
        yield from strays


READING = (ServiceError, RecordsError, LookupError, TypeError, ValueError, AttributeError, OverflowError)


def kept_faults(transaction: Transaction) -> Iterator[str]:
    """Where plans and rules of events, local rule sets, and persons are not what the service stores."""
    for event in transaction.event_plans.newest(None):
        try:
            row = transaction.event_plans.get(event)
            assert row is not None
            plan = plan_of(row)
            check_plan(plan)
            faults = list(_plan_faults(transaction, plan))
            if event != name_key(row.name) or row.name != plan.name:
                faults.append(f"it is stored as {row.name[:80]!r}, but named {plan.name[:80]!r}")
        except READING as error:
            faults = [str(error)]
        yield from (f"the plan of the event {event[:80]!r}: {fault}" for fault in faults)
    for event in transaction.event_rules.events():
        try:
            rules = transaction.event_rules.get(event)
            assert rules is not None
            check_rules(rules)
        except READING as error:
            yield f"the rules of the event {event[:80]!r}: {error}"
    yield from row_faults(transaction)
    persons = {person.key: person for person in transaction.persons.all()}
    for person in persons.values():
        yield from (f"the person {person.key[:80]!r}: {fault}" for fault in _person_faults(person, persons))


def _plan_faults(transaction: Transaction, plan: EventPlan) -> Iterator[str]:
    players = [player.id for player in plan.players]
    if len(set(players)) < len(players):
        yield "two of its players have one number"
    for number, one in enumerate(plan.rounds, 1):
        if one.number != number:
            yield f"round {number} has the number {one.number}"
        seated = [id for pairing in one.pairings for id in pairing.players]
        if len(set(seated)) < len(seated) or not set(seated) <= set(players):
            yield f"round {number} pairs somebody twice, or somebody who is no player"
        for pairing in one.pairings:
            if pairing.game is not None and transaction.games.get(pairing.game) is None:
                yield f"round {number}, table {pairing.table}: there is no game {pairing.game[:32]!r}"


def _person_faults(row: PersonRow, persons: dict[str, PersonRow]) -> Iterator[str]:
    if row.key != name_key(row.key):
        yield "its key is none of a name"
    if row.name is not None and not row.name.strip():
        yield f"it is written as {row.name!r:.80}"
    if row.joined is not None:
        owner = persons.get(row.joined)
        if row.joined == row.key or (owner is not None and owner.joined is not None):
            yield f"it is joined to {row.joined!r:.80}, which is joined itself"


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
        return _unreadable_game(game_id, error)
    faults = chain_faults(events, row)
    if faults:
        return GameReport(game_id, tuple(faults))
    state = game_state(events)
    faults = ["there are events, but no game"] if row is None else derived_faults(transaction, state, row)
    if faults and write:
        transaction.games.replace(state.row, state.positions)
        transaction.disputes.replace(game_id, state.disputes)
    return GameReport(game_id, tuple(faults), rebuilt=bool(faults) and write)


def _unreadable_game(game_id: str, error: Exception) -> GameReport:
    return GameReport(game_id, (f"the stored game cannot be read: {error}",))
