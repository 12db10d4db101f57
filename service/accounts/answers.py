"""Tokens, sessions, invitations and guests as JSON objects."""

from __future__ import annotations

from typing import Annotated, Any

from inkeek.service.http.access.caller import SESSION, TOKEN
from inkeek.service.http.access.invitations import ROLES
from inkeek.service.http.shape import Count, Form, Shape, Time, one_of, reference

RoleName = Annotated[str, one_of(ROLES)]


class TokenJson(Shape):
    """A key without its secret."""

    id: str
    kind: Annotated[str, one_of((TOKEN, SESSION))]
    name: str
    scopes: list[str]
    limit: Annotated[Any, Form(**reference("Limit"))] | None  # as in the request that creates it
    good: bool
    created: Time
    expires: Time | None
    used: Annotated[Time | None, "last use, to within five minutes"]
    revoked: Time | None
    previous_until: Annotated[str | None, "until when the secret before the last rotation is valid, too"]


class ShownTokenJson(TokenJson):
    token: Annotated[str, "the secret, shown only once"]


class TokensJson(Shape):
    items: list[TokenJson]


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
