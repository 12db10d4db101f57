"""Time as the service writes it: RFC 3339 in UTC with microseconds, so that text sorts as time does."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache

Clock = Callable[[], datetime]
NEAR = 2.0  # seconds by which the clocks of machines may differ unnoticed


def utc_now() -> datetime:
    return datetime.now(UTC)


def stamp(moment: datetime) -> str:
    """``2026-11-20T18:30:00.000000Z``."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")[:-6] + "Z"


@lru_cache(maxsize=1024)  # the events of an import have one time
def is_stamp(text: str) -> bool:
    """Whether a text is a time as `stamp` writes it."""
    try:
        return stamp(datetime.fromisoformat(text)) == text
    except (ValueError, OverflowError):
        return False


@lru_cache(maxsize=1024)  # every request compares some
def moment(stamp: str) -> datetime:
    """The time that `stamp` wrote."""
    return datetime.fromisoformat(stamp)
