"""What the room of findings brings."""

from inkeek.service.room import Room

ROOM = Room(
    "findings",
    "what happened in a turn",
    operations=(".api:blueprint",),
    pages=(".pages",),
    package=__package__,
    optional=False,
)
