"""Where games and boards are kept. The only part that knows SQLAlchemy."""

from __future__ import annotations

from .chain import GENESIS, Event, seal, verify_chain
from .engine import shown_url
from .game_table import Glance
from .receipt_table import Receipt
from .rows import BoardRow, DisputeRow, FoundBy, GameRow, KeyRow, LogRow, RequestRow
from .search import EVERYTHING, GameFilter, found_by, position_key
from .store import Store, Transaction

__all__ = [
    "EVERYTHING",
    "GENESIS",
    "BoardRow",
    "DisputeRow",
    "Event",
    "FoundBy",
    "GameFilter",
    "GameRow",
    "Glance",
    "KeyRow",
    "LogRow",
    "Receipt",
    "RequestRow",
    "Store",
    "Transaction",
    "found_by",
    "position_key",
    "seal",
    "shown_url",
    "verify_chain",
]
