"""OAuth 2 with PKCE, by Authlib: public clients, the authorization code, SHA-256 only. `apps` keeps what is lent."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urljoin

from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import ClientMixin, InvalidGrantError, InvalidRequestError
from authlib.oauth2.rfc6749.grants import AuthorizationCodeGrant
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge

from service.errors import Invalid
from service.storage import AppRow, CodeRow
from service.storage.clock import utc_now

from .apps import LENDABLE, Apps, is_redirect_uri, read_scope
from .keys import Keys

MAX_VALUE = 1000  # characters of a parameter
PARAMETERS = re.compile(rf"[ !#-\[\]-~]{{0,{MAX_VALUE}}}")  # what errors of OAuth may quote
METHODS = ["none"]  # clients have no secret


class AppClient(ClientMixin):  # type: ignore[misc]  # Authlib has no types
    """An app as Authlib asks about it."""

    def __init__(self, app: AppRow) -> None:
        self.app = app

    def get_client_id(self) -> str:
        return self.app.id

    def get_default_redirect_uri(self) -> str | None:
        return None  # each request names it

    def get_allowed_scope(self, scope: str | None) -> str | None:
        return None if read_scope(scope or "") is None else scope or "read"

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return is_redirect_uri(self.app, redirect_uri)

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return method in METHODS

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return bool(grant_type == AuthorizationCodeGrant.GRANT_TYPE)


class Code:
    """A code as Authlib asks about it."""

    code_challenge_method = "S256"

    def __init__(self, row: CodeRow) -> None:
        self.row = row
        self.code_challenge = row.challenge

    def get_redirect_uri(self) -> str:
        return self.row.redirect_uri

    def get_scope(self) -> str:
        return self.row.scope


class Grant(AuthorizationCodeGrant):  # type: ignore[misc]
    TOKEN_ENDPOINT_AUTH_METHODS = METHODS

    def save_authorization_code(self, code: str, request: Any) -> None:
        challenge = request.payload.data["code_challenge"]
        uri, app = request.payload.redirect_uri, request.client.app.id
        self.server.apps.add_code(code, request.user, app, uri, request.scope, challenge)

    def query_authorization_code(self, code: str, client: AppClient) -> Code | None:
        row = self.server.apps.find_code(code, client.app.id)
        return None if row is None else Code(row)

    def delete_authorization_code(self, authorization_code: Code) -> None:
        """It stays, as used: who uses it again ends what was lent for it."""

    def authenticate_user(self, authorization_code: Code) -> CodeRow:
        return authorization_code.row  # it names who lends


class Sha256Challenge(CodeChallenge):  # type: ignore[misc]
    """PKCE that is required, and by SHA-256."""

    def validate_code_challenge(self, grant: Grant, redirect_uri: str) -> None:
        data = grant.request.payload.data
        if not data.get("code_challenge") or data.get("code_challenge_method") != "S256":
            raise InvalidRequestError("Send a 'code_challenge' with 'code_challenge_method=S256' (RFC 7636).")
        super().validate_code_challenge(grant, redirect_uri)


class Revocation(RevocationEndpoint):  # type: ignore[misc]
    CLIENT_AUTH_METHODS = METHODS

    def query_token(self, token: str, hint: str | None) -> LentToken | None:
        key = self.server.apps.find_lent(token)
        return None if key is None else LentToken(key.id, key.app)

    def revoke_token(self, token: LentToken, request: Any) -> None:
        self.server.keys.revoke(token.id)


class LentToken:
    """A token as Authlib asks about it."""

    def __init__(self, id: str, app: str) -> None:
        self.id, self.app = id, app

    def check_client(self, client: AppClient) -> bool:
        return self.app == client.app.id


class OAuth(AuthorizationServer):  # type: ignore[misc]
    """The authorization server."""

    def __init__(self, apps: Apps, keys: Keys) -> None:
        super().__init__(query_client=self._find, save_token=lambda token, request: None)
        self.apps, self.keys = apps, keys
        self.register_grant(Grant, [Sha256Challenge(required=True)])
        self.register_endpoint(Revocation)
        self.register_token_generator("default", self._make_token)

    def _find(self, client_id: str) -> AppClient | None:
        app = self.apps.get(client_id)
        return None if app is None else AppClient(app)

    def _make_token(self, *, user: CodeRow, **_: Any) -> dict[str, Any]:
        made = self.apps.redeem(user)
        if made is None:
            raise InvalidGrantError("The code was used before, or who said yes may do nothing here any more.")
        loan, secret = made
        seconds = int((loan.until - utc_now()).total_seconds())
        return {"access_token": secret, "token_type": "Bearer", "expires_in": seconds, "scope": loan.scope}


def check_parameters(values: Any) -> None:
    """:raises Invalid: a parameter of a request is too long, or has characters that OAuth knows nothing of."""
    for name, value in values.items(multi=True):
        if not PARAMETERS.fullmatch(value):
            raise Invalid(
                "%(name)s is %(value)r. Expected at most %(most)s characters of ASCII, without quotation marks.",
                name=name[:40],
                value=value[:80],
                most=MAX_VALUE,
            )


def metadata(base: str) -> dict[str, Any]:
    """What apps need to know (RFC 8414), of the service at this address."""
    endpoints = {name: urljoin(base, f"/oauth/{path}") for name, path in ENDPOINTS.items()}
    return {
        "issuer": base.rstrip("/"),
        **endpoints,
        "scopes_supported": list(LENDABLE),
        "response_types_supported": ["code"],
        "grant_types_supported": [AuthorizationCodeGrant.GRANT_TYPE],
        "code_challenge_methods_supported": [Code.code_challenge_method],
        "token_endpoint_auth_methods_supported": METHODS,
        "revocation_endpoint_auth_methods_supported": METHODS,
    }


ENDPOINTS = {
    "authorization_endpoint": "authorize",
    "token_endpoint": "token",
    "revocation_endpoint": "revoke",
    "registration_endpoint": "register",
}
