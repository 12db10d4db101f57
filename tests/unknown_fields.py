"""JSON as a later version might write it."""

from __future__ import annotations

from typing import Any

UNKNOWN = {"charge": 0.5, "later": [{"a": None}]}


def with_unknown_fields(value: Any, *, but: tuple[str, ...] = ("mend", "faulty")) -> Any:
    """The same value, with fields that nobody knows in each object, except those whose names are data (`but`)."""
    if isinstance(value, list):
        return [with_unknown_fields(item) for item in value]
    if not isinstance(value, dict):
        return value
    found = {name: item if name in but else with_unknown_fields(item) for name, item in value.items()}
    return found | UNKNOWN
