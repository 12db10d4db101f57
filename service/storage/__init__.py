"""Where games and boards are kept. The only part that knows SQLAlchemy.

What needs it is imported when it is first asked for: the process of a far board knows only the values that are stored.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .database.meter import Meter
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

if TYPE_CHECKING:
    from .database.engine import file_url, shown_url
    from .database.machines import DeskLock
    from .game_rows import NewRows, event_row, new_rows
    from .store import Store
    from .tables.feed import FeedCursor, FeedEvent, FeedFilter, FeedPage
    from .tables.games import Version
    from .tables.jobs import GameAnalysisRow, JobRow
    from .tables.names import EventCounts, PlayerCounts
    from .tables.positions import ContinuationRow
    from .tables.receipts import Receipt
    from .transaction import Transaction

_PLACES = {
    "ContinuationRow": ".tables.positions",
    "DeskLock": ".database.machines",
    "EventCounts": ".tables.names",
    "FeedCursor": ".tables.feed",
    "FeedEvent": ".tables.feed",
    "FeedFilter": ".tables.feed",
    "FeedPage": ".tables.feed",
    "GameAnalysisRow": ".tables.jobs",
    "JobRow": ".tables.jobs",
    "NewRows": ".game_rows",
    "PlayerCounts": ".tables.names",
    "Receipt": ".tables.receipts",
    "Store": ".store",
    "Transaction": ".transaction",
    "Version": ".tables.games",
    "event_row": ".game_rows",
    "file_url": ".database.engine",
    "new_rows": ".game_rows",
    "shown_url": ".database.engine",
}  # by name, the module of what needs SQLAlchemy

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


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_PLACES[name], __name__), name)
