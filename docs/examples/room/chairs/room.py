"""What the room brings. It imports nothing else: whoever leaves the room out does not load it."""

from inkeek.service.room import SITE, Entry, Room, RoomCommand

ROOM = Room(
    "chairs",
    "tables and chairs that are booked for events",
    operations=("chairs.api:blueprint",),
    pages=("chairs.pages:pages",),
    package="chairs",
    commands={"chairs": RoomCommand("chairs.commands:chairs", "List the tables and chairs that are booked.")},
    tables="chairs.rows:tables",
    entries=(Entry("web.list_chairs", "Chairs", SITE, ("web.book_chairs",)),),
    adds={"event": "chairs.pages:booked_for_event"},
)
