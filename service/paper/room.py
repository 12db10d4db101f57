"""What the room of paper brings."""

from __future__ import annotations

from inkeek.service.room import Room

HERE = "inkeek.service.paper"

ROOM = Room(
    "paper",
    "games that were written down elsewhere: sheets of paper, and records in files",
    operations=(f"{HERE}.api:blueprint",),
    pages=(f"{HERE}.imports", f"{HERE}.pages"),
    package=HERE,
    optional=False,
)
