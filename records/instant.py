"""Reading a time of RFC 3339."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_INSTANT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:)([0-9]{2})(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})"
)
_LAST = timedelta(microseconds=1)


def read_instant(text: str) -> datetime:
    """A time, of which six digits of a fraction of a second are kept. A leap second, ``23:59:60`` UTC at the end of a
    month, becomes the microsecond before the next day: a `datetime` has none.

    :raises ValueError: the text is none. :raises OverflowError: it is after the year 9999 in UTC.
    """
    match = _INSTANT.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a time of RFC 3339")
    if match[2] != "60":
        return datetime.fromisoformat(text)
    moment = datetime.fromisoformat(f"{match[1]}59.999999{match[4]}")
    following = moment.astimezone(UTC) + _LAST
    if (following.day, following.hour, following.minute) != (1, 0, 0):
        raise ValueError(f"{text!r} is no leap second: expected 23:59:60 UTC on the last day of a month")
    return moment
