"""The page of an event: the tables of its round, standings, matches, games, and its rules for arbiters."""

from __future__ import annotations

from itertools import filterfalse

from flask import Response, request
from flask.typing import ResponseReturnValue

from inkeek.records.notation.commands import PENALTIES
from inkeek.service.errors import Invalid
from inkeek.service.games.events import rules as event_rules
from inkeek.service.games.events.plan import EventPlan, counts_in, plan_of
from inkeek.service.games.events.standings import TEAM_ORDER, EventStandings, event_standings, load_event, load_rows
from inkeek.service.games.pages import games_of
from inkeek.service.games.view_models import GameCard
from inkeek.service.http.access import allows, needs
from inkeek.service.http.api.bodies import read_form
from inkeek.service.http.context import current_caller, current_limit, current_services
from inkeek.service.http.language import error_text
from inkeek.service.http.names import event_of_page, name_id
from inkeek.service.http.web.base import blueprint, feed_address, feed_end, render_page, see_other, unchanged_or
from inkeek.service.http.web.forms import merged, shows_refusals, whole_or_none
from inkeek.service.http.web.labels import game_name, penalty_word, points_words
from inkeek.service.library.api import EventRulesSchema
from inkeek.service.library.pages import FEW, newest
from inkeek.service.storage import EventRules, GameFilter, GameRow
from inkeek.service.storage.search import game_key

from .evening import boards_at_tables, evening_view, follows_boards

LOOKED_AT = 500  # newest games among which those are found that count for nothing


def event_page(name: str, refusal: str = "") -> Response:
    key, services = event_of_page(name), current_services()
    after = feed_end()
    counts = load_event(services.store, key)
    listed: EventStandings | None = None
    standings_refusal, game = "", request.args.get("game") or None
    rows: list[GameRow] = []
    try:
        rows, counted_by, persons = load_rows(services.store, key, services.settings.max_event_games)
        listed = event_standings(rows, persons, counted_by, game)
    except Invalid as error:
        standings_refusal = error_text(error)
    planned, rules = services.events.row(key), event_rules.load_rules(services.store, key)
    may_invite = allows(current_caller().scopes, "invite")
    invitations, guests = services.invitations.of_event(key) if may_invite and planned else ([], [])
    evening = planned and evening_view(
        plan_of(planned),
        planned.version,
        rows,
        whole_or_none(request.args.get("round", "")),
        guests,
    )
    return render_page(
        "events/event.html",
        counts=counts,
        ranked=listed,
        refusal=standings_refusal,
        evening=evening,
        table_boards=boards_at_tables(evening) if evening else {},
        follows_boards=bool(evening and evening.plan.boards) and follows_boards(),
        expects_guests=bool(invitations),
        disputed=games_of([row for row in rows if row.dispute is not None]) if planned else [],
        event_id=name_id(key),
        played=sorted({game_key(row.game, row.tags) for row in rows}),
        shown_game=game,
        team_order=TEAM_ORDER,
        ruleset_name=game_name,
        rules=rules,
        shown_rules=_rule_fields(rules),
        typed_rules=_typed_rules(_rule_fields(rules)),
        page_refusal=refusal,
        points_words=points_words,
        penalty_kinds=[(kind, penalty_word(kind)) for kind in PENALTIES],
        penalty_word=penalty_word,
        feed=feed_address(after, event=counts.name),
        casual=_casual(counts.name, planned and plan_of(planned)),
        **newest(event=counts.name),
    )


def _casual(event: str, plan: EventPlan | None) -> list[GameCard]:
    """The newest games that have the name of an event and do not count in it."""
    rows, _ = current_services().games.page(LOOKED_AT, None, GameFilter(event=event, within=current_limit()))
    return games_of([*filterfalse(counts_in(plan), rows)][:FEW])


@blueprint.get("/events/<path:name>")
@needs("read", limited=True)
def event(name: str) -> ResponseReturnValue:
    """An event: its standings, its matches, its newest games and its rules for arbiters."""
    return unchanged_or(event_page(name))


def _rule_fields(rules: EventRules) -> dict[str, str]:
    return {"ladder": " ".join(rules.ladder), "appeal_minutes": str(rules.appeal_minutes or "")}


def _sent_rules() -> dict[str, str]:
    form = request.form
    ladder = " ".join(filter(None, form.getlist("rung")))
    return {"ladder": ladder, "appeal_minutes": form.get("appeal_minutes", "").strip()}


def _typed_rules(now: dict[str, str]) -> dict[str, str]:
    """What the form has: what is so now, or what a refused one says, where its sender changed it."""
    if request.endpoint != "web.set_event_rules":
        return now
    sent = _sent_rules()
    return {name: now[name] if sent[name] == request.form.get(f"was.{name}") else sent[name] for name in now}


@blueprint.post("/events/<path:name>")
@needs("arbiter", limited=True)
@shows_refusals(event_page)
def set_event_rules(name: str) -> ResponseReturnValue:
    """Set what the rules of the event say about penalties and appeals."""
    key, store = event_of_page(name), current_services().store
    load_event(store, key)
    form = request.form
    with store.together():
        now, sent = _rule_fields(event_rules.load_rules(store, key)), _sent_rules()
        ladder, minutes = (merged(sent[name], form.get(f"was.{name}", now[name]), now[name]) for name in now)
        body = read_form(EventRulesSchema, {"ladder": ladder.split(), "appeal_minutes": minutes})
        event_rules.set_rules(store, key, EventRules(tuple(body["ladder"]), body["appeal_minutes"]))
    return see_other("web.event", name=name)
