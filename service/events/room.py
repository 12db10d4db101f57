"""What the room of events brings."""

from __future__ import annotations

from inkeek.service.room import Room

HERE = "inkeek.service.events"

ROOM = Room(
    "events",
    "events with their rounds and halls",
    operations=(f"{HERE}.api:blueprint",),
    pages=(f"{HERE}.pages", f"{HERE}.plans", f"{HERE}.hall"),
    package=HERE,
    optional=False,
)
