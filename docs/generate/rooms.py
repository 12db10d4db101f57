"""The tables of docs/rooms.md: the optional rooms, and the places to which a room can add something."""

from __future__ import annotations

from inkeek.service.reference.tables import table
from inkeek.service.room import PLACES
from inkeek.service.rooms import BUILT_IN


def optional(_: str) -> str:
    """The rooms of this project that can be left out, with their commands."""
    rooms = [room for room in BUILT_IN if room.optional]
    rows = [(f"`{room.name}`", room.says, ", ".join(f"`inkeek {name}`" for name in room.commands)) for room in rooms]
    return table(("room", "what it is", "commands"), rows)


def places(_: str) -> str:
    """The places of pages, with the arguments that a room's function gets."""
    rows = [(f"`{name}`", ", ".join(f"`{name}`" for name in place.gets), place.says) for name, place in PLACES.items()]
    return table(("place", "arguments", "where"), rows)


PARTS = {"optional-rooms": optional, "room-places": places}
