"""``/tokens``: create, list, rotate and revoke tokens. A secret is shown once, when it is made."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from flask import Response

from service.errors import Forbidden
from service.http.access import allows
from service.http.access.caller import TOKEN
from service.http.context import current_caller, current_services
from service.http.serializers import key_json
from service.storage import Limit

from .blueprint import ApiBlueprint
from .token_schemas import NewTokenSchema, RotationSchema, ShownTokenSchema, TokenSchema, TokensSchema

blueprint = ApiBlueprint("tokens", "Tokens, and sessions of signed-in browsers.")


@blueprint.operation("GET", "/tokens", scope="admin", returns=TokensSchema, current=True)
def list_tokens() -> dict[str, Any]:
    """List tokens and sessions, oldest first; expired and revoked ones stay for 90 days."""
    keys = current_services().keys
    return {"items": [key_json(key, good=keys.is_good(key)) for key in keys.list()]}


@blueprint.operation("GET", "/tokens/current", scope="read", open_locally=False, limited=True, returns=TokenSchema)
def get_current_token() -> dict[str, Any]:
    """Get the token or session of this request."""
    return key_json(current_services().keys.get(current_caller().id), good=True)


@blueprint.operation(
    "POST",
    "/tokens",
    scope="admin",
    body=NewTokenSchema,
    returns=ShownTokenSchema,
    idempotent=False,
    creates={"token_id": "id"},
    current=True,
)
def create_token(body: dict[str, Any]) -> dict[str, Any]:
    """Create a token. Only this response has its secret."""
    limit = None if body["limit"] is None else Limit(**body["limit"])
    key, secret = current_services().keys.create(TOKEN, body["name"], body["scopes"], _lifetime(body), limit)
    return {**key_json(key, good=True), "token": secret}


@blueprint.operation(
    "POST",
    "/tokens/<token_id>/rotation",
    scope="admin",
    own="token_id",
    limited=True,
    current=True,
    body=RotationSchema,
    returns=ShownTokenSchema,
    idempotent=False,
    problems=(409,),
)
def rotate_token(body: dict[str, Any], token_id: str) -> dict[str, Any]:
    """Replace the secret of a token. Only this response has the new one. Every token may rotate itself."""
    caller = current_caller()
    if body["days"] is not None and not allows(caller.scopes, "admin"):
        raise Forbidden("days: only a token with the scope 'admin' can change when a token expires.")
    key, secret = current_services().keys.rotate(token_id, timedelta(seconds=body["grace"]), _lifetime(body), caller)
    return {**key_json(key, good=True), "token": secret}


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
