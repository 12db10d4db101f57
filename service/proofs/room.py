"""What the room of proofs brings."""

from inkeek.service.room import Room, RoomCommand

ROOM = Room(
    "proofs",
    "signed proofs of games and disputes",
    operations=(".api:blueprint",),
    package=__package__,
    commands={
        "verify": RoomCommand(".commands:verify", "Check the proof of a game or a dispute."),
        "db proof": RoomCommand(".commands:proof", "Write the proof of a game or a dispute."),
    },
    adds={"game.files": ".api:game_link", "dispute.files": ".api:dispute_link"},
)
