"""What the room of engines brings."""

from __future__ import annotations

from inkeek.service.room import Room, RoomCommand

HERE = "inkeek.service.engines"

ROOM = Room(
    "engines",
    "engines as programs, and their matches",
    package=HERE,
    commands={
        "engine": RoomCommand(
            f"{HERE}.commands:engine", "Speak the engine protocol, or play engines against each other."
        )
    },
)
