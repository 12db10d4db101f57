"""``/events/{id}/plan``, ``/events/{id}/rounds``: events that exist before their games."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha1
from typing import Annotated, Any

import msgspec
from flask import Response, request
from flask.typing import ResponseReturnValue
from marshmallow import Schema, fields, validate

from inkeek.records.notation.tags import MAX_VALUE
from inkeek.service.boards.event_tables import change_event_table, check_new_boards
from inkeek.service.boards.identity import MAX_SERIAL
from inkeek.service.errors import Stale
from inkeek.service.games.api import CSV, check_limit, expected_seq, respond_page
from inkeek.service.games.events import plan as plans
from inkeek.service.games.events.planning import Expected, check_expected
from inkeek.service.games.events.results import BYES, ENDS, FORFEITS, matches_of, result_of, seen_of
from inkeek.service.games.events.standings import KnownPersons, load_rows, load_standings
from inkeek.service.games.events.trf import pairings_csv, standings_csv, teams_csv, tournament_file
from inkeek.service.games.library.persons import change_plan
from inkeek.service.games.schemas import PageSchema
from inkeek.service.http.addresses import page_url
from inkeek.service.http.api.blueprint import ApiBlueprint, View
from inkeek.service.http.api.constraints import (
    OPTIONAL,
    JsonBoolean,
    JsonInteger,
    Pattern,
    by_field,
    describe,
    optional_integer,
    optional_text,
    options_field,
    ruleset_field,
)
from inkeek.service.http.api.responses import JSON, location, respond_bytes, to_json
from inkeek.service.http.compression import SUFFIX
from inkeek.service.http.context import current_services, current_write
from inkeek.service.http.names import check_event, event_of_id, name_id, page_name, shown_plan
from inkeek.service.http.shape import Count, Form, Page, Shape, Time, Url, one_of
from inkeek.service.storage import Change, EventPlanRow, GameRow
from inkeek.service.storage.search import name_key

TRF = "text/plain"


class OfferedGameJson(Shape):
    game: Annotated[str, "rule set id"]
    options: dict[str, Any]
    time_control: str


class TableBoardJson(Shape):
    table: Annotated[int, Form(minimum=1)]
    port: str
    driver: str
    serial: Annotated[str | None, "null: that of the first board that plays"]
    buttons: bool


class EventPlayerJson(Shape):
    id: Annotated[int, "the player's number in this event, which stays"]
    name: Annotated[str, "for readers initials, if the person asked for that"]
    team: str
    state: Annotated[
        str, one_of(plans.PLAYER_STATES), "`bye`: half a point instead of the next round; `out`: not paired until back"
    ]


class PairingJson(Shape):
    table: Annotated[int, Form(minimum=1)]
    south: Annotated[int, "number of the player who has the first turn"]
    north: Annotated[int | None, "null: nobody"]
    game: Annotated[str, "id of the game, or of the match with that first game"]
    offered: Annotated[int, Form(minimum=0), "which of the event's games it is, from 0"]
    result: Annotated[
        str,
        one_of(("", *BYES, *FORFEITS)),
        "what its game says: a bye (1, ½ or 0 points), or who was there for a forfeit; empty: it is played",
    ]
    points: Annotated[list[float] | None, "of South and North; null: not over"]
    seen: Annotated[str, "who sits there and the results of its games, in one text: send it with a result"]


class RoundJson(Shape):
    number: Annotated[int, Form(minimum=1)]
    pairings: list[PairingJson]


class EventPlanJson(Shape):
    id: Annotated[str, "the normalized name in URL-safe Base64"]
    url: Url
    version: Annotated[int, Form(minimum=1), "for `If-Match`"]
    name: str
    first_date: Annotated[str, "empty: not known"]
    last_date: str
    place: str
    games: list[OfferedGameJson]
    tables: Annotated[int, Form(minimum=0)]
    boards: Annotated[list[TableBoardJson], "the sensor boards at the tables"]
    players: list[EventPlayerJson]
    format: Annotated[str, one_of(plans.FORMATS)]
    legs: Annotated[int, "games of a pairing; two are a match in which each side begins once"]
    planned_rounds: int | None
    tie_breaks: Annotated[list[str], Form(items={"type": "string", "enum": list(plans.TIE_BREAKS)}), "in order"]
    state: Annotated[str, one_of(plans.EVENT_STATES)]
    rounds: list[RoundJson]


class ChangedPartJson(Shape):
    field: Annotated[str, one_of(plans.PARTS), "a field of the plan, or what stands at `at`"]
    at: Annotated[str, "number of a player, a round or a table (`2/3`: table 3 of round 2), or a guest's role"]
    before: Annotated[Any, "as the plan has it; null: nothing"]
    after: Any


class EventChangeJson(Shape):
    number: Count
    kind: Annotated[str, one_of(plans.CHANGE_KINDS), "`people`: who keeps a score, or has to leave"]
    time: Time
    by: Annotated[str, "who made it"]
    source: Annotated[str, "with which key"]
    parts: Annotated[list[ChangedPartJson] | None, "null: a person whom it named was taken out"]


class EventChangePageJson(Page):
    items: list[EventChangeJson]


def event_change_json(change: Change) -> EventChangeJson:
    return EventChangeJson.of(change, by=change.actor, parts=None if change.data is None else change.data["parts"])


def event_plan_json(row: EventPlanRow, plan: plans.EventPlan, matches: dict[str, list[GameRow]]) -> EventPlanJson:
    """A plan, with what its pairings came to by these games."""

    def pairing(one: plans.Pairing) -> PairingJson:
        unplayed, points = result_of(one, matches)
        seen = seen_of(one, matches.get(one.game, ()))
        return PairingJson.of(one, result=unplayed, points=None if points is None else list(points), seen=seen)

    key = name_key(plan.name)
    rounds = [RoundJson(number=one.number, pairings=list(map(pairing, one.pairings))) for one in plan.rounds]
    return EventPlanJson.of(
        plan,
        id=name_id(key),
        url=page_url("events", page_name(key)),
        version=row.version,
        tie_breaks=list(plan.order),
        rounds=rounds,
    )


blueprint = ApiBlueprint("evenings", "Events with rounds: plans, pairings, exports.")


def _text(most: int, description: str = "", **more: Any) -> fields.String:
    return fields.String(validate=validate.Length(0, most), metadata=describe(description), **more)


class GameChoiceSchema(Schema):
    game = ruleset_field()
    options = options_field()
    time_control = _text(MAX_VALUE, "as in the tag `TimeControl`", load_default="")


class GivenPlayerSchema(Schema):
    id = optional_integer(1, 10**6, "the player's number; null: a new player")
    name = _text(plans.MAX_NAME)
    team = _text(plans.MAX_NAME)
    state = fields.String(validate=validate.OneOf(plans.PLAYER_STATES))


class PlacedBoardSchema(Schema):
    table = JsonInteger(required=True, validate=validate.Range(1, plans.MAX_TABLES))
    port = fields.String(
        required=True,
        validate=validate.Length(1, plans.MAX_PORT),
        metadata=describe("a port of the service's machine, in the form of the driver"),
    )
    driver = fields.String(
        load_default="inkeek", validate=validate.Length(1, plans.MAX_DRIVER), metadata={"x-drivers": True}
    )
    serial = optional_text(MAX_SERIAL, "the board's serial number; null: that of the first board that plays")
    buttons = JsonBoolean(
        load_default=True, metadata=describe("false: a turn ends when the board has been still for a while")
    )


class EventChangesSchema(Schema):
    name = _text(MAX_VALUE, "of an event that has games, in other capitals only")
    first_date = _text(10, "a day, as 2026-11-20, a month, or a year; empty: not known")
    last_date = _text(10)
    place = _text(MAX_VALUE)
    games = fields.List(fields.Nested(GameChoiceSchema, required=True), validate=validate.Length(0, plans.MAX_GAMES))
    tables = JsonInteger(validate=validate.Range(0, plans.MAX_TABLES))
    boards = fields.List(
        fields.Nested(PlacedBoardSchema, required=True),
        validate=validate.Length(0, plans.MAX_TABLES),
        metadata=describe("sensor boards that play the games of their tables; needs the scope `board`"),
    )
    players = fields.List(
        fields.Nested(GivenPlayerSchema, required=True),
        validate=validate.Length(0, plans.MAX_PLAYERS),
        metadata=describe("all players; who has been paired must be among them"),
    )
    format = fields.String(validate=validate.OneOf(plans.FORMATS))
    legs = JsonInteger(validate=validate.Range(1, plans.MAX_LEGS), metadata=describe("games of a pairing"))
    planned_rounds = JsonInteger(allow_none=True, validate=validate.Range(1, plans.MAX_ROUNDS))
    tie_breaks = fields.List(
        fields.String(required=True, validate=validate.OneOf(plans.TIE_BREAKS)),
        allow_none=True,
        validate=validate.Length(0, len(plans.TIE_BREAKS)),
        metadata={"uniqueItems": True, **describe("in the order in which they decide; null: those of the format")},
    )
    state = fields.String(validate=validate.OneOf(plans.EVENT_STATES))


class NewEventSchema(EventChangesSchema):
    name = _text(MAX_VALUE, "the tag `Event` of its games", required=True)


class TableOfSchema(Schema):
    of = fields.String(load_default="players", validate=validate.OneOf(("players", "teams")))


class ChangeListSchema(PageSchema):
    cursor = fields.String(
        load_default=None, validate=Pattern("[0-9]{1,9}"), metadata=describe("`next` of a page of the same list")
    )


class SeatsSchema(Schema):
    south = JsonInteger(required=True, validate=validate.Range(1, 10**6))
    north = JsonInteger(**OPTIONAL, validate=validate.Range(1, 10**6), metadata=describe("null: a bye"))


class NewRoundSchema(Schema):
    pairings = fields.List(
        fields.Nested(SeatsSchema, required=True),
        **OPTIONAL,
        validate=validate.Length(1, plans.MAX_PLAYERS),
        metadata=describe("who plays whom; null: as the format says"),
    )
    offered = JsonInteger(
        load_default=0, validate=validate.Range(0, plans.MAX_GAMES - 1), metadata=describe("which of the event's games")
    )
    by = by_field()


class TableSchema(Schema):
    south = JsonInteger(validate=validate.Range(1, 10**6), metadata=describe("exchanged with who sat there"))
    north = JsonInteger(allow_none=True, validate=validate.Range(1, 10**6), metadata=describe("null: a bye"))
    result = fields.String(
        validate=validate.OneOf(("", *ENDS)),
        metadata=describe("a bye, a forfeit, the result of a game that nobody recorded; empty: the game goes on"),
    )
    turns = JsonInteger(
        load_default=0,
        validate=validate.Range(0, 10**6),
        metadata=describe("how many the game has: with others its result stays"),
    )
    game = optional_text(40, "id of the game that the result is of, where two are played at a table")
    seen = optional_text(
        80, "the `seen` of the table as you know it: if others sit there now, or it has another result, nothing changes"
    )
    by = by_field()


def changed_plan(plan: plans.EventPlan, body: dict[str, Any]) -> plans.EventPlan:
    """The plan with what a body changes."""
    given = dict(body)
    players = given.pop("players", None)
    for name in ("games", "tie_breaks"):
        if given.get(name) is not None:
            given[name] = tuple(plans.OfferedGame(**one) if name == "games" else one for one in given[name])
    if "boards" in given:
        given["boards"] = _boards(given["boards"])
    plan = msgspec.structs.replace(plan, **given)
    if "games" in given:
        plans.check_games(plan)
    return plan if players is None else plans.with_players(plan, players)


def _boards(given: list[dict[str, Any]]) -> tuple[plans.TableBoard, ...]:
    return tuple(plans.TableBoard(**one) for one in given)


@blueprint.operation(
    "POST",
    "/events",
    scope="arbiter",
    limited=True,
    body=NewEventSchema,
    example={
        "name": "Saturday Cup",
        "games": [{"game": "bof"}],
        "players": [{"name": "Nasieku"}, {"name": "Koinet"}],
        "format": "swiss",
    },
    returns=EventPlanJson,
    headers=("Location",),
    problems=(404, 409),
    creates={"event_id": "id"},
)
def create_event(body: dict[str, Any]) -> ResponseReturnValue:
    """Make an event with rounds. Games may have its tag already."""
    check_event(name_key(body["name"]))
    check_new_boards((), _boards(body.get("boards", [])))
    plan = changed_plan(plans.EventPlan(body["name"]), body)
    plans.check_games(plan)
    row = current_services().events.create(plan, current_write())
    return _respond(row, 201, Location=location("events", name_id(row.event), "plan"))


@blueprint.operation("GET", "/events/<event_id>/plan", scope="read", limited=True, returns=EventPlanJson)
def get_event_plan(event_id: str) -> ResponseReturnValue:
    """Get the plan of an event: players, rounds, pairings and their results."""
    return _respond(current_services().events.load(event_of_id(event_id)))


@blueprint.operation(
    "PATCH",
    "/events/<event_id>/plan",
    scope="arbiter",
    limited=True,
    body=EventChangesSchema,
    example={"planned_rounds": 4, "tie_breaks": ["direct", "buchholz"]},
    returns=EventPlanJson,
    changes_game=True,
)
def change_event_plan(body: dict[str, Any], event_id: str) -> ResponseReturnValue:
    """Change the plan of an event. What is left out stays."""
    services, key = current_services(), event_of_id(event_id)
    events = services.events
    if "boards" in body:
        check_new_boards(plans.plan_of(events.load(key)).boards, _boards(body["boards"]))
    write = current_write()
    return _respond(change_plan(events, services.store, key, _expected(), lambda plan: changed_plan(plan, body), write))


@blueprint.operation(
    "POST",
    "/events/<event_id>/rounds",
    scope="arbiter",
    limited=True,
    body=NewRoundSchema,
    example={"by": "Nasieku"},
    returns=EventPlanJson,
    changes_game=True,
)
def begin_round(body: dict[str, Any], event_id: str) -> ResponseReturnValue:
    """Pair the next round and create its games, all or nothing."""
    given = body["pairings"]
    pairs = None if given is None else [(one["south"], one["north"]) for one in given]
    events, key, write = current_services().events, event_of_id(event_id), current_write(body["by"])
    return _respond(events.begin_round(key, _expected(), write, pairs, body["offered"]), 201)


@blueprint.operation(
    "PATCH",
    "/events/<event_id>/rounds/<int:number>/tables/<int:table>",
    scope="record",
    limited=True,
    body=TableSchema,
    example={"result": "south"},
    returns=EventPlanJson,
    changes_game=True,
)
def change_table(body: dict[str, Any], event_id: str, number: int, table: int) -> ResponseReturnValue:
    """Change who plays at a table before the game has begun, which an arbiter does, or say what came of it: a bye, a
    forfeit, a result. Until the next round whoever said it, or keeps the table, can change it; then an arbiter."""
    write, key = current_write(body.pop("by")), event_of_id(event_id, table)
    return _respond(change_event_table(key, _expected(), number, table, body, write))


@blueprint.operation(
    "GET",
    "/events/<event_id>/changes",
    scope="arbiter",
    limited=True,
    query=ChangeListSchema,
    returns=EventChangePageJson,
    headers=("Link",),
)
def list_event_changes(query: dict[str, Any], event_id: str) -> ResponseReturnValue:
    """List who changed the plan of an event, and who keeps a table's score; the newest change first."""
    services, key, limit = current_services(), event_of_id(event_id), query["limit"]
    check_limit(limit, "changes")
    services.events.load(key)
    before = None if query["cursor"] is None else int(query["cursor"])
    with services.store.reading() as transaction:
        found = transaction.changes.newest("event", [key], limit + 1, before)
    items = [event_change_json(change) for change in found[:limit]]
    return respond_page(EventChangePageJson(items=items, next=str(items[-1].number) if len(found) > limit else None))


def _exports(name: str, media_type: str, **declared: Any) -> Callable[[View], View]:
    """Register a view of a file of an event, for other programs."""
    return blueprint.operation(
        "GET",
        f"/events/<event_id>/{name}",
        scope="read",
        limited=True,
        sends={media_type: ()},
        headers=("Content-Disposition",),
        conditional=True,
        problems=(422,),
        **declared,
    )


@_exports("standings.csv", CSV, query=TableOfSchema)
def get_standings_table(query: dict[str, Any], event_id: str) -> ResponseReturnValue:
    """Get the standings of players or teams as a table for a spreadsheet."""
    services = current_services()
    found = load_standings(services.store, event_of_id(event_id), services.settings.max_event_games)
    if query["of"] == "teams":
        return _file(teams_csv(found.teams), CSV, "teams.csv")
    return _file(standings_csv(found.players, found.order), CSV, "standings.csv")


@_exports("pairings.csv", CSV)
def get_pairings_table(event_id: str) -> ResponseReturnValue:
    """Get the pairings of all rounds as a table for a spreadsheet."""
    rows, plan, _ = _load(event_id)
    return _file(pairings_csv(shown_plan(plan), matches_of(rows)), CSV, "pairings.csv")


@_exports("tournament.trf", TRF)
def get_tournament_file(event_id: str) -> ResponseReturnValue:
    """Get players and results in the format TRF16, which pairing programs exchange, of the rounds before the first one
    that is not over."""
    rows, plan, persons = _load(event_id)
    return _file(tournament_file(rows, persons, plan, shown_plan(plan)), TRF, "tournament.trf")


def _load(event_id: str) -> tuple[list[GameRow], plans.EventPlan, KnownPersons]:
    """The games of an event, its plan, and who plays in them.

    :raises NotFound: the event has no plan.
    """
    services, key = current_services(), event_of_id(event_id)
    services.events.load(key)
    rows, plan, persons = load_rows(services.store, key, services.settings.max_event_games)
    return rows, plan or plans.EventPlan(""), persons


def _file(text: str, media_type: str, name: str) -> Response:
    body = text.encode()
    headers = {
        "ETag": f'"{sha1(body, usedforsecurity=False).hexdigest()}"',
        "Content-Disposition": f'attachment; filename="{name}"',
    }
    return respond_bytes(body, 200, f"{media_type}; charset=utf-8", headers)


def _respond(row: EventPlanRow, status: int = 200, **headers: str) -> Response:
    """A plan. Its ETag begins with the version, then comes what the games say too."""
    body, tag = _body_and_tag(row)
    return respond_bytes(body, status, JSON, {"ETag": f'"{tag}"', **headers})


def _body_and_tag(row: EventPlanRow) -> tuple[bytes, str]:
    services = current_services()
    plan = plans.plan_of(row)
    rows = load_rows(services.store, row.event, services.settings.max_event_games)[0] if plan.rounds else []
    body = to_json(event_plan_json(row, shown_plan(plan), matches_of(rows)))
    return body, f"{row.version}.{sha1(body, usedforsecurity=False).hexdigest()}"


def _expected() -> Expected:
    """What ``If-Match`` says of the plan that is changed: it is its ETag, or its version alone.

    :raises Invalid: it is no ETag.
    """
    version = expected_seq()
    if version is None:
        return None
    tag = request.headers["If-Match"].strip().removeprefix("W/").strip('"').removesuffix(SUFFIX)

    def check(row: EventPlanRow) -> None:
        check_expected(row, version)
        if tag not in (str(version), _body_and_tag(row)[1]):
            raise Stale(
                "A game of the event has changed meanwhile, or its result: nothing was changed. Look at it again."
            )

    return check
