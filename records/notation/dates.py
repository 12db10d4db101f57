"""Days, or what is known of them: ``1974-05-21``, ``1974-05``, ``1974``."""

from __future__ import annotations

import re
from datetime import date
from itertools import takewhile

_FORM = re.compile(r"([0-9]{4})(?:[.-]([0-9]{2}|\?\?)(?:[.-]([0-9]{2}|\?\?))?)?", re.ASCII)


def read_day(text: str) -> str | None:
    """Return a day in the form of ISO 8601, shorter if its day or month is not known; None for a text that is none and
    for a day that the calendar does not have. A Date tag has dots between its parts, and ``??`` for what is not known.
    """
    match = _FORM.fullmatch(text)
    if match is None:
        return None
    known = list(takewhile(lambda part: part not in (None, "??"), match.groups()))
    try:
        date(*map(int, [*known, "01", "01"][:3]))
    except ValueError:
        return None
    return "-".join(known)


def whole_day(text: str) -> date | None:
    """Return the day if its month and its day are known."""
    day = read_day(text)
    return date.fromisoformat(day) if day is not None and len(day) == len("1974-05-21") else None
