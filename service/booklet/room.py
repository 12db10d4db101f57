"""What the room of booklets brings."""

from inkeek.service.room import Room

ROOM = Room(
    "booklet",
    "score sheets of games and booklets of events, to print",
    pages=(".pages:pages",),
    package=__package__,
    adds={"game.print": ".pages:sheet_link", "event.files": ".pages:booklet_link"},
)
