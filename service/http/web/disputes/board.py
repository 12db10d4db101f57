"""The page ``/games/ID/disputes/SEQ/board``: count what lies on the board of a disputed turn."""

from __future__ import annotations

import json

from flask import Response, request
from flask.typing import ResponseReturnValue

from inkeek.service.games.disputes import disputes
from inkeek.service.http.access import needs
from inkeek.service.http.context import current_caller, current_services, current_write
from inkeek.service.http.language import gettext
from inkeek.service.http.web import labels
from inkeek.service.http.web.base import blueprint, render_page, see_other
from inkeek.service.http.web.drawing.edited_board import edited_board, fields_of_text, given_fields, total_texts
from inkeek.service.http.web.forms import shows_refusals
from inkeek.service.http.web.turns.lay_out import LAID, read_laid_board
from inkeek.service.storage import dispute_id

ADDRESS = "/games/<game_id>/disputes/<int:seq>/board"


def _page(game_id: str, seq: int, refusal: str | None = None) -> Response:
    snapshot, course = disputes.load_dispute(current_services().games, dispute_id(game_id, seq))
    recorded = snapshot.position
    shown = course.row.seen or str(recorded)
    words = given_fields(request.form, LAID, recorded) or fields_of_text(shown)
    return render_page(
        "disputes/dispute_board.html",
        game_id=game_id,
        seq=seq,
        names=labels.player_names(snapshot.row.tags),
        terms=snapshot.rules.info.terms,
        edited=edited_board(LAID, gettext("The board now"), words, recorded, snapshot.rules),
        totals=json.dumps(total_texts()),
        seeds=snapshot.rules.seeds,
        refusal=refusal,
        who=current_caller().person,
    )


@blueprint.get(ADDRESS)
@needs("record")
def dispute_board(game_id: str, seq: int) -> ResponseReturnValue:
    """A form with what was said to lie on the board, or else with the recorded position."""
    return _page(game_id, seq)


@blueprint.post(ADDRESS)
@needs("record")
@shows_refusals(_page)
def count_board(game_id: str, seq: int) -> ResponseReturnValue:
    """Say what lies on the board."""
    games = current_services().games
    recorded = games.load(game_id).position
    board = read_laid_board(request.form, recorded, is_whole=False)
    seen = f"{board} {'sn'[recorded.to_move]} {recorded.ply}"
    write = current_write(request.form.get("by", "").strip() or current_caller().person)
    disputes.add_claim(games, dispute_id(game_id, seq), "", write, seen)
    return see_other("web.dispute", game_id=game_id, seq=seq)
