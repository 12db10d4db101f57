"""What the room of backups brings."""

from __future__ import annotations

from inkeek.service.room import Room

HERE = "inkeek.service.backup"

ROOM = Room(
    "backup",
    "backups on a page",
    pages=(f"{HERE}.pages:pages",),
    package=HERE,
    adds={"mine": f"{HERE}.pages:link"},
)
