"""The tables within one transaction."""

from __future__ import annotations

from functools import cached_property

from .database.machines import Machines
from .database.session import Session
from .integrity.audit import Audit
from .tables.apps.apps import AppTable
from .tables.apps.webhooks import WebhookTable
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


class Transaction:
    """The tables within one transaction."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @cached_property
    def games(self) -> GameTable:
        return GameTable(self._session, self.ledger, self.persons, self.positions)

    @cached_property
    def ledger(self) -> LedgerTable:
        return LedgerTable(self._session)

    @cached_property
    def audit(self) -> Audit:
        return Audit(self._session)

    @cached_property
    def apps(self) -> AppTable:
        return AppTable(self._session)

    @cached_property
    def boards(self) -> BoardTable:
        return BoardTable(self._session)

    @cached_property
    def changes(self) -> ChangeTable:
        return ChangeTable(self._session, self.ledger)

    @cached_property
    def disputes(self) -> DisputeTable:
        return DisputeTable(self._session, self.games)

    @cached_property
    def event_plans(self) -> EventPlanTable:
        return EventPlanTable(self._session)

    @cached_property
    def event_rules(self) -> EventRulesTable:
        return EventRulesTable(self._session)

    @cached_property
    def inboxes(self) -> InboxTable:
        return InboxTable(self._session)

    @cached_property
    def invitations(self) -> InvitationTable:
        return InvitationTable(self._session)

    @cached_property
    def jobs(self) -> JobTable:
        return JobTable(self._session)

    @cached_property
    def keys(self) -> KeyTable:
        return KeyTable(self._session)

    @cached_property
    def feed(self) -> FeedTable:
        return FeedTable(self._session, self.games)

    @cached_property
    def machines(self) -> Machines:
        return Machines(self._session)

    @cached_property
    def names(self) -> NameTable:
        return NameTable(self._session, self.persons)

    @cached_property
    def persons(self) -> PersonTable:
        return PersonTable(self._session)

    @cached_property
    def photographs(self) -> PhotographTable:
        return PhotographTable(self._session)

    @cached_property
    def positions(self) -> PositionTable:
        return PositionTable(self._session)

    @cached_property
    def receipts(self) -> ReceiptTable:
        return ReceiptTable(self._session)

    @cached_property
    def webhooks(self) -> WebhookTable:
        return WebhookTable(self._session)
