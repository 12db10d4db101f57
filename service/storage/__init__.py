"""Where games and boards are kept. The only part that knows SQLAlchemy."""

from __future__ import annotations

from .database.engine import file_url, shown_url
from .database.machines import DeskLock
from .database.meter import Meter
from .game_rows import NewRows, event_row, new_rows
from .integrity.chain import GENESIS, Content, GameEvent, canonical_json, seal, seal_all, verify_chain
from .integrity.ledger import LedgerEntry, LedgerHead, LedgerNote, next_entry
from .rows import (
    BoardRow,
    Change,
    DisputeRow,
    EventPlanRow,
    EventRules,
    GamePlace,
    GameRow,
    InboxNews,
    InboxRow,
    KeyRow,
    Limit,
    LogRow,
    NameRow,
    PersonRow,
    PluggedRow,
    RequestRow,
    RulesetRow,
    SearchKeys,
    dispute_id,
)
from .search import EVERYTHING, GameFilter, covers, covers_place, event_of, position_key, search_keys
from .store import Store
from .tables.feed import FeedCursor, FeedEvent, FeedFilter, FeedPage
from .tables.games import Version
from .tables.jobs import GameAnalysisRow, JobRow
from .tables.names import EventCounts, PlayerCounts
from .tables.positions import ContinuationRow
from .tables.receipts import Receipt
from .transaction import Transaction

__all__ = [
    "EVERYTHING",
    "GENESIS",
    "BoardRow",
    "Change",
    "Content",
    "ContinuationRow",
    "DeskLock",
    "DisputeRow",
    "EventCounts",
    "EventPlanRow",
    "EventRules",
    "FeedCursor",
    "FeedEvent",
    "FeedFilter",
    "FeedPage",
    "GameAnalysisRow",
    "GameEvent",
    "GameFilter",
    "GamePlace",
    "GameRow",
    "InboxNews",
    "InboxRow",
    "JobRow",
    "KeyRow",
    "LedgerEntry",
    "LedgerHead",
    "LedgerNote",
    "Limit",
    "LogRow",
    "Meter",
    "NameRow",
    "NewRows",
    "PersonRow",
    "PlayerCounts",
    "PluggedRow",
    "Receipt",
    "RequestRow",
    "RulesetRow",
    "SearchKeys",
    "Store",
    "Transaction",
    "Version",
    "canonical_json",
    "covers",
    "covers_place",
    "dispute_id",
    "event_of",
    "event_row",
    "file_url",
    "new_rows",
    "next_entry",
    "position_key",
    "seal",
    "seal_all",
    "search_keys",
    "shown_url",
    "verify_chain",
]
