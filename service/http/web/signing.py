"""Signing in with a one-time link, and out."""

from __future__ import annotations

from datetime import timedelta

from flask import Response, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from service.errors import Unauthorized
from service.http.access import needs
from service.http.access.caller import SESSION
from service.http.access.guard import drop_cookie, set_cookie
from service.http.context import current_caller, current_services

from .pages import blueprint


@blueprint.get("/sign-in")
@needs("open")
def sign_in() -> ResponseReturnValue:
    """Use up a one-time link: the browser keeps the session it opens.

    The answer is a page that leads on, and no redirect: a browser that comes from another site, a mail say, would
    follow a redirect without the new cookie.
    """
    if request.method != "GET" or "Sec-Purpose" in request.headers:  # a preview must not use the link up
        raise Unauthorized("the link is opened by following it, not by looking ahead")
    lifetime = timedelta(seconds=current_services().settings.session_lifetime)
    key, session = current_services().keys.sign_in(request.args.get("key", ""), lifetime)
    page = make_response(render_template("signed.html", name=key.name))
    page.headers["Cache-Control"] = "no-store"
    page.headers["Referrer-Policy"] = "no-referrer"  # the address has the key in it
    set_cookie(page, session, lifetime)
    return page


@blueprint.post("/sign-out")
@needs("read")
def sign_out() -> ResponseReturnValue:
    """End the session, here and in the browser."""
    caller = current_caller()
    if caller.kind == SESSION:
        current_services().keys.revoke(caller.id)
    answer = redirect(url_for("web.games"), 303)
    assert isinstance(answer, Response)
    drop_cookie(answer)
    return answer
