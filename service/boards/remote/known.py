"""What the process of a far board knows: its board, and its game up to what is only expected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inkeek.service.storage import BoardRow, GameEvent, RequestRow


@dataclass(frozen=True, slots=True)
class Known:
    """The row of the board, with its own port and driver; the events of its game, of which the first `confirmed` are
    the service's and the others follow from reports that wait; and the requests that wait."""

    board: BoardRow
    events: tuple[GameEvent, ...]
    confirmed: int
    requests: tuple[RequestRow, ...] = ()


def read_events(game_id: str, news: Mapping[str, Any]) -> list[GameEvent]:
    """The events of a game in an answer of the service.

    :raises LookupError, TypeError: it has none.
    """
    return [GameEvent(game_id, *(one[name] for name in GameEvent._fields[1:])) for one in news["events"]]
