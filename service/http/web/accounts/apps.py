"""Other people's apps: who is signed in lends them a part of their own right, and ends it (OAuth 2 with PKCE)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from authlib.oauth2 import OAuth2Error
from flask import Response, jsonify, redirect, request
from flask.typing import ResponseReturnValue

from service.errors import Forbidden, Invalid, ServiceError
from service.errors import gettext_later as later
from service.http.access import needs
from service.http.access.apps import answer_source
from service.http.access.caller import SESSION
from service.http.access.oauth import check_parameters, metadata
from service.http.context import current_caller, current_services
from service.http.language import gettext
from service.http.request_log import SECURITY_HEADERS
from service.http.web.base import blueprint, html_error, render_page, see_other
from service.storage import Limit
from service.storage.search import table_and_event

MAY = {
    "read": later("Read games, events and results"),
    "record": later("Write games: begin them, play and take back turns, change names, end them"),
}
CSP = "Content-Security-Policy"
RETURNED = "here"  # the parameter of a page that reloaded itself
NOT_FROM_APP = ("csrf", "do")


@blueprint.get("/.well-known/oauth-authorization-server")
@needs("open")
def oauth_metadata() -> ResponseReturnValue:
    """Say where apps register, ask and fetch tokens (RFC 8414)."""
    return jsonify(metadata(request.host_url))


@blueprint.get("/oauth/authorize")
@needs("open")
def ask_to_lend() -> ResponseReturnValue:
    """Ask whether the reader lends an app what it asks for.

    Browsers send no session with another site's link, so the page first leads to itself.
    """
    check_parameters(request.args)
    caller, services = current_caller(), current_services()
    try:
        grant = services.oauth.get_consent_grant(end_user=caller)
    except OAuth2Error as error:
        return _refuse(error)
    known = caller.kind == SESSION
    loan = services.apps.offer(caller, grant.request.scope) if known else None
    asked = grant.request.scope.split()
    again = "" if known or RETURNED in request.args else f"?{urlencode([*request.args.items(), (RETURNED, 1)])}"
    page = render_page(
        "accounts/authorize.html",
        app=grant.client.app,
        loan=loan,
        may=MAY,
        limit=limit_words(loan.limit) if loan else "",
        lacks_writing=loan is not None and "record" in asked and "record" not in loan.scopes,
        place=request.args["redirect_uri"],
        asked=[(name, value) for name, value in request.args.items() if name not in (*NOT_FROM_APP, RETURNED)],
        again=again,
    )
    # Browsers hold the redirect that answers the form against this, too.
    allowed = f"form-action 'self' {answer_source(request.args['redirect_uri'])}"
    page.headers[CSP] = SECURITY_HEADERS[CSP].replace("form-action 'self'", allowed)
    return page


@blueprint.post("/oauth/authorize")
@needs("read", open_locally=False, limited=True)
def lend() -> ResponseReturnValue:
    """Send the app a code, or that the answer is no."""
    caller, services = current_caller(), current_services()
    check_parameters(request.form)
    try:
        grant = services.oauth.get_consent_grant(end_user=caller)
    except OAuth2Error as error:
        return _refuse(error)
    if caller.kind != SESSION:
        raise Forbidden("Only who is signed in with a browser can lend something to an app.")
    user = caller if request.form.get("do") == "allow" else None
    response: Response = services.oauth.create_authorization_response(grant_user=user, grant=grant)
    return response


@blueprint.post("/oauth/token")
@needs("open")
def lent_token() -> ResponseReturnValue:
    """Give an app the token for its code."""
    return _answer(current_services().oauth.create_token_response)


@blueprint.post("/oauth/revoke")
@needs("open")
def give_back() -> ResponseReturnValue:
    """End what was lent, for an app that needs it no more (RFC 7009)."""
    return _answer(lambda: current_services().oauth.create_endpoint_response("revocation"))


@blueprint.post("/oauth/register")
@needs("open")
def register_app() -> ResponseReturnValue:
    """Register an app: ``client_name`` and ``redirect_uris`` (RFC 7591). It gets an id and no secret."""
    body = request.get_json(silent=True)
    given = body if isinstance(body, dict) else {}
    name, uris = given.get("client_name"), given.get("redirect_uris")
    try:
        if not isinstance(name, str) or not isinstance(uris, list) or not all(isinstance(uri, str) for uri in uris):
            raise Invalid("Send JSON with the texts client_name and redirect_uris.")
        app = current_services().apps.register(name, uris, request.remote_addr)
    except Invalid as error:
        kind = "invalid_redirect_uri" if error.message.startswith("redirect_uris:") else "invalid_client_metadata"
        return jsonify(error=kind, error_description=str(error)), 400
    answer = {
        "client_id": app.id,
        "client_name": app.name,
        "redirect_uris": app.redirect_uris,
        "token_endpoint_auth_method": "none",
        "grant_types": ["authorization_code"],
        "response_types": ["code"],
    }
    return jsonify(answer), 201, {"Cache-Control": "no-store"}


@blueprint.get("/apps")
@needs("read", limited=True)
def lent() -> ResponseReturnValue:
    """What the reader lends to which apps."""
    rows = [(key, app, limit_words(key.limit)) for key, app in current_services().apps.lent_by(current_caller())]
    return render_page("accounts/apps.html", rows=rows, may=MAY)


@blueprint.post("/apps/<token_id>/end")
@needs("read", open_locally=False, limited=True)
def end_lent(token_id: str) -> ResponseReturnValue:
    """End what the reader lends to an app."""
    current_services().apps.end(current_caller(), token_id)
    return see_other("web.lent")


def limit_words(limit: Limit | None) -> str:
    """What a limit covers, for people; empty: everything."""
    if limit is None:
        return ""
    if limit.kind == "event":
        return gettext("Only at %(event)s", event=limit.value)
    if limit.kind == "table":
        table, event = table_and_event(limit)
        return gettext("Writes only at table %(table)s of %(event)s", table=table, event=event)
    tags = current_services().games.row(limit.value).tags
    names = f"{tags.get('South', '?')} – {tags.get('North', '?')}"
    if limit.kind == "game":
        return gettext("Only the game %(names)s", names=names)
    return gettext("Only the match %(names)s", names=names)


def _refuse(error: OAuth2Error) -> ResponseReturnValue:
    """Tell the app what is wrong, or the reader if the answer cannot safely go to it."""
    if error.redirect_uri:
        return redirect(error()[2][0][1])
    return html_error(400, "Bad request.", gettext("The app asked in a wrong way: %(why)s", why=_description(error)))


def _answer(answer: Callable[[], Any]) -> ResponseReturnValue:
    """Answer a program as OAuth says, also where it sent what OAuth knows nothing of."""
    try:
        check_parameters(request.form)
        response: Response = answer()
    except (OAuth2Error, Invalid) as error:
        kind = error.error if isinstance(error, OAuth2Error) else "invalid_request"
        return jsonify(error=kind, error_description=_description(error)), 400
    return response


def _description(error: OAuth2Error | ServiceError) -> str:
    return str(error) if isinstance(error, ServiceError) else error.description or error.error
