"""What the room of the demonstration brings."""

from __future__ import annotations

from inkeek.service.room import Room, RoomCommand

HERE = "inkeek.service.demo"

ROOM = Room(
    "demo",
    "a simulated board that plays a game",
    package=HERE,
    commands={"demo": RoomCommand(f"{HERE}.commands:demo", "Watch a simulated board play a whole game.")},
)
