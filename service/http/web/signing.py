"""Signing in with a one-time link, and signing out."""

from __future__ import annotations

import re
from datetime import timedelta

from flask import Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from service.errors import ErrorText, Unauthorized
from service.http.access import needs
from service.http.access.caller import SESSION
from service.http.access.guard import drop_cookie, set_cookie
from service.http.context import current_caller, current_services

from .pages import blueprint, render_page

AHEAD = (
    "Sec-Purpose",
    "Purpose",
    "X-Purpose",
    "X-Moz",
)  # headers of requests that a browser makes before they are needed
# How programs name themselves that fetch links in chats and mails for a preview; "Cubot" is a make of phones.
_ROBOT = re.compile("(?<!cu)bot|preview|externalhit|whatsapp/|crawler|spider", re.IGNORECASE)


@blueprint.get("/sign-in")
@needs("open")
def sign_in() -> ResponseReturnValue:
    """Use up a one-time link and store the session in the browser.

    The response is a page, not a redirect: a browser that comes from another site, such as web mail, would follow a
    redirect without the new cookie.
    """
    if not _opens_a_page():
        raise Unauthorized(ErrorText("A preview cannot sign in. Open the link in a browser."))
    services = current_services()
    lifetime = timedelta(seconds=services.settings.session_lifetime)
    key, session = services.keys.sign_in(request.args.get("key", ""), lifetime)
    page = render_page("signed.html", name=key.name)
    page.headers["Referrer-Policy"] = "no-referrer"  # the address contains the key
    set_cookie(page, session, lifetime)
    return page


def _opens_a_page() -> bool:
    """Whether a person opens the address in a browser, as far as the request says: what loads it to look ahead, as an
    image of another site's page or to show a preview in a chat must not use up the link."""
    sent = request.headers
    return (
        request.method == "GET"
        and sent.get("Sec-Fetch-Dest", "document") == "document"
        and not any(name in sent for name in AHEAD)
        and not _ROBOT.search(sent.get("User-Agent", ""))
    )


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
