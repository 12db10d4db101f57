"""Invitations, and the guests who came with them, as JSON objects."""

from __future__ import annotations

from typing import Annotated

from service.http.access.roles import ROLES

from .shape import Count, Shape, Time, one_of

RoleName = Annotated[str, one_of(ROLES)]


class InvitationJson(Shape):
    id: str
    role: RoleName
    event: str
    table: Annotated[str, "empty: the whole event"]
    most: Annotated[int, "people whom it is for"]
    joined: Count
    code: Annotated[str, "what people type"]
    url: Annotated[str, "what people open, and QR codes have"]
    by: Annotated[str, "who made it"]
    created: Time
    expires: Time


class GuestJson(Shape):
    """Who joined with an invitation."""

    id: str
    name: str
    role: RoleName
    invited: Annotated[str, one_of(ROLES), "the role of the invitation"]
    table: str
    joined: Time
    good: Annotated[bool, "whether the guest may still do something"]
    asks: Annotated[bool, "whether the guest would keep the score of the table, which somebody else does"]


class EventPeopleJson(Shape):
    invitations: list[InvitationJson]
    guests: list[GuestJson]
