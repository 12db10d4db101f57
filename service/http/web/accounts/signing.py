"""Signing in with a one-time link, and signing out."""

from __future__ import annotations

from datetime import timedelta

from flask import request
from flask.typing import ResponseReturnValue

from inkeek.service.http.access import needs
from inkeek.service.http.access.caller import SESSION, UNNAMED
from inkeek.service.http.access.guard import drop_cookie, set_cookie
from inkeek.service.http.access.keys import MAX_NAME
from inkeek.service.http.context import current_caller, current_services
from inkeek.service.http.language import gettext
from inkeek.service.http.web.base import blueprint, render_page, see_other

# What names a browser and its system in the header User-Agent; the first that is there counts, as others pretend.
BROWSERS = {
    "Edg": "Edge", "OPR": "Opera", "SamsungBrowser": "Samsung Internet", "FxiOS": "Firefox", "Firefox": "Firefox",
    "CriOS": "Chrome", "Chrome": "Chrome", "Safari": "Safari",
}  # fmt: skip
SYSTEMS = {
    "iPhone": "iPhone", "iPad": "iPad", "Android": "Android", "CrOS": "ChromeOS", "Windows": "Windows",
    "Macintosh": "Mac", "Linux": "Linux",
}  # fmt: skip


def _device_name() -> str:
    """What the device of the request may be called: “Firefox on Android”; empty if it does not say."""
    agent = request.user_agent.string
    browser, system = (next((names[word] for word in names if word in agent), "") for names in (BROWSERS, SYSTEMS))
    if browser and system:
        return gettext("%(browser)s on %(system)s", browser=browser, system=system)
    return browser or system


@blueprint.get("/sign-in")
@needs("open")
def sign_in() -> ResponseReturnValue:
    """Show whom a one-time link signs in. Fetching it changes nothing: previews, robots and images fetch links too."""
    link = request.args.get("key", "")
    name = current_services().keys.link_name(link)
    return render_page(
        "accounts/sign_in.html", name=name, key=link, asks=name == UNNAMED, most=MAX_NAME, device=_device_name()
    )


@blueprint.post("/sign-in")
@needs("open")
def use_link() -> ResponseReturnValue:
    """Use up a one-time link, and store the session in the browser."""
    services = current_services()
    lifetime = timedelta(seconds=services.settings.session_lifetime)
    link = request.form.get("key", "")
    name = request.form.get("name", "").strip() if services.keys.link_name(link) == UNNAMED else ""
    device = request.form.get("device", "").strip() or _device_name()
    key, session = services.keys.sign_in(link, lifetime, name, device)
    first = services.settings.phones and not key.lender
    response = see_other("web.welcome" if first else "web.games")
    set_cookie(response, session, lifetime)
    return response


@blueprint.post("/sign-out")
@needs("read", limited=True)
def sign_out() -> ResponseReturnValue:
    """End the session, here and in the browser. Who let others in is told first that they leave too."""
    caller = current_caller()
    if caller.kind == SESSION:
        if request.form.get("leave") != "yes" and current_services().keys.let_others_in(caller):
            return see_other("web.mine", _anchor="sign-out")
        current_services().keys.revoke(caller.id)
    response = see_other("web.games")
    drop_cookie(response)
    return response
