"""What the room of events brings."""

from inkeek.service.room import Room

ROOM = Room(
    "events",
    "events with their rounds and halls",
    operations=(".api:blueprint",),
    pages=(".pages", ".plans", ".hall"),
    package=__package__,
    optional=False,
)
