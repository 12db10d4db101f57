"""The check of what is kept besides games, and follows from no events: plans and rules of events, local rule
sets, and persons.

What is stored must be what the service would take. A changed letter of a name does not show here.
"""

from __future__ import annotations

from collections.abc import Iterator

from inkeek.records import RecordsError
from inkeek.service.errors import ServiceError
from inkeek.service.games.events.plan import EventPlan, check_plan, plan_of
from inkeek.service.games.events.rules import check_rules
from inkeek.service.games.rulesets import row_faults
from inkeek.service.storage import PersonRow, Transaction
from inkeek.service.storage.search import name_key

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
