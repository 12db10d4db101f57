"""Where games and boards are kept. The only part that knows SQLAlchemy.

Here are the values that are stored, for processes that know no database too, such as that of a far board. What needs
SQLAlchemy is imported from its module: `store`, `transaction`, `game_rows`, `tables`.
"""

from __future__ import annotations

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
