"""The first page: what to do, and whether phones in the same network are let in."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

from flask import Response, request, url_for
from flask.typing import ResponseReturnValue

from inkeek.service.errors import Conflict, Invalid
from inkeek.service.games.library.transfer import import_games
from inkeek.service.http.access import needs
from inkeek.service.http.access.caller import LINK
from inkeek.service.http.addresses import is_loopback, sign_in_url
from inkeek.service.http.context import current_caller, current_limit, current_services, current_write
from inkeek.service.http.web.base import blueprint, render_page, see_other, shared_url
from inkeek.service.http.web.events.hall import qr_svg
from inkeek.service.http.web.forms import shows_refusals
from inkeek.service.http.web.games.pages import games_of
from inkeek.service.processes.certificate import own_certificate_path
from inkeek.service.settings import ENCRYPTED, PLAIN
from inkeek.service.storage import GameFilter

SHOWN = 3  # games to which friends are invited
EXAMPLE = Path(__file__).parents[3] / "demo" / "demo.pmn"


def _page(*, refusal: str = "", next_address: str = "") -> Response:
    settings = current_services().settings
    address = shared_url("web.games")
    return render_page(
        "accounts/welcome.html",
        refusal=refusal,
        may_choose=bool(settings.phones),
        may_encrypt=not settings.tls_cert,
        lets_in=not settings.is_local,
        is_here_only=is_loopback(urlsplit(address).hostname or ""),
        encrypts=_has_own_certificate(),
        changes=bool(settings.phones) and settings.phones_choice != _choice_in_force(),
        next_address=next_address or url_for("web.welcome"),
        address=address,
        code=qr_svg(address),
        live=games_of(current_services().games.page(SHOWN, None, GameFilter(state="live", within=current_limit()))[0]),
    )


def _has_own_certificate() -> bool:
    settings = current_services().settings
    return settings.tls_cert == str(own_certificate_path(settings))


def _choice_in_force() -> str:
    if current_services().settings.is_local:
        return ""
    return ENCRYPTED if _has_own_certificate() else PLAIN


def _signed_in_at(scheme: str) -> str:
    """The address that opens this page over http or https. Browsers do not take the session along: a link does."""
    services, caller = current_services(), current_caller()
    parts = urlsplit(request.host_url)
    root = parts._replace(scheme=scheme).geturl()
    if scheme == parts.scheme:
        return root.rstrip("/") + url_for("web.welcome")
    lifetime = timedelta(seconds=services.settings.link_lifetime)
    return sign_in_url(root, services.keys.create(LINK, caller.name, caller.scopes, lifetime, giver=caller)[1])


@blueprint.get("/welcome")
@needs("read", limited=True)
def welcome() -> ResponseReturnValue:
    """What to do first, and who may come in."""
    return _page()


@blueprint.post("/welcome/example")
@needs("record")
def store_example() -> ResponseReturnValue:
    """Store the example, unless it is there, and show it."""
    lines = EXAMPLE.read_bytes().splitlines(keepends=True)
    (stored,) = import_games(current_services().games, lines, 1, current_write())
    return see_other("web.review", game_id=stored.id)


@blueprint.post("/welcome/phones")
@needs("admin")
@shows_refusals(_page)
def choose_phones() -> ResponseReturnValue:
    """Let other devices of the network in, or not. `inkeek serve` sees the choice, and opens the service again."""
    phones = current_services().settings.phones
    if not phones:
        raise Conflict("Whoever started this service chose its address (host). Start it with 'inkeek' to choose here.")
    choice = request.form.get("let", "")
    if choice not in ("", PLAIN, ENCRYPTED):
        raise Invalid("let is %(choice)r: expected one of plain, tls, or nothing", choice=choice[:80])
    if choice:
        Path(phones).write_text(choice, "utf-8")
    else:
        Path(phones).unlink(missing_ok=True)
    encrypts = choice == ENCRYPTED or (request.is_secure and not _has_own_certificate())
    return _page(next_address=_signed_in_at("https" if encrypts else "http"))
