"""What the room of boards brings."""

from inkeek.service.room import Room

ROOM = Room(
    "boards",
    "boards at ports, and remote ones",
    operations=(".api:blueprint", ".remote.api:blueprint"),
    pages=(".pages",),
    package=__package__,
    optional=False,
)
