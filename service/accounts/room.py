"""What the room of accounts brings."""

from __future__ import annotations

from inkeek.service.room import Room

HERE = "inkeek.service.accounts"

ROOM = Room(
    "accounts",
    "tokens, invitations, joining",
    operations=(f"{HERE}.api:tokens_blueprint", f"{HERE}.api:invitations_blueprint"),
    pages=(f"{HERE}.joining", f"{HERE}.people"),
    package=HERE,
    optional=False,
)
