"""What the room of paper brings."""

from inkeek.service.room import Room

ROOM = Room(
    "paper",
    "games that were written down elsewhere: sheets of paper, and records in files",
    operations=(".api:blueprint",),
    pages=(".imports", ".pages"),
    package=__package__,
    optional=False,
)
