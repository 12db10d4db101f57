"""The page of findings: was this turn legal."""

from __future__ import annotations

import json

from flask import redirect, render_template, request
from flask.typing import ResponseReturnValue

from inkeek.records.notation.movetext import cite_moves
from inkeek.service.http.access import needs
from inkeek.service.http.context import all_rulesets, current_sender, current_services
from inkeek.service.http.finding_request import FindingRequest
from inkeek.service.http.language import page_language
from inkeek.service.http.web.base import blueprint
from inkeek.service.http.web.drawing import total_texts
from inkeek.service.http.web.forms import OPTION
from inkeek.service.http.web.games.pages import checked_ruleset

from .form import MAX_FIELD, finding_address, read_form
from .view import FindingView, finding_view


@blueprint.get("/finding")
@needs("read", limited=True, waits=True)
def finding() -> ResponseReturnValue:
    """Set up a board, say what was claimed, and read what happened. The whole question is in the query."""
    game = request.args.get("game")
    if game is None:
        return render_template("findings/finding_games.html", rulesets=all_rulesets())
    checked_ruleset(game)
    if "rules" in request.args:  # other options, perhaps with another number of pits
        options = {name: value for name, value in request.args.items() if name.startswith(OPTION) and value}
        return redirect(finding_address({"game": game, **options}), 303)
    form = read_form(request.args, page_language())
    if form.is_piecemeal and not form.error:
        return redirect(form.address, 303)
    found = None if form.question is None else _answer(form.question)
    values = {
        "info": form.rules.info,
        "given": form.given,
        "found": found,
        "most": MAX_FIELD,
        "totals": json.dumps(total_texts()),
    }
    return render_template("findings/finding.html", form=form, **values), 422 if form.error else 200


def _answer(question: FindingRequest) -> FindingView:
    found = question.answer(current_services().findings, current_sender())
    cited = cite_moves(question.evidence.before, question.moves)
    return finding_view(question.rules, found, question.evidence, question.language, cited)
