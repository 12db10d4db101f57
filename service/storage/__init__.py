"""Where games and boards are kept. The only part that knows SQLAlchemy.

What needs it is imported when it is first asked for: the process of a far board knows only the values that are stored.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .integrity.chain import (
    GENESIS,
    Content,
    GameEvent,
    LedgerEntry,
    LedgerHead,
    LedgerNote,
    canonical_json,
    next_entry,
    seal,
    seal_all,
    verify_chain,
)
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
    from .store import Meter, Store
    from .tables.feed import FeedCursor, FeedEvent, FeedFilter, FeedPage
    from .tables.games import Version
    from .tables.jobs import GameAnalysisRow, JobRow
    from .tables.names import EventCounts, PlayerCounts
    from .tables.positions import ContinuationRow
    from .tables.receipts import Receipt
    from .transaction import Transaction

_NEED_SQLALCHEMY = {
    ".database.engine": ("file_url", "shown_url"),
    ".database.machines": ("DeskLock",),
    ".game_rows": ("NewRows", "event_row", "new_rows"),
    ".store": ("Meter", "Store"),
    ".tables.feed": ("FeedCursor", "FeedEvent", "FeedFilter", "FeedPage"),
    ".tables.games": ("Version",),
    ".tables.jobs": ("GameAnalysisRow", "JobRow"),
    ".tables.names": ("EventCounts", "PlayerCounts"),
    ".tables.positions": ("ContinuationRow",),
    ".tables.receipts": ("Receipt",),
    ".transaction": ("Transaction",),
}
_PLACES = {name: module for module, names in _NEED_SQLALCHEMY.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_PLACES[name], __name__), name)
