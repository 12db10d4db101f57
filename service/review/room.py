"""What the room of the review brings."""

from inkeek.service.room import Room

ROOM = Room(
    "review",
    "the review of a game, and its annotations",
    operations=(".api:annotations_blueprint",),
    pages=(".pages",),
    package=__package__,
    optional=False,
)
