"""Keys: ``/tokens``, whose secrets are shown once, when they are made; and invitations to events with their guests."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from flask import url_for
from marshmallow import Schema, fields, validate

from inkeek.records.text import LINE
from inkeek.service.errors import Forbidden
from inkeek.service.http.access import SCOPES, allows
from inkeek.service.http.access.caller import LINK, TOKEN
from inkeek.service.http.access.invitations import MAX_NIGHTS, MAX_PEOPLE, MAX_TABLE, ROLES, role_of
from inkeek.service.http.access.keys import HOLDER, MAX_DAYS, MAX_GRACE, MAX_NAME
from inkeek.service.http.access.limiter import shown_code
from inkeek.service.http.access.limits import LIMITS, MAX_LIMIT
from inkeek.service.http.addresses import reachable_url
from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.api.constraints import (
    OPTIONAL,
    JsonBoolean,
    JsonInteger,
    describe,
    optional_integer,
    text_field,
)
from inkeek.service.http.context import current_caller, current_services, current_write
from inkeek.service.http.names import event_of_id
from inkeek.service.storage import KeyRow, Limit

from .answers import (
    EventPeopleJson,
    GuestJson,
    InvitationJson,
    ShownTokenJson,
    TokenJson,
    TokensJson,
)

tokens_blueprint = ApiBlueprint("tokens", "Tokens, and sessions of signed-in browsers.")


class LimitSchema(Schema):
    kind = fields.String(required=True, validate=validate.OneOf(LIMITS))
    value = text_field(
        LINE,
        1,
        MAX_LIMIT,
        "id of the game or the match, name of the event, or table and event such as `3:Narok Open`",
        required=True,
    )


class NewTokenSchema(Schema):
    name = text_field(HOLDER, 1, MAX_NAME, "its holder", required=True)
    scopes = fields.List(
        fields.String(validate=validate.OneOf(SCOPES)), required=True, validate=validate.Length(1, len(SCOPES))
    )
    days = optional_integer(1, MAX_DAYS, "days until it expires; null: never")
    limit = fields.Nested(
        LimitSchema, **OPTIONAL, metadata=describe("all that it may use; null: no limit. Not with the scope admin")
    )


class RotationSchema(Schema):
    grace = JsonInteger(
        load_default=0,
        validate=validate.Range(0, int(MAX_GRACE.total_seconds())),
        metadata=describe("seconds for which the old secret stays valid"),
    )
    days = optional_integer(1, MAX_DAYS, "days until the token expires, with the scope admin only; null: as before")


@tokens_blueprint.operation("GET", "/tokens", scope="admin", current=True)
def list_tokens() -> TokensJson:
    """List tokens and sessions, oldest first; expired and revoked ones stay for 90 days."""
    keys = current_services().keys
    return TokensJson(items=[TokenJson.of(key, good=keys.is_good(key)) for key in keys.list()])


@tokens_blueprint.operation("GET", "/tokens/current", scope="read", open_locally=False, limited=True)
def get_current_token() -> TokenJson:
    """Get the token or session of this request."""
    return TokenJson.of(current_services().keys.get(current_caller().id), good=True)


@tokens_blueprint.operation(
    "POST",
    "/tokens",
    scope="admin",
    body=NewTokenSchema,
    example={"name": "score desk", "scopes": ["record"], "days": 30, "limit": {"kind": "event", "value": "Narok Open"}},
    idempotent=False,
    creates={"token_id": "id"},
    current=True,
)
def create_token(body: dict[str, Any]) -> ShownTokenJson:
    """Create a token. Only this response has its secret."""
    key, secret = make_key(body)
    return ShownTokenJson.of(key, good=True, token=secret)


@tokens_blueprint.operation(
    "POST",
    "/tokens/<token_id>/rotation",
    scope="admin",
    own="token_id",
    limited=True,
    current=True,
    body=RotationSchema,
    example={"grace": 3600},
    idempotent=False,
    problems=(409,),
)
def rotate_token(body: dict[str, Any], token_id: str) -> ShownTokenJson:
    """Replace the secret of a token. Only this response has the new one. Every token may rotate itself."""
    caller = current_caller()
    if body["days"] is not None and not allows(caller.scopes, "admin"):
        raise Forbidden("days: only a token with the scope 'admin' can change when a token expires.")
    key, secret = current_services().keys.rotate(token_id, timedelta(seconds=body["grace"]), _lifetime(body), caller)
    return ShownTokenJson.of(key, good=True, token=secret)


@tokens_blueprint.operation(
    "DELETE",
    "/tokens/<token_id>",
    scope="admin",
    own="token_id",
    limited=True,
    current=True,
    status=204,
    problems=(409,),
)
def revoke_token(token_id: str) -> None:
    """Revoke a token, or sign out a browser. Every token may revoke itself; the last one with the scope `admin` cannot
    be revoked."""
    current_services().keys.revoke(token_id, keep_admin=True, by=current_caller())


def make_key(body: dict[str, Any], link: timedelta | None = None) -> tuple[KeyRow, str]:
    """Make the token of such a body, or the link with this lifetime, which the caller gives; return its secret too."""
    limit = None if body["limit"] is None else Limit(**body["limit"])
    create = current_services().keys.create
    if link is None:
        return create(TOKEN, body["name"], body["scopes"], _lifetime(body), limit)
    return create(LINK, body["name"], body["scopes"], link, limit, giver=current_caller())


def _lifetime(body: dict[str, Any]) -> timedelta | None:
    return None if body["days"] is None else timedelta(days=body["days"])


invitations_blueprint = ApiBlueprint("invitations", "Invitations to events, and who came.")


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


@invitations_blueprint.operation("GET", "/events/<event_id>/people", scope="invite", limited=True)
def get_event_people(event_id: str) -> EventPeopleJson:
    """Get the invitations to an event that can be used, and who joined with one; both oldest first."""
    rows, guests = current_services().invitations.of_event(_event(event_id))
    shown = [GuestJson.of(guest, id=guest.key.id, name=guest.key.name, joined=guest.key.created) for guest in guests]
    return EventPeopleJson(invitations=[_json(row) for row in rows], guests=shown)


@invitations_blueprint.operation(
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


@invitations_blueprint.operation(
    "DELETE", "/events/<event_id>/invitations/<invitation_id>", scope="invite", limited=True, status=204
)
def withdraw_invitation(event_id: str, invitation_id: str) -> None:
    """Withdraw an invitation. Who joined with it may do nothing more."""
    current_services().invitations.withdraw(_event(event_id), invitation_id, current_write())


@invitations_blueprint.operation(
    "POST", "/events/<event_id>/guests/<guest_id>/keeper", scope="invite", limited=True, status=204, problems=(409,)
)
def set_keeper(event_id: str, guest_id: str) -> None:
    """Have a guest keep the score of their table. Whoever did until now watches."""
    current_services().invitations.set_keeper(_event(event_id), guest_id, current_write(), current_caller())


@invitations_blueprint.operation(
    "DELETE", "/events/<event_id>/guests/<guest_id>", scope="invite", limited=True, status=204
)
def end_guest(event_id: str, guest_id: str) -> None:
    """End what a guest may do."""
    current_services().invitations.end(_event(event_id), guest_id, current_write())


@invitations_blueprint.operation("GET", "/watching", scope="invite", returns=WatchingSchema)
def get_watching() -> dict[str, Any]:
    """Get whether anyone may watch."""
    return {"anyone": bool(current_services().keys.anyone())}


@invitations_blueprint.operation(
    "PUT", "/watching", scope="invite", body=WatchingSchema, example={"anyone": True}, returns=WatchingSchema
)
def set_watching(body: dict[str, Any]) -> dict[str, Any]:
    """Let anyone who reaches the service watch without a key, or only who has one."""
    current_services().keys.let_anyone_watch(body["anyone"])
    return body


def _event(event_id: str) -> str:
    key = event_of_id(event_id)
    current_services().invitations.event_name(key)
    return key


def _json(row: KeyRow) -> InvitationJson:
    url = reachable_url(url_for("web.join_with", code=row.code, _external=True), current_services().settings.host)
    return InvitationJson.of(row, role=role_of(row.scopes), by=row.name, code=shown_code(row.code or ""), url=url)
