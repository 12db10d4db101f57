"""The first page: what to do, and whether phones in the same network are let in."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from flask import Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from service.errors import Conflict
from service.games.library.transfer import import_games
from service.http.access import needs
from service.http.context import current_services, current_write
from service.http.web.base import blueprint, render_page, shared_url
from service.http.web.events.hall import qr_svg
from service.http.web.forms import shows_refusals

EXAMPLE = resources.files("service.demo").joinpath("demo.pmn")


def _page(*, refusal: str = "") -> Response:
    settings = current_services().settings
    address = shared_url("web.games")
    return render_page(
        "accounts/welcome.html",
        refusal=refusal,
        may_choose=bool(settings.phones),
        lets_in=not settings.is_local,
        changes=settings.lets_phones_in == settings.is_local,
        address=address,
        code=qr_svg(address),
    )


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
    return redirect(url_for("web.review", game_id=stored.id), 303)


@blueprint.post("/welcome/phones")
@needs("admin")
@shows_refusals(_page)
def choose_phones() -> ResponseReturnValue:
    """Let other devices of the network in, or not. The launcher sees the choice, and opens the service again."""
    phones = current_services().settings.phones
    if not phones:
        raise Conflict("Whoever started this service chose its address (host). Start it with 'inkeek' to choose here.")
    if request.form.get("let") == "in":
        Path(phones).touch()
    else:
        Path(phones).unlink(missing_ok=True)
    return _page()
