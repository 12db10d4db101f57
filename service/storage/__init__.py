"""Where games and boards are kept. The only part that knows SQLAlchemy."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .database.engine import file_url, shown_url
from .database.machines import DeskLock
from .database.sessions import Meter
from .event_rows import event_row
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
    InvitationRow,
    KeyRow,
    Limit,
    LogRow,
    NameRow,
    PersonRow,
    PluggedRow,
    RequestRow,
    SearchKeys,
    dispute_id,
)
from .store import Store
from .transaction import Transaction

if TYPE_CHECKING:
    from .game_rows import NewRows, new_rows
    from .search import EVERYTHING, GameFilter, covers, covers_place, event_of, position_key, search_keys
    from .tables.feed import FeedCursor, FeedEvent, FeedFilter, FeedPage
    from .tables.games import Version
    from .tables.jobs import GameAnalysisRow, JobRow
    from .tables.names import EventCounts, PlayerCounts
    from .tables.positions import ContinuationRow
    from .tables.receipts import Receipt

# Modules with the names that are imported from them on first use: who asks for keys does without the games.
_NAMES = {
    ".game_rows": ("NewRows", "new_rows"),
    ".search": ("EVERYTHING", "GameFilter", "covers", "covers_place", "event_of", "position_key", "search_keys"),
    ".tables.feed": ("FeedCursor", "FeedEvent", "FeedFilter", "FeedPage"),
    ".tables.games": ("Version",),
    ".tables.jobs": ("GameAnalysisRow", "JobRow"),
    ".tables.names": ("EventCounts", "PlayerCounts"),
    ".tables.positions": ("ContinuationRow",),
    ".tables.receipts": ("Receipt",),
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names}

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
    "InvitationRow",
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


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULES[name], __name__), name)
    return value
