"""Signing in with a one-time link, and signing out."""

from __future__ import annotations

from datetime import timedelta

from flask import Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from service.errors import ErrorText, Unauthorized
from service.http.access import needs
from service.http.access.caller import SESSION
from service.http.access.guard import drop_cookie, set_cookie
from service.http.context import current_caller, current_services

from .pages import blueprint, render_page


@blueprint.get("/sign-in")
@needs("open")
def sign_in() -> ResponseReturnValue:
    """Use up a one-time link and store the session in the browser.

    The response is a page, not a redirect: a browser that comes from another site, such as web mail, would follow a
    redirect without the new cookie.
    """
    if request.method != "GET" or "Sec-Purpose" in request.headers:  # a preview must not use up the link
        raise Unauthorized(ErrorText("A preview cannot sign in. Open the link in a browser."))
    services = current_services()
    lifetime = timedelta(seconds=services.settings.session_lifetime)
    key, session = services.keys.sign_in(request.args.get("key", ""), lifetime)
    page = render_page("signed.html", name=key.name)
    page.headers["Referrer-Policy"] = "no-referrer"  # the address contains the key
    set_cookie(page, session, lifetime)
    return page


@blueprint.post("/sign-out")
@needs("read", limited=True)
def sign_out() -> ResponseReturnValue:
    """End the session, here and in the browser."""
    caller = current_caller()
    if caller.kind == SESSION:
        current_services().keys.revoke(caller.id)
    response = redirect(url_for("web.games"), 303)
    assert isinstance(response, Response)
    drop_cookie(response)
    return response
