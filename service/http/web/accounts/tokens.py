"""The page ``/tokens``: tokens and sessions for administrators, and for everybody who they are."""

from __future__ import annotations

from datetime import timedelta

from flask import Response, request
from flask.typing import ResponseReturnValue

from inkeek.service.errors import Invalid, gettext_later as later
from inkeek.service.http.access import SCOPES, allows, needs
from inkeek.service.http.access.caller import LINK, NOBODY, SESSION, TOKEN
from inkeek.service.http.access.keys import MAX_DAYS, MAX_NAME
from inkeek.service.http.access.limits import LIMITS
from inkeek.service.http.access.scopes import SAYS
from inkeek.service.http.context import current_caller, current_services
from inkeek.service.http.web.base import blueprint, render_page, see_other, shared_url
from inkeek.service.http.web.forms import shows_refusals
from inkeek.service.storage import Limit

KINDS = {TOKEN: later("token"), SESSION: later("session"), LINK: later("link")}


@blueprint.get("/tokens")
@needs("read", limited=True, current=True)
def tokens() -> ResponseReturnValue:
    """Who the caller is; for administrators also all tokens and sessions, and a form for a new one."""
    return _page()


@blueprint.post("/tokens")
@needs("admin", current=True)
@shows_refusals(lambda refusal: _page(refusal))
def create_token() -> ResponseReturnValue:
    """Create a token, or a link that signs a browser in. Only this response has the secret."""
    form, services = request.form, current_services()
    days = form.get("days", "").strip()
    if days and not (days.isascii() and days.isdigit() and len(days) <= 5):
        raise Invalid(
            "days is %(text)r. Expected a number from 1 to %(most)s, or nothing.", text=days[:40], most=MAX_DAYS
        )
    if form.get("limit", "").strip() and not form.get("limit_kind"):
        raise Invalid(
            "limit is %(text)r, and the key could do everything. Choose what it names.", text=form["limit"][:40]
        )
    limit = Limit(form["limit_kind"], form.get("limit", "").strip()) if form.get("limit_kind") else None
    kind = LINK if form.get("kind") == LINK else TOKEN
    if days and kind == LINK:
        raise Invalid("days is %(text)r, and a link expires within minutes. Leave it empty.", text=days)
    lifetime = timedelta(days=int(days)) if days else None
    if kind == LINK:
        lifetime = timedelta(seconds=services.settings.link_lifetime)
    giver = current_caller() if kind == LINK else NOBODY
    name = form.get("name", "").strip()
    key, secret = services.keys.create(kind, name, form.getlist("scope"), lifetime, limit, giver=giver)
    shown = shared_url("web.sign_in", key=secret) if kind == LINK else secret
    return _page(secret=shown, made=f"{key.name} ({', '.join(key.scopes)})")


@blueprint.post("/tokens/<token_id>/rotate")
@needs("admin", current=True)
@shows_refusals(lambda token_id, refusal: _page(refusal))
def rotate_token(token_id: str) -> ResponseReturnValue:
    """Replace the secret of a token at once. Only this response has the new one."""
    key, secret = current_services().keys.rotate(token_id, by=current_caller())
    return _page(secret=secret, made=f"{key.name} ({', '.join(key.scopes)})")


@blueprint.post("/tokens/<token_id>/revoke")
@needs("admin", current=True)
@shows_refusals(lambda token_id, refusal: _page(refusal))
def revoke_token(token_id: str) -> ResponseReturnValue:
    """Revoke a token or a session at once."""
    current_services().keys.revoke(token_id, keep_admin=True, by=current_caller())
    return see_other("web.tokens")


def _page(refusal: str = "", secret: str = "", made: str = "") -> Response:
    services, caller = current_services(), current_caller()
    listed = services.keys.list() if allows(caller.scopes, "admin") else []
    return render_page(
        "accounts/tokens.html",
        me=services.keys.get(caller.id) if caller.id else None,
        rows=[(key, services.keys.is_good(key)) for key in reversed(listed)],
        scopes=[(scope, SAYS[scope]) for scope in SCOPES],
        kinds=KINDS,
        limits=LIMITS,
        max_name=MAX_NAME,
        max_days=MAX_DAYS,
        given=request.form if refusal else {},
        refusal=refusal,
        secret=secret,
        made=made,
    )
