"""The page that plays a game by other rules: the first turn that does something else by them, and why."""

from __future__ import annotations

from flask import Response, request

from inkeek.records import RecordsError
from inkeek.records.comparison import differing_options, differing_plies, find_parting, other_rules
from inkeek.records.notation.tags import parse_options
from inkeek.records.rules.ruleset import format_value
from inkeek.service.http.access import needs
from inkeek.service.http.context import all_rulesets, current_services, find_ruleset
from inkeek.service.http.language import error_text, page_language
from inkeek.service.http.web import labels
from inkeek.service.http.web.base import blueprint, render_page
from inkeek.service.http.web.games.table_view import only_there


@blueprint.get("/games/<game_id>/comparison")
@needs("read")
def compare_rules(game_id: str) -> tuple[Response, int]:
    """Where the game parts from the rule set ``?rules=``, with ``?options=`` as in the tag `Options`."""
    snapshot = current_services().games.load(game_id)
    game, given, options = snapshot.record, request.args.get("rules", ""), request.args.get("options", "")[:1000]
    boards = [info for info in all_rulesets() if snapshot.rules.row in info.option("pits").allowed]
    refusal, other, parting, differing = "", None, None, []
    tables: list[list[str]] = []
    if given:
        try:
            other = other_rules(game, find_ruleset(given), **parse_options(options))
            parting = find_parting(game, other, page_language())
            differing = differing_plies(game, other)
            tables = only_there(snapshot.rules, other)
        except RecordsError as error:
            refusal = error_text(error)
    page = render_page(
        "review/comparison.html",
        game_id=game_id,
        names=labels.player_names(snapshot.row.tags),
        rules=snapshot.rules,
        other=other,
        parting=parting,
        differing_turns=[(ply, snapshot.cite(ply)) for ply in differing],
        tables=tables,
        cited=snapshot.cite(parting.ply) if parting else "",
        differing=differing_options(snapshot.rules, other) if other else {},
        rulesets=boards,
        format_value=format_value,
        given=given,
        options=options,
        refusal=refusal,
    )
    return page, 422 if refusal else 200
