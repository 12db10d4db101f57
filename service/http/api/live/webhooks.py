"""``/webhooks``: send events to programs elsewhere, and see what became of them."""

from __future__ import annotations

from typing import Any

from flask import Response
from marshmallow import Schema, fields, validate

from records.notation.tags import MAX_VALUE
from service.errors import Forbidden
from service.games.event_kinds import KINDS
from service.http.access import allows
from service.http.access.caller import TOKEN
from service.http.access.limits import check_named
from service.http.answers.games import CURSOR
from service.http.answers.webhooks import (
    DeliveriesJson,
    DeliveryJson,
    RedeliveredJson,
    ShownWebhookJson,
    WebhookJson,
    WebhooksJson,
)
from service.http.api.blueprint import ApiBlueprint
from service.http.api.constraints import OPTIONAL, Pattern, describe, optional_text
from service.http.api.text_fields import id_field
from service.http.context import current_caller, current_services
from service.http.names import check_event
from service.jobs.webhooks.webhooks import MAX_URL, Wanted
from service.storage import DeliveryRow, FeedCursor, WebhookRow
from service.storage.search import name_key
from service.storage.tables.apps.webhooks import DEAD, QUEUED, SENT, TRYING

MOST_SHOWN = 200  # deliveries in an answer
DELIVERY_STATES = (SENT, TRYING, DEAD, QUEUED)

blueprint = ApiBlueprint("webhooks", "Events sent to programs elsewhere.")


def _url_field(**options: Any) -> fields.String:
    says = describe("where events are sent: https")
    return fields.String(validate=validate.Length(1, MAX_URL), metadata=says, **options)


def _kinds_field(**options: Any) -> fields.List[Any]:
    kind = fields.String(validate=validate.OneOf(sorted(KINDS)))
    says = describe("kinds of events; empty: all")
    return fields.List(kind, validate=validate.Length(0, len(KINDS)), metadata=says, **options)


class NewWebhookSchema(Schema):
    url = _url_field(required=True)
    kinds = _kinds_field(load_default=[])
    game_id = id_field(**OPTIONAL)
    match = id_field("id of a match", **OPTIONAL)
    event = optional_text(MAX_VALUE, "the Event tag, in any case")


class WebhookChangesSchema(Schema):
    """What is left out stays."""

    url = _url_field()
    kinds = _kinds_field()


class DeliveriesSchema(Schema):
    state = fields.String(load_default=None, validate=validate.OneOf(DELIVERY_STATES))


class RedeliverySchema(Schema):
    cursor = fields.String(
        **OPTIONAL, validate=Pattern(CURSOR), metadata=describe("that of one dead letter; null: all of them")
    )


@blueprint.operation("GET", "/webhooks", scope="read", open_locally=False, limited=True)
def list_webhooks() -> WebhooksJson:
    """List the webhooks of this token, oldest first; with the scope admin, all."""
    return WebhooksJson(items=[_json(row) for row in current_services().webhooks.owned(_owner())])


@blueprint.operation(
    "POST",
    "/webhooks",
    scope="read",
    open_locally=False,
    limited=True,
    body=NewWebhookSchema,
    example={"url": "https://tally.example/inkeek", "kinds": ["turn", "ended"], "event": "Narok Open"},
    idempotent=False,
    current=True,
    creates={"webhook_id": "id"},
    problems=(404,),
)
def create_webhook(body: dict[str, Any]) -> ShownWebhookJson:
    """Send events from now on, as the feed has them. Only this response has the secret that signs them.

    The webhook sends what its token may read, and ends with the token.
    """
    services, caller = current_services(), current_caller()
    if caller.kind != TOKEN:
        raise Forbidden("Only a token can have webhooks. Create one for the program that receives the events.")
    if caller.limit is not None:
        check_named(services.store, caller.limit, {"game_id": body["game_id"], "match_id": body["match"]})
        if body["event"] is not None:
            check_event(name_key(body["event"]))
    for found in (body["game_id"], body["match"]):
        if found is not None:
            services.games.row(found)
    wanted = Wanted(body["url"], tuple(body["kinds"]), body["game_id"], body["match"], body["event"])
    row = services.webhooks.create(caller.id, wanted)
    return ShownWebhookJson.of(row, cursor=FeedCursor.of(row.position), secret=row.secret)


@blueprint.operation("GET", "/webhooks/<webhook_id>", scope="read", open_locally=False, limited=True)
def get_webhook(webhook_id: str) -> WebhookJson:
    """Get a webhook: how far it is, and what it tries."""
    return _json(current_services().webhooks.get(_owner(), webhook_id))


@blueprint.operation(
    "PATCH",
    "/webhooks/<webhook_id>",
    scope="read",
    open_locally=False,
    limited=True,
    body=WebhookChangesSchema,
    example={"url": "https://tally.example/inkeek/2", "kinds": []},
)
def change_webhook(body: dict[str, Any], webhook_id: str) -> WebhookJson:
    """Send to another address, or other kinds of events, from the next event on. Place, filters and secret stay."""
    return _json(current_services().webhooks.change(_owner(), webhook_id, **body))


@blueprint.operation("DELETE", "/webhooks/<webhook_id>", scope="read", open_locally=False, limited=True, status=204)
def remove_webhook(webhook_id: str) -> Response:
    """Remove a webhook. It sends nothing more."""
    current_services().webhooks.remove(_owner(), webhook_id)
    return Response(status=204)


@blueprint.operation(
    "POST",
    "/webhooks/<webhook_id>/test",
    scope="read",
    open_locally=False,
    limited=True,
    status=202,
    idempotent=False,
)
def test_webhook(webhook_id: str) -> DeliveryJson:
    """Send a delivery of the kind `test`, once. The list of deliveries says what became of it."""
    return _delivery(current_services().webhooks.test(_owner(), webhook_id))


@blueprint.operation(
    "GET",
    "/webhooks/<webhook_id>/deliveries",
    scope="read",
    open_locally=False,
    limited=True,
    query=DeliveriesSchema,
)
def list_deliveries(query: dict[str, Any], webhook_id: str) -> DeliveriesJson:
    """List the last deliveries, newest first: at most 200. Of a state: those that were `sent`, the one that is tried
    again (`trying`), the `dead` letters, and those that you asked for (`queued`)."""
    states = DELIVERY_STATES if query["state"] is None else (query["state"],)
    found = current_services().webhooks.deliveries(_owner(), webhook_id, states, MOST_SHOWN)
    return DeliveriesJson(items=[_delivery(row) for row in found])


@blueprint.operation(
    "POST",
    "/webhooks/<webhook_id>/redelivery",
    scope="read",
    open_locally=False,
    limited=True,
    body=RedeliverySchema,
    example={"cursor": None},
    status=202,
    idempotent=False,
)
def send_dead_letters(body: dict[str, Any], webhook_id: str) -> RedeliveredJson:
    """Send dead letters again, once each."""
    cursor = None
    if body["cursor"] is not None:
        position, _, seq = body["cursor"].partition(".")
        cursor = FeedCursor(int(position), int(seq or 0))
    return RedeliveredJson(queued=current_services().webhooks.send_again(_owner(), webhook_id, cursor))


def _owner() -> str | None:
    """Whose webhooks the caller may see; None: everybody's."""
    caller = current_caller()
    return None if allows(caller.scopes, "admin") else caller.id


def _json(row: WebhookRow) -> WebhookJson:
    return WebhookJson.of(row, cursor=FeedCursor.of(row.position))


def _delivery(row: DeliveryRow) -> DeliveryJson:
    return DeliveryJson.of(row, cursor=FeedCursor.of(row.number) if row.number > 0 else None)
