"""The page that says who changed an event: its plan, its rounds, who keeps a table's score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from flask import request, url_for
from flask.typing import ResponseReturnValue

from inkeek.records.rules.ruleset import load_ruleset, ruleset_ids
from inkeek.service.errors import gettext_later as later
from inkeek.service.games.events.plan import EventPlan, plan_of
from inkeek.service.games.write import who
from inkeek.service.http.access import needs
from inkeek.service.http.access.roles import ROLES
from inkeek.service.http.context import current_services
from inkeek.service.http.language import gettext
from inkeek.service.http.names import check_event, key_of_page, shown_plan
from inkeek.service.http.web.base import blueprint, render_page
from inkeek.service.http.web.forms import read_number
from inkeek.service.storage import Change

from .plans import FORMATS, PLAYER_STATES, TIE_BREAKS

SHOWN = 50  # changes of a page
FIELDS = {
    "name": later("Name of the event"),
    "first_date": later("First day"),
    "last_date": later("Last day"),
    "place": later("Place"),
    "games": later("Games"),
    "tables": later("Tables"),
    "boards": later("Sensor boards at the tables"),
    "format": later("Format"),
    "legs": later("Games at a table"),
    "planned_rounds": later("Rounds"),
    "tie_breaks": later("What decides among equal points"),
    "state": later("The event"),
    "player": later("Players"),
}
STATES = {"planned": later("has not begun"), "running": later("is going on"), "over": later("is over")}
RESULTS = {
    "bye": later("no opponent: one point"),
    "half": later("half a point"),
    "zero": later("no point"),
    "none": later("nobody came"),
}


class ChangedPart(NamedTuple):
    """A part of a change: what it is about, and how that was and is now."""

    about: str
    before: str
    after: str


@blueprint.get("/events/<path:name>/changes")
@needs("arbiter", limited=True)
def event_changes(name: str) -> ResponseReturnValue:
    """Who changed an event: players, pairings, results, and who keeps a table's score."""
    key, services = check_event(key_of_page(name, "event")), current_services()
    before = read_number(request.args, "before") if request.args.get("before") else None
    row = services.events.load(key)
    with services.store.reading() as transaction:
        found = transaction.changes.newest("event", [key], SHOWN + 1, before)
    plan, shown = shown_plan(plan_of(row)), found[:SHOWN]
    older = url_for("web.event_changes", name=name, before=shown[-1].number) if len(found) > SHOWN else None
    return render_page(
        "events/changes.html",
        event=row.name,
        changes=[(change, list(_lines(change, plan))) for change in shown],
        who=who,
        next_url=older,
    )


def _lines(change: Change, plan: EventPlan) -> Iterator[ChangedPart]:
    for part in (change.data or {}).get("parts", ()):
        before, after = (_text(part["field"], part["at"], part[when], plan) for when in ("before", "after"))
        yield ChangedPart(_about(part["field"], part["at"]), before, after)


def _about(field: str, at: str) -> str:
    if field in ("table", "result"):
        number, _, table = at.partition("/")
        return gettext("Round %(number)s, table %(table)s", number=number, table=table)
    if field == "round":
        return gettext("Round %(number)s", number=at)
    if field == "keeper":
        return gettext("Who keeps the score of table %(number)s", number=at)
    if field == "invitation":
        return gettext("Invitation: %(role)s", role=gettext(ROLES[at].name))
    return gettext(ROLES[at].name) if field == "guest" else gettext(FIELDS[field])


def _text(field: str, at: str, value: Any, plan: EventPlan) -> str:
    """How a value is written; empty if there is none."""
    match field:
        case "games":
            return ", ".join(load_ruleset(one["game"]).name for one in value or () if one["game"] in ruleset_ids())
        case "boards":
            return ", ".join(f"{one['table']}: {one['port']}" for one in value or ())
        case "format":
            return gettext(FORMATS[value][0]) if value else ""
        case "tie_breaks":
            return ", ".join(gettext(TIE_BREAKS[one][0]) for one in value or ())
        case "state":
            state = value or "planned"
            return gettext(STATES[state])
        case "player" if value:
            state = value.get("state")
            words = gettext(PLAYER_STATES[state]) if state else ""
            return ", ".join(filter(None, (value["name"], value.get("team"), words)))
        case "round":
            return ", ".join(_pairing(one, plan) for one in value or ())
        case "table":
            return _pairing(value, plan) if value else ""
        case "invitation" if value is not None:
            return gettext("Table %(table)s", table=value) if value else gettext("the whole event")
        case "result" if value:
            number, _, table = at.partition("/")
            round = plan.round(int(number))
            here = next((one for one in round.pairings if str(one.table) == table), None) if round else None
            return _result(value, [plan.by_id[id].name for id in here.players] if here else [])
    return "" if value is None else str(value)


def _pairing(one: dict[str, Any], plan: EventPlan) -> str:
    names = [plan.by_id[one[side]].name for side in ("south", "north") if one.get(side) in plan.by_id]
    words = _result(one.get("result", ""), names)  # which plans had once
    return " – ".join(names) + (f" ({words})" if words else "")


def _result(result: str, names: Sequence[str]) -> str:
    """What was said at a table, one of `results.ENDS`."""
    if result in ("south", "north") and len(names) == 2:
        return gettext("%(name)s did not come", name=names[result == "south"])
    return gettext(RESULTS[result]) if result in RESULTS else result
