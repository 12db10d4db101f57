"""Events as revision 0026 stored them: a time as a number, and a character for each frequent phrase of the data."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

# JSON has no control characters, so these were never data. They were put in from above, and are taken out from below.
PHRASES = (
    ('","nags":[],"comments":[],"variations":[]},"position":"', "\x01"),
    (',"turn":{"move":"', "\x02"),
    ('{"ply":', "\x03"),
    (" 0-0 s ", "\x04"),
    (" 0-0 n ", "\x05"),
    *((f"{seeds}.", chr(0x0E + seeds)) for seeds in range(10)),
)
BACK = {ord(character): phrase for phrase, character in PHRASES}
TIME = "\x1f"  # between a time that is no number of microseconds and the data
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


def compact(time: str, data: str) -> tuple[int, str]:
    """The time and the data of an event as they were stored."""
    for phrase, character in PHRASES:
        data = data.replace(phrase, character)
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
