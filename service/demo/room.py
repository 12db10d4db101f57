"""What the room of the demonstration brings."""

from inkeek.service.room import Room, RoomCommand

ROOM = Room(
    "demo",
    "a simulated board that plays a game",
    package=__package__,
    commands={"demo": RoomCommand(".commands:demo", "Watch a simulated board play a whole game.")},
)
