"""The tables within one transaction."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .database.machines import Machines
    from .database.session import Session
    from .integrity.audit import Audit
    from .tables.boards import BoardTable
    from .tables.changes import ChangeTable
    from .tables.disputes import DisputeTable, PhotographTable
    from .tables.event_plans import EventPlanTable, EventRulesTable
    from .tables.feed import FeedTable
    from .tables.games import GameTable
    from .tables.inboxes import InboxTable
    from .tables.invitations import InvitationTable
    from .tables.jobs import JobTable
    from .tables.keys import KeyTable
    from .tables.ledger import LedgerTable
    from .tables.names import NameTable
    from .tables.persons import PersonTable
    from .tables.positions import PositionTable
    from .tables.receipts import ReceiptTable


def _table(module: str, kind: str) -> cached_property[Any]:
    """A table whose module is imported on first use."""
    return cached_property(lambda transaction: getattr(import_module(module, __package__), kind)(transaction._session))


class Transaction:
    """The tables within one transaction."""

    ledger: cached_property[LedgerTable] = _table(".tables.ledger", "LedgerTable")
    audit: cached_property[Audit] = _table(".integrity.audit", "Audit")
    boards: cached_property[BoardTable] = _table(".tables.boards", "BoardTable")
    event_plans: cached_property[EventPlanTable] = _table(".tables.event_plans", "EventPlanTable")
    event_rules: cached_property[EventRulesTable] = _table(".tables.event_plans", "EventRulesTable")
    inboxes: cached_property[InboxTable] = _table(".tables.inboxes", "InboxTable")
    invitations: cached_property[InvitationTable] = _table(".tables.invitations", "InvitationTable")
    jobs: cached_property[JobTable] = _table(".tables.jobs", "JobTable")
    keys: cached_property[KeyTable] = _table(".tables.keys", "KeyTable")
    machines: cached_property[Machines] = _table(".database.machines", "Machines")
    persons: cached_property[PersonTable] = _table(".tables.persons", "PersonTable")
    photographs: cached_property[PhotographTable] = _table(".tables.disputes", "PhotographTable")
    positions: cached_property[PositionTable] = _table(".tables.positions", "PositionTable")
    receipts: cached_property[ReceiptTable] = _table(".tables.receipts", "ReceiptTable")

    def __init__(self, session: Session) -> None:
        self._session = session

    @cached_property
    def games(self) -> GameTable:
        from .tables.games import GameTable

        return GameTable(self._session, self.ledger, self.persons, self.positions)

    @cached_property
    def changes(self) -> ChangeTable:
        from .tables.changes import ChangeTable

        return ChangeTable(self._session, self.ledger)

    @cached_property
    def disputes(self) -> DisputeTable:
        from .tables.disputes import DisputeTable

        return DisputeTable(self._session, self.games)

    @cached_property
    def feed(self) -> FeedTable:
        from .tables.feed import FeedTable

        return FeedTable(self._session, self.games)

    @cached_property
    def names(self) -> NameTable:
        from .tables.names import NameTable

        return NameTable(self._session, self.persons)
