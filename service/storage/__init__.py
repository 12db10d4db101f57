"""Where games and boards are kept. The only part that knows SQLAlchemy."""

from __future__ import annotations

from .chain import GENESIS, Event, seal, verify_chain
from .engine import shown_url
from .rows import BoardRow, GameRow, KeyRow, LogRow
from .store import Store, Transaction

__all__ = [
    "GENESIS",
    "BoardRow",
    "Event",
    "GameRow",
    "KeyRow",
    "LogRow",
    "Store",
    "Transaction",
    "seal",
    "shown_url",
    "verify_chain",
]
