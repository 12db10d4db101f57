"""``/tokens``: create, list, rotate and revoke tokens. A secret is shown once, when it is made."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from flask import Response
from marshmallow import Schema, fields, validate

from inkeek.records.text import LINE
from inkeek.service.errors import Forbidden
from inkeek.service.http.access import SCOPES, allows
from inkeek.service.http.access.caller import TOKEN
from inkeek.service.http.access.keys import HOLDER, MAX_DAYS, MAX_GRACE, MAX_NAME
from inkeek.service.http.access.limits import LIMITS, MAX_LIMIT
from inkeek.service.http.answers.accounts import ShownTokenJson, TokenJson, TokensJson
from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.api.constraints import OPTIONAL, JsonInteger, describe, optional_integer
from inkeek.service.http.api.text_fields import text_field
from inkeek.service.http.context import current_caller, current_services
from inkeek.service.storage import Limit

blueprint = ApiBlueprint("tokens", "Tokens, and sessions of signed-in browsers.")


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


@blueprint.operation("GET", "/tokens", scope="admin", current=True)
def list_tokens() -> TokensJson:
    """List tokens and sessions, oldest first; expired and revoked ones stay for 90 days."""
    keys = current_services().keys
    return TokensJson(items=[TokenJson.of(key, good=keys.is_good(key)) for key in keys.list()])


@blueprint.operation("GET", "/tokens/current", scope="read", open_locally=False, limited=True)
def get_current_token() -> TokenJson:
    """Get the token or session of this request."""
    return TokenJson.of(current_services().keys.get(current_caller().id), good=True)


@blueprint.operation(
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
    limit = None if body["limit"] is None else Limit(**body["limit"])
    key, secret = current_services().keys.create(TOKEN, body["name"], body["scopes"], _lifetime(body), limit)
    return ShownTokenJson.of(key, good=True, token=secret)


@blueprint.operation(
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


@blueprint.operation(
    "DELETE",
    "/tokens/<token_id>",
    scope="admin",
    own="token_id",
    limited=True,
    current=True,
    status=204,
    problems=(409,),
)
def revoke_token(token_id: str) -> Response:
    """Revoke a token, or sign out a browser. Every token may revoke itself; the last one with the scope `admin` cannot
    be revoked."""
    current_services().keys.revoke(token_id, keep_admin=True, by=current_caller())
    return Response(status=204)


def _lifetime(body: dict[str, Any]) -> timedelta | None:
    return None if body["days"] is None else timedelta(days=body["days"])
