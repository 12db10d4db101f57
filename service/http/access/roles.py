"""Roles: what an invitation lets people do, and the scopes that this takes. Pages show no scopes."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, NamedTuple

from inkeek.service.errors import gettext_later as later


class Role(NamedTuple):
    """What a guest is. `place`: whether the role is for a ``table``, for the whole ``event``, or for ``either``.
    `most`: the people that an invitation is for unless it says otherwise."""

    name: str
    scopes: tuple[str, ...]
    place: Literal["table", "event", "either"]
    most: int


WATCH, KEEPER, ARBITER, ORGANIZER = "watch", "keeper", "arbiter", "organizer"
ROLES = {
    WATCH: Role(later("Spectator"), ("read",), "either", 100),
    KEEPER: Role(later("Scorekeeper"), ("record",), "table", 6),
    ARBITER: Role(later("Arbiter"), ("record", "arbiter"), "event", 1),
    ORGANIZER: Role(later("Organizer"), ("record", "board", "arbiter", "invite"), "event", 1),
}


def role_of(scopes: Collection[str]) -> str:
    """The role of a guest with these scopes."""
    return next((role for role, kind in ROLES.items() if set(kind.scopes) == set(scopes)), WATCH)
