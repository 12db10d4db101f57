"""What the room of accounts brings."""

from inkeek.service.room import Room

ROOM = Room(
    "accounts",
    "tokens, invitations, joining",
    operations=(".api:tokens_blueprint", ".api:invitations_blueprint"),
    pages=(".joining", ".people"),
    package=__package__,
    optional=False,
)
