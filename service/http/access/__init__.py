"""Access control: scopes of routes, keys of callers, and the guard that compares them."""

from __future__ import annotations

from .caller import NOBODY, Caller
from .scopes import SCOPES, Need, allows, need_of, needs

__all__ = ["NOBODY", "SCOPES", "Caller", "Need", "allows", "need_of", "needs"]
