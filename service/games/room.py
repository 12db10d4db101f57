"""What the room of games brings."""

from inkeek.service.room import Room

ROOM = Room(
    "games",
    "games and their rules",
    operations=(".api:rulesets_blueprint", ".api:blueprint"),
    pages=(".pages", ".rules"),
    package=__package__,
    optional=False,
)
