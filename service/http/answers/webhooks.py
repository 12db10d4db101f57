"""Webhooks and their deliveries as JSON objects."""

from __future__ import annotations

from typing import Annotated

from service.storage.tables.apps.webhooks import DEAD, QUEUED, SENT, TRYING

from .games import Cursor
from .shape import Count, Shape, Time, one_of


class WebhookJson(Shape):
    id: str
    url: str
    kinds: Annotated[list[str], "kinds of events; empty: all"]
    game_id: str | None
    match: str | None
    event: str | None
    created: Time
    cursor: Annotated[Cursor, "of the feed: all up to there was sent, or is a dead letter"]
    tries: Annotated[Count, "of the event after it, so far"]
    next: Annotated[Time | None, "when that event is tried again"]


class ShownWebhookJson(WebhookJson):
    secret: Annotated[str, "signs the deliveries; shown only once"]


class WebhooksJson(Shape):
    items: list[WebhookJson]


class DeliveryJson(Shape):
    """What became of an event."""

    cursor: Annotated[Cursor | None, "of the event in the feed; null: a test"]
    kind: str
    state: Annotated[str, one_of((SENT, TRYING, DEAD, QUEUED)), "dead: not sent again unless you ask; queued: you did"]
    tries: Count
    status: Annotated[int | None, "of the last answer; null: there was none"]
    error: Annotated[str, "what is wrong; empty: nothing"]
    time: Annotated[Time, "of the last try"]


class DeliveriesJson(Shape):
    items: list[DeliveryJson]


class RedeliveredJson(Shape):
    queued: Annotated[Count, "dead letters that are sent again"]
