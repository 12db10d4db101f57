"""The pages on which an organizer makes an event, changes it, and has its rounds; and who changed what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from flask import Response, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict

from inkeek.records.errors import joined_texts
from inkeek.records.rules.ruleset import load_ruleset, ruleset_ids
from inkeek.records.structs import decode_json
from inkeek.service.boards.event_tables import change_event_table, check_new_boards
from inkeek.service.errors import Conflict, ErrorText, Invalid, NotFound, Stale, gettext_later as later
from inkeek.service.games.events import plan as plans
from inkeek.service.games.events.plan import EventPlan, OfferedGame, TableBoard, plan_of
from inkeek.service.games.events.planning import Expected
from inkeek.service.games.library.persons import change_plan
from inkeek.service.games.view_models import set_ups
from inkeek.service.games.write import who
from inkeek.service.http.access import allows, needs
from inkeek.service.http.access.invitations import ROLES
from inkeek.service.http.api.bodies import number_or_text, read_form
from inkeek.service.http.context import current_caller, current_services, current_write
from inkeek.service.http.language import gettext, local_time
from inkeek.service.http.names import check_event, event_of_page, page_name, shown_plan
from inkeek.service.http.web.base import blueprint, render_page, see_other
from inkeek.service.http.web.forms import read_number, shows_refusals
from inkeek.service.storage import Change, EventPlanRow
from inkeek.service.storage.search import name_key

from .api import NewEventSchema, NewRoundSchema, TableSchema, changed_plan
from .evening import FIELD, board_choices, read_boards, table_numbers
from .pages import event_page

SHOWN_FIELD = "shown"  # the field that says what the others said when the form was opened
TEXTS = ("name", "first_date", "last_date", "place", "format", "state")
NUMBERS = ("legs", "planned_rounds", "tables")
SIDES = ("south", "north")
# What an empty field of the form says.
EMPTIED = {"first_date": "", "last_date": "", "place": "", "tables": 0, "planned_rounds": None}
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
    """The value of the field `SHOWN_FIELD`."""
    return msgspec.json.encode(dict(plan_fields(plan).lists())).decode()


class MergedForm(NamedTuple):
    """The form with what others have changed since it was opened, where its sender changed nothing. `taken`: what
    others have written where both changed the same, which stays as the sender wrote it. `removed`: the names of players
    that the sender changed and others took out; the names that were typed for them are at the end of `pasted`."""

    fields: Fields
    taken: list[str]
    removed: list[str]


def merged(form: Fields, plan: EventPlan) -> MergedForm:
    """The form of this plan, in which others may have written since it was opened.

    :raises Invalid: its field `SHOWN_FIELD` is not one that this page made.
    """
    if SHOWN_FIELD not in form:  # sent by a program: its version says what it knows
        return MergedForm(form, [], [])
    try:
        shown = decode_json(form[SHOWN_FIELD], dict[str, list[str]])
    except msgspec.MsgspecError as error:
        raise Invalid("The form is damaged: open it again.") from error
    now, found, taken, removed = plan_fields(plan), MultiDict(form), [], {}
    found.setlist("player", [str(player.id) for player in plan.players])
    for name in sorted({*shown, *now}):
        was, theirs = shown.get(name, []), now.getlist(name)
        mine = [text.strip() for text in form.getlist(name) if text.strip()]
        if theirs in (was, mine):
            continue
        field, _, id = name.partition(".")
        if mine == was or (name not in form and not name.startswith("game.")):
            found.setlist(name, theirs)
            if field in ("team", "state") and f"name.{id}" in form and not form[f"name.{id}"].strip():
                taken.append(_words_of(field, theirs))  # of a player whom the sender takes out
        elif field in ("name", "team", "state") and id and f"name.{id}" not in now:
            removed[id] = shown.get(f"name.{id}", [""])[0]
        else:
            taken.append(_words_of("player_state" if id and field == "state" else field, theirs))
    typed = [form[f"name.{id}"].strip() for id in removed if form.get(f"name.{id}", "").strip() != removed[id]]
    if any(typed):
        found["pasted"] = "\n".join([*found.get("pasted", "").splitlines(), *filter(None, typed)])
    return MergedForm(found, taken, [*removed.values()])


def _words_of(field: str, values: Sequence[str]) -> str:
    """What a field of the form says, in the words of the page."""
    words = WORDS.get(field, {})
    return ", ".join(gettext(words[one]) if one in words else one for one in values) or "–"


def merged_or_refused(form: Fields, plan: EventPlan) -> Fields:
    """The form as `merged` gives it.

    :raises Conflict: others changed the same as its sender. :raises Invalid: see `merged`.
    """
    found, taken, removed = merged(form, plan)
    both = ErrorText(
        "Somebody else has meanwhile changed to %(theirs)s what you changed too. Save again to store yours.",
        theirs="; ".join(taken)[:300],
    )
    gone = ErrorText(
        "Somebody else has meanwhile taken out %(names)s, whom you changed. A name that you typed is under “More "
        "players” now: save again to put it on the list, or delete it there.",
        names=", ".join(removed)[:300],
    )
    if taken and removed:
        raise Conflict(joined_texts((both, gone)))
    if taken or removed:
        raise Conflict(both if taken else gone)
    return found


FORMATS = {
    "free": (later("Free"), later("You say who plays whom.")),
    "all": (later("Everybody against everybody"), later("In a fixed order, so that everybody meets everybody once.")),
    "swiss": (
        later("Swiss"),
        later("Each round, players with equal points meet, and nobody meets twice. For many players and few rounds."),
    ),
    "teams": (later("Teams"), later("Each team meets each other team, player by player in the order of the list.")),
}
TIE_BREAKS = {
    "direct": (later("Direct encounter"), later("points among those who are equal, if all of them have met")),
    "sonneborn-berger": (
        later("Quality of wins"),
        later("points of those beaten, and half of those drawn with (Sonneborn-Berger)"),
    ),
    "buchholz": (later("Strength of opponents"), later("points of all opponents (Buchholz)")),
    "sticks": (later("Games won less lost"), later("games won less games lost")),
    "sticks-won": (later("Games won"), later("games won, of all")),
}
TEAM_TIE_BREAKS = {
    "boards": (later("Board points"), later("the points of the team’s players at their boards")),
    "direct": (later("Direct encounter"), later("match points among those who are equal, if all of them have met")),
    "sticks": TIE_BREAKS["sticks"],
}
PLAYER_STATES = {
    "in": later("plays"),
    "bye": later("half a point instead of the next round"),
    "out": later("is away"),
}
STATES = {"planned": later("has not begun"), "running": later("is going on"), "over": later("is over")}
# The words of what fields of the form say that are no texts.
WORDS: dict[str, dict[str, str]] = {
    "format": {name: words for name, (words, _) in FORMATS.items()},
    "tie_break": {name: words for name, (words, _) in TIE_BREAKS.items()},
    "player_state": PLAYER_STATES,
    "state": STATES,
}


@blueprint.context_processor
def _event_words() -> dict[str, Any]:
    return {
        "event_formats": FORMATS,
        "tie_breaks": TIE_BREAKS,
        "team_tie_breaks": TEAM_TIE_BREAKS,
        "player_states": PLAYER_STATES,
    }


@blueprint.get("/events/new")
@needs("read", limited=True)
def new_event() -> ResponseReturnValue:
    """The form for a new event; with ``like`` as that event was, with its players."""
    like = request.args.get("like", "")
    plan = _like(like)
    pasted = "\n".join(f"{player.name}; {player.team}" if player.team else player.name for player in plan.players)
    plan = msgspec.structs.replace(plan, first_date=local_time().date().isoformat(), players=())
    return _form_page(plan, like=like, pasted=pasted)


@blueprint.post("/events/new")
@needs("arbiter", limited=True)
@shows_refusals(lambda refusal: _new_page(refusal))
def create_event() -> ResponseReturnValue:
    """Make the event, or show the form again with what is wrong."""
    before = msgspec.structs.replace(_like(request.form.get("like", "")), players=())
    boards = before.boards if allows(current_caller().scopes, "board") else ()
    check_new_boards((), boards)
    plan = _read_plan(before, request.form, boards)
    check_event(name_key(plan.name))
    return see_other("web.event", name=page_name(current_services().events.create(plan, current_write()).name))


def _new_page(refusal: str) -> Response:
    like = request.form.get("like", "")
    plan = msgspec.structs.replace(_like(like), players=())
    return _form_page(plan, like=like, refusal=refusal, fields=request.form)


def _like(name: str) -> EventPlan:
    """What a new event has of one with that name; of none: what every new one has."""
    if not name:
        return EventPlan("", format="swiss")
    before = shown_plan(plan_of(current_services().events.load(event_of_page(name))))
    return msgspec.structs.replace(before, name="", first_date="", last_date="", rounds=(), state="planned")


def _plan_page(name: str, refusal: str = "") -> Response:
    key, events = event_of_page(name), current_services().events
    try:
        row = events.load(key)
    except NotFound:
        typed = request.form if refusal else None
        return _form_page(shown_plan(events.adopted(key)), name=name, refusal=refusal, fields=typed)
    plan = shown_plan(plan_of(row))
    fields = merged(request.form, plan).fields if refusal else None
    return _form_page(plan, name=name, version=row.version, refusal=refusal, fields=fields)


@blueprint.get("/events/<path:name>/plan")
@needs("read", limited=True)
def event_plan(name: str) -> ResponseReturnValue:
    """The form for players and settings of an event, or to make one of an event that only games name."""
    return _plan_page(name)


@blueprint.post("/events/<path:name>/plan")
@needs("arbiter", limited=True)
@shows_refusals(_plan_page)
def change_event_plan(name: str) -> ResponseReturnValue:
    """Store what the form says."""
    key, events = event_of_page(name), current_services().events
    form = request.form
    if form.get("version", ""):
        before = shown_plan(plan_of(events.load(key)))
        boards = read_boards(merged_or_refused(form, before), before)
        version = None if SHOWN_FIELD in form else read_number(form, "version")

        def edit(plan: EventPlan) -> EventPlan:
            after = _read_plan(plan, merged_or_refused(form, plan), boards)
            _check_ticks(plan, after)
            return after

        name = page_name(change_plan(events, current_services().store, key, version, edit, current_write()).name)
    else:
        found = _read_plan(events.adopted(key), form)
        if name_key(found.name) != key:
            raise Invalid(
                "The name is %(name)r: expected %(key)r, as the games have it.", name=found.name[:80], key=key
            )
        events.create(found, current_write())
    return see_other("web.event", name=name)


@blueprint.post("/events/<path:name>/rounds")
@needs("arbiter", limited=True)
@shows_refusals(event_page)
def begin_round(name: str) -> ResponseReturnValue:
    """Pair the next round and begin its games."""
    form, key = request.form, event_of_page(name)
    sides = [[number_or_text(id) if id else None for id in form.getlist(side)] for side in SIDES]
    pairs = [
        {"south": south or north, "north": north if south else None}
        for south, north in zip(*sides, strict=False)
        if south or north
    ]
    body = read_form(NewRoundSchema, {**form, "pairings": pairs or None})
    seats = [(pair["south"], pair["north"]) for pair in body["pairings"] or ()]
    version = _version_seen(read_number(form, "version"))
    current_services().events.begin_round(key, version, current_write(), seats or None, body["offered"])
    return see_other("web.event", name=name)


@blueprint.post("/events/<path:name>/tables")
@needs("record", limited=True)
@shows_refusals(event_page)
def change_table(name: str) -> ResponseReturnValue:
    """Change who plays at a table, say its result, or try again to take its board for the game."""
    form = request.form
    number, table = read_number(form, "round"), read_number(form, "table")
    key = event_of_page(name, table)
    if "board" in form:
        current_services().tables.bind(plan_of(current_services().events.load(key)), table)
        return see_other("web.event", name=name)
    is_cleared = form.get("result") == "clear"
    fields = {name: None if name in SIDES and text == "0" else text for name, text in form.items()}
    body = read_form(TableSchema, {**fields, "result": "" if is_cleared else form.get("result", "")})
    if is_cleared:
        body["result"] = ""
    version = _version_seen(read_number(form, "version")) if "south" in form else None  # results change no plan
    change_event_table(key, version, number, table, body, current_write(body.pop("by")))
    return see_other("web.event", name=name, round=number, _anchor=f"table-{table}")


def _version_seen(version: int) -> Expected:
    """A check that the plan is as who sent a form saw it, which says what was changed since."""

    def check(row: EventPlanRow) -> None:
        if row.version == version:
            return
        with current_services().store.reading() as transaction:
            last = transaction.changes.newest("event", [row.event], 1)
        what = dict.fromkeys(line.about for change in last for line in _lines(change, shown_plan(plan_of(row))))
        raise Stale(
            "The event was changed meanwhile (%(what)s), and nothing was stored. Look at it, then send it again.",
            what=", ".join(what) or "–",
        )

    return check


def _form_page(
    plan: EventPlan,
    *,
    name: str = "",
    version: int | None = None,
    refusal: str = "",
    like: str = "",
    pasted: str = "",
    fields: Fields | None = None,
) -> Response:
    """The page with the form; `fields`: what a refused one says."""
    fields = plan_fields(plan) if fields is None else fields
    chooses_boards = bool(version) and allows(current_caller().scopes, "board")
    rulesets = [(info, set_ups(info)) for info in map(load_ruleset, ruleset_ids())]
    return render_page(
        "events/plan.html",
        plan=plan,
        name=name,
        version=version,
        refusal=refusal,
        fields=fields,
        shown=shown_text(plan),
        rulesets=rulesets,
        start_rows={start.position.row for _, starts in rulesets for start in starts if start.is_pictured},
        like=like,
        pasted=fields.get("pasted", pasted),
        board_choices=board_choices(plan) if chooses_boards else {},
        table_numbers=table_numbers(plan),
        chooses_boards=chooses_boards,
        most_breaks=max(3, len(plan.tie_breaks or ())),
    )


def _read_plan(plan: EventPlan, form: Fields, boards: tuple[TableBoard, ...] = ()) -> EventPlan:
    """The plan with what the form says, as the API reads it, and with these boards."""
    breaks = list(dict.fromkeys(filter(None, form.getlist("tie_break"))))
    fields = {
        **form.to_dict(),
        "games": list(_offered_games(form, plan)),
        "players": [*_listed_players(form), *_pasted_players(form)],
        "tie_breaks": breaks or (None if plan.tie_breaks else plan.tie_breaks),  # none at all stays so
    }
    body = {**EMPTIED, **read_form(NewEventSchema, fields)}
    return changed_plan(msgspec.structs.replace(plan, boards=boards), body)


def _offered_games(form: Mapping[str, str], plan: EventPlan) -> Iterator[dict[str, Any]]:
    """The games that are ticked, with the other options that they had. Those that were there stay in their order."""
    before = {game.game: game.options for game in plan.games}
    for id in (*before, *(id for id in ruleset_ids() if id not in before)):
        if f"game.{id}" not in form:
            continue
        options, field = dict(before.get(id, {})), set_ups(load_ruleset(id))[0].field
        start = form.get(f"start.{id}")
        if start is not None:
            options.pop(field, None)
        yield {
            "game": id,
            "options": {**options, field: start} if start else options,
            "time_control": form.get(f"time.{id}", "").strip(),
        }


def _check_ticks(before: EventPlan, after: EventPlan) -> None:
    """:raises Invalid: a game of a round is not ticked any more. It would stay, as `with_parts_in_play` has it."""
    kept = {game.game for game in after.games}
    played = {
        before.games[one.offered].game: number for number, one in before.places if one.offered < len(before.games)
    }
    for game, number in played.items():
        if game not in kept:
            raise Invalid(
                "%(game)s is played in round %(number)s, and stays: tick it again.",
                game=load_ruleset(game).name,
                number=number,
            )


def _listed_players(form: Fields) -> Iterator[dict[str, Any]]:
    """The players that the form lists; one whose name is empty is left out."""
    for id in form.getlist("player"):
        if form.get(f"name.{id}", "").strip():
            given = {field: form[f"{field}.{id}"] for field in ("name", "team", "state") if f"{field}.{id}" in form}
            yield {"id": number_or_text(id), **given}


def _pasted_players(form: Fields) -> Iterator[dict[str, Any]]:
    """The players of the text, and those whom the games of an event name that has no plan yet."""
    again = [(name, team) for name, _, team in (line.partition(";") for line in form.getlist("again"))]
    for name, team in [*again, *plans.read_player_list(form.get("pasted", ""))][: plans.MAX_PLAYERS + 1]:
        yield {"name": name.strip(), "team": team.strip()}


MOST_CHANGES = 50  # changes of a page
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
    key, services = event_of_page(name), current_services()
    before = read_number(request.args, "before") if request.args.get("before") else None
    row = services.events.load(key)
    with services.store.reading() as transaction:
        found = transaction.changes.newest("event", [key], MOST_CHANGES + 1, before)
    plan, shown = shown_plan(plan_of(row)), found[:MOST_CHANGES]
    older = url_for("web.event_changes", name=name, before=shown[-1].number) if len(found) > MOST_CHANGES else None
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
        before = "" if change.kind == "created" else before
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
            return "; ".join(_offered(one) for one in value or () if one["game"] in ruleset_ids())
        case "boards":
            return ", ".join(f"{one['table']}: {one['port']}" for one in value or ())
        case "format":
            return gettext(FORMATS[value or "free"][0])
        case "legs":
            return str(value or 1)
        case "tie_breaks":
            return ", ".join(gettext(TIE_BREAKS[one][0]) for one in value or ())
        case "state":
            state = value or "planned"
            return gettext(STATES[state])
        case "player" if value:
            words = gettext(PLAYER_STATES[value.get("state", "in")])
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
    return "" if value in (None, 0) else str(value)  # 0 tables: not decided


def _offered(one: dict[str, Any]) -> str:
    options = (f"{name}={value}" for name, value in one.get("options", {}).items())
    return ", ".join(filter(None, (load_ruleset(one["game"]).name, *options, one.get("time_control"))))


def _pairing(one: dict[str, Any], plan: EventPlan) -> str:
    names = [plan.by_id[one[side]].name for side in SIDES if one.get(side) in plan.by_id]
    words = _result(one.get("result", ""), names)  # which plans had once
    return " – ".join(names) + (f" ({words})" if words else "")


def _result(result: str, names: Sequence[str]) -> str:
    """What was said at a table, one of `results.ENDS`."""
    if result in ("south", "north") and len(names) == 2:
        return gettext("%(name)s did not come", name=names[result == "south"])
    return gettext(RESULTS[result]) if result in RESULTS else result
