"""The page of an event: standings, matches, games, and its rules for arbiters."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from records.notation.dispute_commands import PENALTIES
from service.errors import Invalid
from service.games.events import rules as event_rules
from service.games.events.standings import Standing, load_event, load_standings
from service.http.access import needs
from service.http.context import current_services
from service.http.language import error_text
from service.http.names import check_event, key_of_page
from service.http.web.base import blueprint, render_page
from service.http.web.disputes.remedies import penalty_word
from service.http.web.feed_address import feed_address, feed_end
from service.http.web.forms import read_number, shows_refusals
from service.http.web.library.pages import newest
from service.storage import EventRules


def _event_page(name: str, refusal: str = "") -> Response:
    key, services = check_event(key_of_page(name, "event")), current_services()
    after = feed_end()
    counts = load_event(services.store, key)
    standings: Sequence[Standing] = ()
    standings_refusal = ""
    try:
        standings = load_standings(services.store, key, services.settings.max_event_games)
    except Invalid as error:
        standings_refusal = error_text(error)
    return render_page(
        "events/event.html",
        counts=counts,
        standings=standings,
        refusal=standings_refusal,
        rules=event_rules.load_rules(services.store, key),
        rules_refusal=refusal,
        penalty_kinds=PENALTIES,
        penalty_word=penalty_word,
        feed=feed_address(after, event=counts.name),
        **newest(event=counts.name),
    )


@blueprint.get("/events/<path:name>")
@needs("read", limited=True)
def event(name: str) -> ResponseReturnValue:
    """An event: its standings, its matches, its newest games and its rules for arbiters."""
    return _event_page(name)


@blueprint.post("/events/<path:name>")
@needs("arbiter", limited=True)
@shows_refusals(_event_page)
def set_event_rules(name: str) -> ResponseReturnValue:
    """Set what the rules of the event say about penalties and appeals."""
    key, store = check_event(key_of_page(name, "event")), current_services().store
    load_event(store, key)
    form = request.form
    minutes = read_number(form, "appeal_minutes") if form.get("appeal_minutes", "").strip() else None
    ladder = tuple(filter(None, form.getlist("rung")))
    event_rules.set_rules(store, key, EventRules(ladder, minutes))
    return redirect(url_for("web.event", name=name), 303)
