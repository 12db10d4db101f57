"""What the room of matches brings."""

from inkeek.service.room import Room

ROOM = Room(
    "matches",
    "series of games",
    operations=(".api:blueprint",),
    pages=(".pages",),
    package=__package__,
    optional=False,
)
