"""What the room of live streams brings."""

from inkeek.service.room import Room

ROOM = Room(
    "live",
    "live streams and the feed",
    operations=(".api:events_blueprint", ".api:feed_blueprint"),
    package=__package__,
    optional=False,
)
