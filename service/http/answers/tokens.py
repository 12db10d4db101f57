"""Tokens and sessions as JSON objects."""

from __future__ import annotations

from typing import Annotated, Any

from service.http.access.caller import SESSION, TOKEN

from .shape import Form, Shape, Time, one_of, reference


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
    app: Annotated[str | None, "id of the app to which somebody lent it"]
    previous_until: Annotated[str | None, "until when the secret before the last rotation is valid, too"]


class ShownTokenJson(TokenJson):
    token: Annotated[str, "the secret, shown only once"]


class TicketJson(Shape):
    ticket: Annotated[str, "what a live stream takes as the parameter `ticket`"]
    expires: Time


class TokensJson(Shape):
    items: list[TokenJson]
