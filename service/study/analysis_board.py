"""The analysis board."""

from __future__ import annotations

from typing import Any

from flask import render_template, request
from flask.typing import ResponseReturnValue

from inkeek.records import RecordsError, ruleset
from inkeek.service.games import view_models
from inkeek.service.games.pages import checked_ruleset
from inkeek.service.games.view_models import default_set_ups, finding_address, rules_query
from inkeek.service.http.access import needs
from inkeek.service.http.context import find_ruleset
from inkeek.service.http.language import error_text, gettext
from inkeek.service.http.rooms import RoomPages
from inkeek.service.http.web import labels
from inkeek.service.http.web.base import render_page

from .api import read_position

# What the template of the review asks of a game.
NO_GAME: dict[str, Any] = {
    **dict.fromkeys(("names", "sentences"), ()),
    **dict.fromkeys(("api_url", "finding_url", "other_version"), ""),
    "last": None,
    "ended": False,
    "ply": 0,
    "plies": 0,
}
MAX_TEXT = 1000  # characters of a position, and of options


pages = RoomPages()


@pages.get("/analysis")
@needs("read", limited=True)
def analysis_board() -> ResponseReturnValue:
    """A board for any position: try turns, with engine and explorer. All of it is in the query."""
    game = request.args.get("game")
    if game is None:
        return render_template(
            "games/choose.html",
            rulesets=default_set_ups(),
            form="web.analysis_board",
            heading=gettext("Analysis board"),
        )
    checked_ruleset(game)
    options, text = (request.args.get(name, "").strip()[:MAX_TEXT] for name in ("options", "position"))
    error = ""
    try:
        rules, position = read_position(game, options, text or None)
    except RecordsError as refused:
        error, rules = error_text(refused), ruleset(find_ruleset(game))
        position = rules.start()
    values: dict[str, Any] = {
        "view": NO_GAME,
        "rules": rules,
        "position": position,
        "given_position": text if error and text else str(position),
        "options": options,
        "error": error,
        "board_title": labels.board_title(position, "", ended=False),
        "finding_base": finding_address(rules_query(rules, game)),
        "game": game,
        "highlights": None,
        "near": int(view_models.view_side(request.args.get("view"))),
    }
    return render_page("study/analysis_board.html", **values), 422 if error else 200
