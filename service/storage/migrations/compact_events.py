"""Events as revision 0026 stored them: a time as a number, and a character for each frequent phrase of the data."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

# JSON has no control characters, so these were never data.
PHRASES = {
    "\x01": '","nags":[],"comments":[],"variations":[]},"position":"',
    "\x02": ',"turn":{"move":"',
    "\x03": '{"ply":',
    "\x04": " 0-0 s ",
    "\x05": " 0-0 n ",
    **{chr(0x0E + seeds): f"{seeds}." for seeds in range(10)},
}
BACK = str.maketrans(PHRASES)
TIME = "\x1f"  # between a time that is no number of microseconds and the data
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


def with_number(time: str, data: str) -> tuple[int, str]:
    """The time and the data of an event, of which no phrase is a character yet: `expand` reads both."""
    number = microseconds_of(time)
    return (0, f"{time}{TIME}{data}") if number is None else (number, data)


def expand(time: int, data: str) -> tuple[str, str]:
    """The time and the data of an event that was stored as these."""
    if time or TIME not in data:
        return time_text(time), data.translate(BACK)
    text, _, data = data.rpartition(TIME)
    return text, data.translate(BACK)


def microseconds_of(text: str) -> int | None:
    """The microseconds since 1970 of a time; None: it is written in another way."""
    try:
        time = (datetime.fromisoformat(text) - EPOCH) // MICROSECOND
    except (ValueError, TypeError):
        return None
    return time if time and time_text(time) == text else None


def time_text(time: int) -> str:
    return (EPOCH + time * MICROSECOND).isoformat(timespec="microseconds")[:-6] + "Z"
