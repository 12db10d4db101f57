"""``/tokens``: create, list and revoke tokens. A secret is shown once, when its token is created."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from flask import Response

from service.http.access.caller import TOKEN
from service.http.context import current_services
from service.http.serializers import key_json

from .blueprint import ApiBlueprint
from .schemas import NewTokenSchema, ShownTokenSchema, TokensSchema

blueprint = ApiBlueprint("tokens", "Tokens, and sessions of signed-in browsers.")


@blueprint.operation("GET", "/tokens", scope="admin", returns=TokensSchema)
def list_tokens() -> dict[str, Any]:
    """List tokens and sessions, oldest first; expired and revoked ones stay for 90 days."""
    keys = current_services().keys
    return {"items": [key_json(key, good=keys.is_good(key)) for key in keys.list()]}


@blueprint.operation("POST", "/tokens", scope="admin", body=NewTokenSchema, returns=ShownTokenSchema, idempotent=False)
def create_token(body: dict[str, Any]) -> dict[str, Any]:
    """Create a token. Only this response has its secret."""
    days = body["days"]
    lifetime = None if days is None else timedelta(days=days)
    key, secret = current_services().keys.create(TOKEN, body["name"], body["scopes"], lifetime)
    return {**key_json(key, good=True), "token": secret}


@blueprint.operation("DELETE", "/tokens/<token_id>", scope="admin", status=204)
def revoke_token(token_id: str) -> Response:
    """Revoke a token, or sign out a browser."""
    current_services().keys.revoke(token_id)
    return Response(status=204)
