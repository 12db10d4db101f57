"""Games of pairings, as far as their results are read."""

from types import SimpleNamespace
from typing import Any


def ended(termination: str, result: str) -> Any:
    """A game without turns, and without a match."""
    return SimpleNamespace(state="ended", ply=0, match_id=None, termination=termination, result=result)
