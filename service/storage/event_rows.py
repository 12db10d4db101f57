"""Events as rows of their table, and back: each byte that is hashed comes back as it was."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

import msgspec

from service.errors import Damaged
from service.storage.clock import stamp
from service.storage.database.session import Row
from service.storage.integrity.chain import GENESIS, GameEvent, canonical_json, seal

# What most data has, and the characters that stand for it. JSON has no control characters, so these are never data.
# They are in databases: never change one. They are put in from above, and taken out from below.
PHRASES = (
    ('","nags":[],"comments":[],"variations":[]},"position":"', "\x01"),
    (',"turn":{"move":"', "\x02"),
    ('{"ply":', "\x03"),
    (" 0-0 s ", "\x04"),
    (" 0-0 n ", "\x05"),
    *((f"{seeds}.", chr(0x0E + seeds)) for seeds in range(10)),
)
DATA = 5  # its place in a row without the number of the game
_BACK = {ord(character): phrase for phrase, character in PHRASES}
_TIME = "\x1f"  # between a time that is no number of microseconds and the data
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def event_row(event: GameEvent, text: bytes | None = None) -> Row:
    """The row of an event, without the number of its game; `text` is the canonical JSON of its data, if it was made
    already."""
    data = compacted((canonical_json(event.data) if text is None else text).decode())
    time = microseconds_of(event.time)
    if time is None:
        time, data = 0, f"{event.time}{_TIME}{data}"
    return event.seq, time, event.actor, event.source, event.kind, data, bytes.fromhex(event.hash)


def compacted(data: str) -> str:
    """The JSON of data as it is stored."""
    for phrase, character in PHRASES:
        data = data.replace(phrase, character)
    return data


def without_hash(row: Row) -> Row:
    """The row without the hash, for an event that another one is stored with."""
    return (*row[:-1], None)


def read_time(time: int, data: str) -> str:
    """The time of an event, of two columns of its row."""
    return time_text(time) if time or _TIME not in data else data.rpartition(_TIME)[0]


def read_event(game_id: str, row: Sequence[Any], prev_hash: str) -> GameEvent:
    """The event of a row that begins with the columns of its table.

    :raises Damaged: its data is not JSON.
    """
    _, seq, time, actor, source, kind, data, hash_ = row[:8]
    try:
        at = read_time(time, data)
        text = data.rpartition(_TIME)[2].translate(_BACK)
        value = msgspec.json.decode(text)
        if hash_ is None:
            return seal(game_id, seq, at, actor, source, kind, value, prev_hash, text.encode())
        return GameEvent(game_id, seq, at, actor, source, kind, value, prev_hash, hash_.hex())
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise Damaged(f"event {seq} of game {game_id} cannot be read: {error}") from error


def read_events(game_id: str, rows: Iterable[Sequence[Any]], after: int = 0) -> list[GameEvent]:
    """The events of a game after the event `after`. The rows begin with that one, or an earlier one that has its hash.

    :raises Damaged: the data of one is not JSON.
    """
    events = []
    prev_hash = GENESIS
    for row in rows:
        event = read_event(game_id, row, prev_hash)
        prev_hash = event.hash
        if event.seq > after:
            events.append(event)
    return events


@lru_cache(1024)  # the events of an import have one time
def microseconds_of(text: str) -> int | None:
    """The microseconds since 1970 of a time as `stamp` writes it; None: it is written in another way."""
    try:
        time = (datetime.fromisoformat(text) - _EPOCH) // _MICROSECOND
    except (ValueError, TypeError):
        return None
    return time if time and time_text(time) == text else None


@lru_cache(1024)
def time_text(time: int) -> str:
    """The text of a time in microseconds since 1970, as `stamp` writes it.

    :raises Damaged: it is none.
    """
    try:
        return stamp(_EPOCH + time * _MICROSECOND)
    except (TypeError, ValueError, OverflowError) as error:
        raise Damaged(f"a stored time is {time!r:.40}: {error}") from error
