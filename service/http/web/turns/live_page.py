"""The live page: the game as it stands, and turns played without scripts."""

from __future__ import annotations

from flask import Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from records import Move
from service.errors import Invalid
from service.http.access import allows, needs
from service.http.context import current_caller, current_services, current_write
from service.http.web.base import blueprint, render_page, view_name
from service.http.web.forms import read_number, shows_refusals, tag_fields
from service.http.web.games import view_models
from service.http.web.suggestions import name_hints

from .lay_out import lay_out_form


def live_page(game_id: str, refusal: str | None = None) -> Response:
    """The live page, with why something was refused."""
    snapshot = current_services().games.load(game_id)
    view = view_models.game_view(snapshot)
    near = view_models.view_side(request.args.get("view"))
    laid = lay_out_form(snapshot, view.position, request.form) if view.may_enter else None
    may_write = allows(current_caller().scopes, "record")
    disputed = request.args.get("dispute", type=int)
    shown = {"view": view, "disputed": disputed, "near": int(near), "view_name": view_name(near), "lay_out": laid}
    hints = name_hints(snapshot.row.tags) if "names" in request.args and may_write else ()
    shown |= {"name_hints": hints, "tag_fields": tag_fields(snapshot.row.tags)}
    reopened = current_services().matches.reopened_before(snapshot.row)
    return render_page("turns/live.html", refusal=refusal, reopened=reopened, **shown)


@blueprint.get("/games/<game_id>/live")
@needs("read")
def live(game_id: str) -> ResponseReturnValue:
    """The game as it stands, with its board."""
    return live_page(game_id)


@blueprint.post("/games/<game_id>/live")
@needs("record")
@shows_refusals(live_page)
def play(game_id: str) -> ResponseReturnValue:
    """Play a turn, for browsers without scripts; the script uses the API."""
    text = request.form.get("move", "").strip()
    if not text:
        raise Invalid("No move was given. Choose a pit or type the move.")
    write = current_write(expected_ply=read_number(request.form, "ply"))
    current_services().games.play(game_id, Move.parse(text), write)
    return redirect(url_for("web.live", game_id=game_id, view=request.args.get("view")), 303)
