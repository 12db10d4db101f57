"""The fields of the form for the players and settings of an event: what they say of a plan, and how two people change
them at once."""

from __future__ import annotations

import msgspec
from werkzeug.datastructures import MultiDict

from inkeek.records.rules.ruleset import load_ruleset
from inkeek.records.structs import decode_json
from inkeek.service.errors import Conflict, Invalid
from inkeek.service.games.events.plan import EventPlan, OfferedGame
from inkeek.service.http.web.games.set_ups import set_ups

from .table_boards import FIELD

SHOWN = "shown"  # the field that says what the others said when the form was opened
TEXTS = ("name", "first_date", "last_date", "place", "format", "state")
NUMBERS = ("legs", "planned_rounds", "tables")
Fields = MultiDict[str, str]


def plan_fields(plan: EventPlan) -> Fields:
    """What the fields say of a plan. One that is empty is left out."""
    found = {name: [getattr(plan, name)] for name in TEXTS}
    found |= {name: [str(getattr(plan, name) or "")] for name in NUMBERS}
    found["tie_break"] = list(plan.tie_breaks or ())
    for game in plan.games:
        found[f"game.{game.game}"] = ["yes"]
        found[f"time.{game.game}"] = [game.time_control]
        found[f"start.{game.game}"] = [start_of(game)]
    for player in plan.players:
        found |= {f"{name}.{player.id}": [getattr(player, name)] for name in ("name", "team", "state")}
    found |= {f"{FIELD}{board.table}": [board.port] for board in plan.boards}
    return MultiDict({name: kept for name, values in found.items() if (kept := [*filter(None, values)])})


def start_of(game: OfferedGame) -> str:
    """The start that is offered of a game; empty: the usual one."""
    return str(game.options.get(set_ups(load_ruleset(game.game))[0].field, ""))


def shown_text(plan: EventPlan) -> str:
    """The value of the field `SHOWN`."""
    return msgspec.json.encode(dict(plan_fields(plan).lists())).decode()


def merged(form: Fields, plan: EventPlan) -> tuple[Fields, list[str]]:
    """The form with what others have changed since it was opened, where its sender changed nothing; and what others
    have written where both changed the same, which stays as the sender wrote it.

    :raises Invalid: its field `SHOWN` is not one that this page made.
    """
    if SHOWN not in form:  # sent by a program: its version says what it knows
        return form, []
    try:
        shown = decode_json(form[SHOWN], dict[str, list[str]])
    except msgspec.MsgspecError as error:
        raise Invalid("The form is damaged: open it again.") from error
    now, found, taken = plan_fields(plan), MultiDict(form), []
    found.setlist("player", [str(player.id) for player in plan.players])
    for name in sorted({*shown, *now}):
        was, theirs = shown.get(name, []), now.getlist(name)
        mine = [text.strip() for text in form.getlist(name) if text.strip()]
        if theirs in (was, mine):
            continue
        if mine == was or (name not in form and not name.startswith("game.")):
            found.setlist(name, theirs)
        else:
            taken.append(", ".join(theirs) or "–")
    return found, taken


def merged_or_refused(form: Fields, plan: EventPlan) -> Fields:
    """The form as `merged` gives it.

    :raises Conflict: others changed the same as its sender. :raises Invalid: see `merged`.
    """
    found, taken = merged(form, plan)
    if taken:
        raise Conflict(
            "Somebody else has meanwhile changed to %(theirs)s what you changed too. Save again to store yours.",
            theirs="; ".join(taken)[:300],
        )
    return found
