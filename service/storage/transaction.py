"""The tables within one transaction."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TypeVar

from sqlalchemy import Connection

from .database.machines import Machines
from .integrity.audit import Audit
from .tables.boards import BoardTable
from .tables.changes import ChangeTable
from .tables.disputes import DisputeTable, PhotographTable
from .tables.event_plans import EventPlanTable, EventRulesTable
from .tables.feed import FeedTable
from .tables.games import GameTable
from .tables.jobs import JobTable
from .tables.keys import KeyTable
from .tables.ledger import LedgerTable
from .tables.names import NameTable
from .tables.persons import PersonTable
from .tables.positions import PositionTable
from .tables.receipts import ReceiptTable
from .tables.rulesets import RulesetTable

T = TypeVar("T")


def _table(kind: Callable[[Connection], T]) -> cached_property[T]:
    return cached_property(lambda transaction: kind(transaction._session))


class Transaction:
    """The tables within one transaction."""

    ledger = _table(LedgerTable)
    audit = _table(Audit)
    boards = _table(BoardTable)
    event_plans = _table(EventPlanTable)
    event_rules = _table(EventRulesTable)
    jobs = _table(JobTable)
    keys = _table(KeyTable)
    machines = _table(Machines)
    persons = _table(PersonTable)
    photographs = _table(PhotographTable)
    positions = _table(PositionTable)
    receipts = _table(ReceiptTable)
    rulesets = _table(RulesetTable)

    def __init__(self, session: Connection) -> None:
        self._session = session

    def table(self, kind: Callable[[Connection], T]) -> T:
        """A table of a room, within this transaction."""
        return kind(self._session)

    @cached_property
    def games(self) -> GameTable:
        return GameTable(self._session, self.ledger, self.persons, self.positions)

    @cached_property
    def changes(self) -> ChangeTable:
        return ChangeTable(self._session, self.ledger)

    @cached_property
    def disputes(self) -> DisputeTable:
        return DisputeTable(self._session, self.games)

    @cached_property
    def feed(self) -> FeedTable:
        return FeedTable(self._session, self.games)

    @cached_property
    def names(self) -> NameTable:
        return NameTable(self._session, self.persons)
