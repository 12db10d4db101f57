"""Invitations to events, their guests, and who may watch without one."""

from __future__ import annotations

from typing import Any

from flask import Response, url_for
from marshmallow import Schema, fields, validate

from inkeek.records.text import LINE
from inkeek.service.http.access.guesses import shown_code
from inkeek.service.http.access.invitations import MAX_NIGHTS, MAX_PEOPLE, MAX_TABLE
from inkeek.service.http.access.roles import ROLES, role_of
from inkeek.service.http.addresses import reachable_url
from inkeek.service.http.answers.accounts import EventPeopleJson, GuestJson, InvitationJson
from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.api.constraints import JsonBoolean, JsonInteger, describe, optional_integer
from inkeek.service.http.api.text_fields import text_field
from inkeek.service.http.context import current_caller, current_services, current_write
from inkeek.service.http.names import check_event, key_of_id
from inkeek.service.storage import KeyRow

blueprint = ApiBlueprint("invitations", "Invitations to events, and who came.")


class NewInvitationSchema(Schema):
    role = fields.String(required=True, validate=validate.OneOf(tuple(ROLES)))
    table = text_field(LINE, 0, MAX_TABLE, "a `keeper` has one, `arbiter` and `organizer` have none", load_default="")
    most = optional_integer(1, MAX_PEOPLE, "people whom it is for; null: as usual for the role")
    nights = JsonInteger(
        load_default=1,
        validate=validate.Range(1, MAX_NIGHTS),
        metadata=describe("after so many it ends, at six in the morning where the service runs"),
    )


class WatchingSchema(Schema):
    anyone = JsonBoolean(required=True)


@blueprint.operation("GET", "/events/<event_id>/people", scope="invite", limited=True)
def get_event_people(event_id: str) -> EventPeopleJson:
    """Get the invitations to an event that can be used, and who joined with one; both oldest first."""
    rows, guests = current_services().invitations.of_event(_event(event_id))
    shown = [GuestJson.of(guest, id=guest.key.id, name=guest.key.name, joined=guest.key.created) for guest in guests]
    return EventPeopleJson(invitations=[_json(row) for row in rows], guests=shown)


@blueprint.operation(
    "POST",
    "/events/<event_id>/invitations",
    scope="invite",
    limited=True,
    body=NewInvitationSchema,
    example={"role": "keeper", "table": "3"},
    idempotent=False,
    creates={"invitation_id": "id"},
)
def create_invitation(body: dict[str, Any], event_id: str) -> InvitationJson:
    """Invite people to an event, or to a table of it. Who opens its `url`, or types its `code`, joins with its role."""
    invitations = current_services().invitations
    event = invitations.event_name(_event(event_id))
    row = invitations.create(
        *(body["role"], event, body["table"], current_write()),
        giver=current_caller(),
        most=body["most"],
        nights=body["nights"],
    )
    return _json(row)


@blueprint.operation(
    "DELETE", "/events/<event_id>/invitations/<invitation_id>", scope="invite", limited=True, status=204
)
def withdraw_invitation(event_id: str, invitation_id: str) -> Response:
    """Withdraw an invitation. Who joined with it may do nothing more."""
    current_services().invitations.withdraw(_event(event_id), invitation_id, current_write())
    return Response(status=204)


@blueprint.operation(
    "POST", "/events/<event_id>/guests/<guest_id>/keeper", scope="invite", limited=True, status=204, problems=(409,)
)
def set_keeper(event_id: str, guest_id: str) -> Response:
    """Have a guest keep the score of their table. Whoever did until now watches."""
    current_services().invitations.set_keeper(_event(event_id), guest_id, current_write(), current_caller())
    return Response(status=204)


@blueprint.operation("DELETE", "/events/<event_id>/guests/<guest_id>", scope="invite", limited=True, status=204)
def end_guest(event_id: str, guest_id: str) -> Response:
    """End what a guest may do."""
    current_services().invitations.end(_event(event_id), guest_id, current_write())
    return Response(status=204)


@blueprint.operation("GET", "/watching", scope="invite", returns=WatchingSchema)
def get_watching() -> dict[str, Any]:
    """Get whether anyone may watch."""
    return {"anyone": bool(current_services().keys.anyone())}


@blueprint.operation(
    "PUT", "/watching", scope="invite", body=WatchingSchema, example={"anyone": True}, returns=WatchingSchema
)
def set_watching(body: dict[str, Any]) -> dict[str, Any]:
    """Let anyone who reaches the service watch without a key, or only who has one."""
    current_services().keys.let_anyone_watch(body["anyone"])
    return body


def _event(event_id: str) -> str:
    key = check_event(key_of_id(event_id, "event"))
    current_services().invitations.event_name(key)
    return key


def _json(row: KeyRow) -> InvitationJson:
    url = reachable_url(url_for("web.join_with", code=row.code, _external=True), current_services().settings.host)
    return InvitationJson.of(row, role=role_of(row.scopes), by=row.name, code=shown_code(row.code or ""), url=url)
