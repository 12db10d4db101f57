"""The review page of a game, and comments that are added there."""

from __future__ import annotations

from flask import Response, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest

from inkeek.service.games.plies import COMMENT
from inkeek.service.games.review.annotations import Edit, annotate
from inkeek.service.http.access import needs
from inkeek.service.http.context import current_caller, current_services, current_write
from inkeek.service.http.web import labels
from inkeek.service.http.web.base import blueprint, render_page, see_other, view_name
from inkeek.service.http.web.findings.form import finding_address, rules_query
from inkeek.service.http.web.forms import read_number, shows_refusals
from inkeek.service.http.web.games import view_models

from .view import game_graph, is_node, options_text, review_view


@blueprint.get("/games/<game_id>/review")
@needs("read")
def review(game_id: str) -> ResponseReturnValue:
    """The game turn by turn; ``?ply=`` says after which turn or which of a variation, by default the end of an ended
    game."""
    return _review_page(game_id, request.args.get("ply"))


@blueprint.post("/games/<game_id>/review")
@needs("record")
@shows_refusals(lambda game_id, refusal: _review_page(game_id, _node_of_form(), refusal))
def comment(game_id: str) -> ResponseReturnValue:
    """Add a comment to a turn; turn 0 stands for the start."""
    ply = read_number(request.form, "ply")
    edit = Edit("The new annotation", COMMENT, request.form.get("comment", ""), ply)
    annotate(current_services().games, game_id, [edit], current_write(), is_arbiter=False)
    return see_other("web.review", game_id=game_id, ply=ply, view=request.args.get("view"))


def _node_of_form() -> str | None:
    """The turn that is commented, if the form names one."""
    node = request.form.get("ply", "")
    return node if is_node(node) else None


def _review_page(game_id: str, node: str | None, refusal: str = "") -> Response:
    """The review page after a turn, with why something was refused.

    :raises BadRequest: `node` is not the address of a turn.
    """
    snapshot = current_services().games.load(game_id)
    if node is not None and not is_node(node):
        raise BadRequest(f"ply is {node[:40]!r}. Expected a number from 0 to {snapshot.row.ply}.")
    default = str(snapshot.row.ply if snapshot.ended else 0)
    view, shown = review_view(snapshot, default if node is None else node, current_caller())
    near = view_models.view_side(request.args.get("view"))
    values = {
        "ply": view.ply,
        "node": shown,
        "near": int(near),
        "view_name": view_name(near),
        "options": options_text(snapshot),
        "start": str(snapshot.record.replay().positions[0]),
        "game": snapshot.rules.id,
        "finding_base": finding_address(rules_query(snapshot.rules)),
        "nags": labels.NAGS,
        "graph": game_graph(snapshot, view.ply),
        "refusal": refusal,
    }
    return render_page("review/review.html", view=view, **values)
