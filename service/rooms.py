"""The rooms of the service in their order, and those of other distributions, which are found by the entry point group
``inkeek.rooms``."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator
from importlib.metadata import EntryPoint
from typing import Any

from inkeek.drivers.registry import installed_points

from .accounts.room import ROOM as ACCOUNTS
from .backup.room import ROOM as BACKUP
from .boards.room import ROOM as BOARDS
from .booklet.room import ROOM as BOOKLET
from .demo.room import ROOM as DEMO
from .disputes.room import ROOM as DISPUTES
from .engines.room import ROOM as ENGINES
from .errors import SettingError
from .events.room import ROOM as EVENTS
from .findings.room import ROOM as FINDINGS
from .games.room import ROOM as GAMES
from .library.room import EXPORT, PERSONS, ROOM as LIBRARY
from .live.room import ROOM as LIVE
from .matches.room import ROOM as MATCHES
from .paper.room import ROOM as PAPER
from .proofs.room import ROOM as PROOFS
from .review.room import ROOM as REVIEW
from .room import Room
from .sharing.room import ROOM as SHARING
from .study.room import ANALYSIS_BOARD, ROOM as STUDY
from .turns.room import ROOM as TURNS

GROUP = "inkeek.rooms"

log = logging.getLogger(__name__)

# In the order of the API's document.
BUILT_IN = (
    GAMES,
    EXPORT,
    MATCHES,
    LIBRARY,
    PAPER,
    PERSONS,
    EVENTS,
    BOOKLET,
    TURNS,
    DISPUTES,
    PROOFS,
    REVIEW,
    LIVE,
    FINDINGS,
    STUDY,
    ANALYSIS_BOARD,
    BOARDS,
    ACCOUNTS,
    SHARING,
    BACKUP,
    ENGINES,
    DEMO,
)


def chosen_rooms(without: Collection[str] = ()) -> list[Room]:
    """The rooms of this project, then those of other distributions, but for those that are left out.

    :raises SettingError: there is no optional room of a name in `without`.
    """
    rooms = [room for room in BUILT_IN if not (room.optional and room.name in without)]
    points = sorted(installed_points(GROUP), key=lambda point: (point.name, point.value))
    optional = {room.name for room in BUILT_IN if room.optional} | {point.name for point in points}
    if wrong := {*without} - optional:
        raise SettingError(f"without_rooms names {min(wrong)!r}: expected some of {', '.join(sorted(optional))}")
    for point in points:
        if point.name not in without:
            rooms += _loaded(point, {room.name for room in (*BUILT_IN, *rooms)})
    return rooms


def is_own(room: Room) -> bool:
    """Whether it is one of this project. What one of others raises must stop nothing else."""
    return room in BUILT_IN


def leave_out(name: str, error: BaseException) -> None:
    """Log why a room of another distribution is left out."""
    log.error("the room %r is left out: %s: %s", name, type(error).__name__, error)


def _loaded(point: EntryPoint, taken: Collection[str]) -> Iterator[Room]:
    """The room of an entry point; none if it cannot be imported, or is no room."""
    try:
        room = point.load()
        if not isinstance(room, Room) or room.name != point.name or not room.optional:
            raise TypeError(f"{point.value} is not an optional Room named {point.name!r}")
        if point.name in taken:
            raise ValueError("another room has this name")
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever its modules raise
        leave_out(point.name, error)
    else:
        yield room


def room_tables(without: Collection[str] = ()) -> dict[str, Any]:
    """The `MetaData` of each chosen room with tables, by the room's name."""
    found = {}
    for room in chosen_rooms(without):
        if room.tables:
            try:
                found[room.name] = room.load(room.tables)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - as above
                leave_out(room.name, error)
    return found
