"""The tables within one transaction."""

from __future__ import annotations

from functools import cached_property

from .audit import Audit
from .board_table import BoardTable
from .dispute_table import DisputeTable
from .event_rules_table import EventRulesTable
from .feed_table import FeedTable
from .game_table import GameTable
from .inbox_table import InboxTable
from .job_table import JobTable
from .key_table import KeyTable
from .ledger_table import LedgerTable
from .name_table import NameTable
from .photograph_table import PhotographTable
from .position_table import PositionTable
from .receipt_table import ReceiptTable
from .session import Session


class Transaction:
    """The tables within one transaction."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @cached_property
    def games(self) -> GameTable:
        return GameTable(self._session, self.ledger)

    @cached_property
    def ledger(self) -> LedgerTable:
        return LedgerTable(self._session)

    @cached_property
    def audit(self) -> Audit:
        return Audit(self._session)

    @cached_property
    def boards(self) -> BoardTable:
        return BoardTable(self._session)

    @cached_property
    def disputes(self) -> DisputeTable:
        return DisputeTable(self._session)

    @cached_property
    def event_rules(self) -> EventRulesTable:
        return EventRulesTable(self._session)

    @cached_property
    def inboxes(self) -> InboxTable:
        return InboxTable(self._session)

    @cached_property
    def jobs(self) -> JobTable:
        return JobTable(self._session)

    @cached_property
    def keys(self) -> KeyTable:
        return KeyTable(self._session)

    @cached_property
    def feed(self) -> FeedTable:
        return FeedTable(self._session)

    @cached_property
    def names(self) -> NameTable:
        return NameTable(self._session)

    @cached_property
    def photographs(self) -> PhotographTable:
        return PhotographTable(self._session)

    @cached_property
    def positions(self) -> PositionTable:
        return PositionTable(self._session)

    @cached_property
    def receipts(self) -> ReceiptTable:
        return ReceiptTable(self._session)
