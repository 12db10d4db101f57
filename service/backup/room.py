"""What the room of backups brings."""

from inkeek.service.room import Room

ROOM = Room(
    "backup",
    "backups on a page",
    pages=(".pages:pages",),
    package=__package__,
    adds={"mine": ".pages:link"},
)
