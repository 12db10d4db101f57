"""What the room of turns brings."""

from inkeek.service.room import Room

ROOM = Room(
    "turns",
    "playing turns, who plays and who watches",
    operations=(".api:blueprint", ".api:people_blueprint"),
    pages=(".pages",),
    package=__package__,
    optional=False,
)
