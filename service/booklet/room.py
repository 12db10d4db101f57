"""What the room of booklets brings."""

from __future__ import annotations

from inkeek.service.room import Room

HERE = "inkeek.service.booklet"

ROOM = Room(
    "booklet",
    "score sheets of games and booklets of events, to print",
    pages=(f"{HERE}.pages:pages",),
    package=HERE,
    adds={"game.print": f"{HERE}.pages:sheet_link", "event.files": f"{HERE}.pages:booklet_link"},
)
