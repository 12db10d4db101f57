"""Roles: what an invitation lets people do, in plain words, and the scopes that this takes. Pages show no scopes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from service.http.language import gettext_later as later


@dataclass(frozen=True, slots=True)
class Role:
    """What a guest is. `place`: whether the role is for a ``table``, for the whole ``event``, or for ``either``. `most`:
    the people that an invitation is for unless it says otherwise."""

    name: str
    does: str
    scopes: tuple[str, ...]
    place: Literal["table", "event", "either"]
    most: int


WATCH, KEEPER, ARBITER, ORGANIZER = "watch", "keeper", "arbiter", "organizer"
ROLES = {
    WATCH: Role(later("Spectator"), later("may watch"), ("read",), "either", 100),
    KEEPER: Role(later("Scorekeeper"), later("keeps the score of the table"), ("record",), "table", 6),
    ARBITER: Role(later("Arbiter"), later("rules on disputes"), ("record", "arbiter"), "event", 1),
    ORGANIZER: Role(
        later("Organizer"), later("runs the evening"), ("record", "board", "arbiter", "invite"), "event", 1
    ),
}


def role_of(scopes: Collection[str]) -> str:
    """The role of a guest with these scopes."""
    return next((role for role, kind in ROLES.items() if set(kind.scopes) == set(scopes)), WATCH)
