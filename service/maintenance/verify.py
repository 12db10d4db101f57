"""Check everything that is stored: the file, the ledger, changes, every game, and rows that belong to no game.

Memory does not grow with the number of games. What cannot be read is reported, and the rest is checked all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from inkeek.records import RecordsError
from inkeek.service.errors import ServiceError, StorageError
from inkeek.service.games.events.plan import EventPlan, check_plan, plan_of
from inkeek.service.games.events.rules import check_rules
from inkeek.service.games.integrity import chain_faults, derived_faults, game_faults, ledger_faults, lost_game_faults
from inkeek.service.games.library.persons import person_fault
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
        yield from _reports(
            f"the tables of the room {name!r}", partial(_room_faults, store, tables), f"the room {name!r}: "
        )
    if checkpoint is not None:
        yield from _reports("the ledger", lambda: checkpoint_faults(store, checkpoint))
    yield from _reports("the ledger", lambda: _ledger_faults(store))
    yield from _verify_part(store, "the changes", _change_faults, "changes of events and persons: ")
    yield from _verify_games(store)
    yield from _verify_part(store, "events and persons", kept_faults)
    for table in NUMBERED:
        yield from _reports(f"the table {table}", partial(_strays, store, table))


def _reports(what: str, find: Callable[[], Iterable[str]], prefix: str = "") -> list[GameReport]:
    """A report of the first faults that are found, or that `what` cannot be read; none if all is right."""
    found: list[str] = []
    try:
        found += (f"{prefix}{fault}" for fault in islice(find(), MAX_FAULTS))
    except (StorageError, TypeError, ValueError) as error:  # stored bytes can be anything
        found.append(f"{what} cannot be read: {error}")
    return [GameReport(None, tuple(found))] if found else []


def _verify_part(
    store: Store, what: str, find: Callable[[Transaction], Iterable[str]], prefix: str = ""
) -> list[GameReport]:
    """As `_reports`, of what is found in one transaction."""

    def within() -> Iterator[str]:
        with store.reading() as transaction:
            yield from find(transaction)

    return _reports(what, within, prefix)


def _room_faults(store: Store, tables: Any) -> list[str]:
    with store.reading() as transaction:
        return transaction.audit.room_faults(tables)


def _verify_database(store: Store) -> Iterator[GameReport]:
    """Check that the tables are those of the revision, with nothing besides, and that the file is sound, with all that
    it checks itself."""
    yield from _verify_part(store, "the database", lambda transaction: transaction.audit.schema_faults(strict=True))
    yield from _verify_part(
        store,
        "the database",
        lambda transaction: transaction.audit.file_faults(MAX_FAULTS),
        "the file is damaged: ",
    )
    yield from _verify_part(store, "the database", lambda transaction: filter(None, [transaction.ledger.list_fault()]))


def _ledger_faults(store: Store) -> Iterator[str]:
    """Check that every entry of the ledger follows from the one before it, and has the time of its event, or the latest
    one before it. The first may be later: entries of early versions got their times together."""
    head, time = LedgerHead(), ""
    while True:
        with store.reading() as transaction:
            entries = transaction.ledger.entries_after(head.position, ENTRY_BATCH)
            times = transaction.ledger.event_times(head.position, entries[-1].position) if entries else {}
        if not entries:
            return
        for entry in entries:
            if entry.position != head.position + 1:
                yield f"the ledger lacks its entries {head.position + 1} to {entry.position - 1}"
            elif next_entry(head, entry.note) != entry:
                yield f"entry {entry.position} of the ledger, of game {entry.game}, was changed"
            least = max(time, times.get(entry.position, ""))
            is_known = entry.position in times and head.position > 0
            if entry.time < least or (is_known and entry.time != least):
                yield f"entry {entry.position} of the ledger has the time {entry.time}: expected {least}"
            head, time = LedgerHead(entry.position, entry.hash), entry.time


def _change_faults(transaction: Transaction) -> list[str]:
    """Check the changes of events and persons: what they say, their chain, and that the ledger has it."""
    faults, links = transaction.changes.check()
    return faults + (verify_chain(links) or ledger_faults(transaction, CHANGES, links))


def _verify_games(store: Store) -> Iterator[GameReport]:
    """Check the games that have a row, then those that only the ledger has."""
    try:
        for ids in _batches(store):
            yield from _verify_batch(store, ids)
    except StorageError as error:
        yield GameReport(None, (f"the list of games cannot be read: {error}",))
    try:
        lost: set[str] = set()
        position: int | None = 0
        while position is not None:
            with store.reading() as transaction:
                found, position = transaction.audit.lost_games(position, ENTRY_BATCH)
            yield from _verify_batch(store, [game_id for game_id in found if game_id not in lost])
            lost.update(found)
    except StorageError as error:
        yield GameReport(None, (f"the list of games in the ledger cannot be read: {error}",))


def _verify_batch(store: Store, ids: list[str]) -> list[GameReport]:
    try:
        with store.reading() as transaction:
            return [verify_game(transaction, game_id) for game_id in ids]
    except StorageError as error:  # one of them cannot be read: which?
        if len(ids) == 1:
            return [_unreadable_game(ids[0], error)]
        return [report for game_id in ids for report in _verify_batch(store, [game_id])]


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
        return _unreadable_game(game_id, error)


def _strays(store: Store, table: str) -> Iterator[str]:
    after: int | None = -(2**31)
    while after is not None:
        with store.reading() as transaction:
            strays, after = transaction.audit.strays(table, after, NUMBER_BATCH)
        yield from (f"the table {table} has rows of a game {game} that does not exist" for game in strays)


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
    owner = persons.get(row.joined or "")
    if owner is not None and owner.joined is not None:
        yield f"it is joined to {row.joined!r:.80}, which is joined itself"
    if (fault := person_fault(row)) is not None:
        yield fault


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
