"""What the room of proofs brings."""

from __future__ import annotations

from inkeek.service.room import Room, RoomCommand

HERE = "inkeek.service.proofs"

ROOM = Room(
    "proofs",
    "signed proofs of games and disputes",
    operations=(f"{HERE}.api:blueprint",),
    package=HERE,
    commands={
        "verify": RoomCommand(f"{HERE}.commands:verify", "Check the proof of a game or a dispute."),
        "db proof": RoomCommand(f"{HERE}.commands:proof", "Write the proof of a game or a dispute."),
    },
    adds={"game.files": f"{HERE}.api:game_link", "dispute.files": f"{HERE}.api:dispute_link"},
)
