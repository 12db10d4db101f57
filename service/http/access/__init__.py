"""Who may do what: scopes that routes declare, keys that people hold, and the guard that compares the two."""

from __future__ import annotations

from .caller import NOBODY, Caller
from .scopes import SCOPES, Need, allows, need_of, needs

__all__ = ["NOBODY", "SCOPES", "Caller", "Need", "allows", "need_of", "needs"]
