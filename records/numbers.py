"""Numbers are checked where they come in: none is NaN or infinite, and none needs more than 64 bits."""

from __future__ import annotations

MAX_WHOLE = 2**63 - 1  # of a signed number of 64 bits, as kernel and databases have
MAX_SECONDS = 1e9  # more than systems take as a time to wait


def is_number(value: object, least: float, most: float) -> bool:
    """Whether it is a number in these bounds. NaN compares with nothing, so it is none; nor is a bool."""
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most


def is_whole(value: object, least: int, most: int = MAX_WHOLE) -> bool:
    """Whether it is a whole number in these bounds."""
    return isinstance(value, int) and is_number(value, least, most)
