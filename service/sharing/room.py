"""What the room of sharing brings."""

from inkeek.service.room import Room

ROOM = Room(
    "sharing",
    "the page that shares a game, its pictures for messengers, diagrams for print",
    pages=(".pages:pages",),
    package=__package__,
    adds={"game.head": ".pages:preview_tags"},
    share_page="web.share",
)
