"""What the room of sharing brings."""

from __future__ import annotations

from inkeek.service.room import Room

ROOM = Room(
    "sharing",
    "the page that shares a game, its pictures for messengers, diagrams for print",
    pages=("inkeek.service.sharing.pages:pages",),
    package="inkeek.service.sharing",
    adds={"game.head": "inkeek.service.sharing.pages:preview_tags"},
    share_page="web.share",
)
