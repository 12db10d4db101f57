"""The pages of matches: the list, a new one, one with its standings and its next game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Response, render_template, request, url_for
from flask.typing import ResponseReturnValue

from inkeek.service.games.pages import checked_ruleset, games_of, new_game_form
from inkeek.service.games.view_models import default_set_ups
from inkeek.service.http.access import needs
from inkeek.service.http.api.bodies import read_form
from inkeek.service.http.context import current_limit, current_services, find_ruleset
from inkeek.service.http.language import local_time
from inkeek.service.http.web import forms, labels
from inkeek.service.http.web.base import PAGE, blueprint, feed_address, feed_end, render_page, see_other
from inkeek.service.http.web.forms import shows_refusals
from inkeek.service.storage import GameFilter

from . import api


@blueprint.get("/matches")
@needs("read", limited=True)
def matches() -> ResponseReturnValue:
    """Matches, newest first; of a player or of an event, if one is given."""
    given: dict[str, Any] = {name: request.args[name] for name in ("player", "event") if request.args.get(name)}
    rows, cursor = current_services().matches.page(
        PAGE, request.args.get("after"), GameFilter(**given, within=current_limit())
    )
    return render_page(
        "matches/matches.html",
        given=given,
        matches=[(row, labels.player_names(row.tags)) for row in rows],
        next_url=cursor and url_for("web.matches", **given, after=cursor),
    )


@blueprint.get("/matches/new")
@needs("read", limited=True)
def new_match() -> ResponseReturnValue:
    """The form for a new match: first the rules, then the kind of match and the players."""
    ruleset_id = request.args.get("game")
    if ruleset_id is None:
        return render_template("games/choose.html", rulesets=default_set_ups(), form="web.new_match")
    return _form(checked_ruleset(ruleset_id), {"Date": local_time().date().isoformat()}, None)


@blueprint.post("/matches/new")
@needs("record", limited=True)
@shows_refusals(lambda refusal: _form(checked_ruleset(request.form.get("game", "")), request.form, refusal))
def create_match() -> ResponseReturnValue:
    """Create the match with its first game, or show the form again with what is wrong."""
    form = request.form
    checked_ruleset(form.get("game", ""))
    body = read_form(api.NewMatchSchema, {**forms.new_game_fields(form), "title": forms.match_title(form)})
    return see_other("web.match", match_id=api.begin_match(body).id)


def _form(ruleset_id: str, given: Mapping[str, str], refusal: str | None) -> str:
    kinds = [str(kind) for kind in find_ruleset(ruleset_id).option("match").allowed if kind != "none"]
    return new_game_form(ruleset_id, given, refusal, [(kind, labels.match_kind(kind)) for kind in kinds])


def _match_page(match_id: str, refusal: str = "") -> Response:
    after = feed_end()
    series = current_services().matches.load(match_id, current_limit())
    coming = series.match.next_game() if series.open else None
    return render_page(
        "matches/match.html",
        series=series,
        match=series.match,
        game_name=labels.rules_name(series.match.rules.info),
        match_words=labels.match_kind(series.match.kind),
        match_name=forms.match_name(series.match.title),
        names=labels.player_names(series.rows[0].tags),
        coming=coming,
        terms=series.match.rules.info.terms,
        games=games_of(series.rows),
        refusal=refusal,
        feed=feed_address(after, match=match_id),
    )


@blueprint.get("/matches/<match_id>")
@needs("read")
def match(match_id: str) -> ResponseReturnValue:
    """A match: how it stands, its games, and how the next one begins."""
    return _match_page(match_id)


@blueprint.post("/matches/<match_id>")
@needs("record")
@shows_refusals(_match_page)
def begin_next_game(match_id: str) -> ResponseReturnValue:
    """Begin the next game of a match."""
    row = api.begin_next_game(read_form(api.NextGameSchema, request.form), match_id)
    return see_other("web.live", game_id=row.id)
