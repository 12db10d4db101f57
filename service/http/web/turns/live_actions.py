"""What a scorekeeper does on the live page beside playing turns: taking back, laying out, trials and teams."""

from __future__ import annotations

from flask import request
from flask.typing import ResponseReturnValue

from inkeek.records import Move
from inkeek.service.errors import Invalid
from inkeek.service.games import people
from inkeek.service.games.turns import retractions
from inkeek.service.http.access import needs
from inkeek.service.http.context import current_services, current_write
from inkeek.service.http.web.base import blueprint, see_other
from inkeek.service.http.web.forms import read_number, shows_refusals

from .lay_out import read_gap, read_irregular, read_rearrangement
from .live_page import live_page


@blueprint.post("/games/<game_id>/live/actions")
@needs("record")
@shows_refusals(live_page)
def live_action(game_id: str) -> ResponseReturnValue:
    """Take the last turn back, lay out, note a trial, or change a team: the field `action` says which."""
    form, games = request.form, current_services().games
    action = form.get("action", "")
    if action == "take-back":
        write = current_write(expected_ply=read_number(form, "ply"))
        reason, side = form.get("reason", ""), _side() if form.get("side") else None
        if reason == "objection":
            side = None  # the opponents', whoever is chosen beside the other reasons
        retractions.take_back(games, game_id, reason, write, side, form.get("note", ""))
    elif action == "trial":
        write = current_write(form.get("by", ""), expected_ply=read_number(form, "ply"))
        people.try_move(games, game_id, Move.parse(form.get("move", "").strip()), write)
    elif action == "irregular":
        move, position = read_irregular(form, games.load(game_id).position)
        games.play_irregular(game_id, move, position, current_write(expected_ply=read_number(form, "ply")))
    elif action == "gap":
        turns, position = read_gap(form, games.load(game_id).position)
        games.add_gap(game_id, turns, position, current_write(expected_ply=read_number(form, "ply")))
    elif action == "rearrange":
        move = read_rearrangement(form, games.load(game_id).position)
        games.play(game_id, move, current_write(expected_ply=read_number(form, "ply")))
    elif action in ("join", "leave"):
        change = people.join if action == "join" else people.leave
        change(games, game_id, _side(), form.get("name", ""), current_write())
    else:
        raise Invalid(
            "action is %(action)r. Expected take-back, trial, irregular, gap, rearrange, join or leave.",
            action=action[:40],
        )
    return see_other("web.live", game_id=game_id, view=request.args.get("view"))


def _side() -> str:
    side = request.form.get("side", "")
    if side not in ("South", "North"):
        raise Invalid("The side is %(text)r. Choose South or North.", text=side[:40])
    return side
