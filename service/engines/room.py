"""What the room of engines brings."""

from inkeek.service.room import Room, RoomCommand

ROOM = Room(
    "engines",
    "engines as programs, and their matches",
    package=__package__,
    commands={
        "engine": RoomCommand(".commands:engine", "Speak the engine protocol, or play engines against each other.")
    },
)
