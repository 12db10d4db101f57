"""Players and events by name, games as a stream of records and as tables of data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from flask import Response, request
from flask.typing import ResponseReturnValue
from marshmallow import Schema, fields, validate

from inkeek.records import Game, write_game
from inkeek.records.game import write_json_line
from inkeek.records.notation.commands import PENALTIES
from inkeek.records.notation.tags import MAX_VALUE
from inkeek.service.errors import Invalid
from inkeek.service.games.answers import ExportedJson
from inkeek.service.games.api import CSV, NDJSON, PMN, check_limit, game_filter, respond_page
from inkeek.service.games.events.rules import DEFAULT, MAX_MINUTES, load_rules, set_rules
from inkeek.service.games.events.standings import TEAM_ORDER, event_names, load_event, load_player, load_standings
from inkeek.service.games.library import persons, transfer
from inkeek.service.games.library.data import csv_of, describe as describe_table
from inkeek.service.games.library.persons import load_person, near_players
from inkeek.service.games.library.pseudonyms import (
    NOBODY,
    PSEUDONYMS,
    Pseudonyms,
    names_wanted,
    tags_for_export,
    without_names,
)
from inkeek.service.games.schemas import DataFilterSchema, ExportSchema, PageSchema, ruleset_filter
from inkeek.service.games.snapshot import GameSnapshot
from inkeek.service.games.write import Write
from inkeek.service.http.access import allows
from inkeek.service.http.addresses import page_url
from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.api.constraints import (
    MAX_NAME_ID,
    NAME_ID,
    JsonBoolean,
    by_field,
    describe,
    optional_integer,
    said_field,
    text_field,
)
from inkeek.service.http.api.responses import respond_bytes, to_json, while_allowed
from inkeek.service.http.context import current_caller, current_services, current_write
from inkeek.service.http.names import (
    event_of_id,
    hidden_names,
    key_of,
    key_of_id,
    name_id,
    page_name,
    shown_tags,
)
from inkeek.service.storage import EventRules, GameRow, NameRow

from .answers import (
    HeldEventJson,
    NamesJson,
    PersonChangeJson,
    PersonChangesJson,
    PlayerJson,
    RemovalJson,
    StandingJson,
    StandingsJson,
    TeamStandingJson,
    name_json,
)

SCORES = {"won": "won", "drawn": "drawn", "lost": "lost", "live": "live", "unfinished": "none", "both": "both"}

names_blueprint = ApiBlueprint("names", "Players and events.")


class EventRulesSchema(Schema):
    """What the rules of an event say about penalties and appeals."""

    ladder = fields.List(
        fields.String(required=True, validate=validate.OneOf(PENALTIES)),
        load_default=list(DEFAULT.ladder),
        validate=validate.Length(1, len(PENALTIES)),
        metadata={"uniqueItems": True, **describe("the penalties in the order in which a player gets them")},
    )
    appeal_minutes = optional_integer(
        1, MAX_MINUTES, "how long after a ruling an appeal is possible; null: without a deadline"
    )


class StandingsSchema(Schema):
    game = ruleset_filter("only games of this rule set, and no byes")


class NameListSchema(PageSchema):
    prefix = fields.String(
        load_default="",
        validate=validate.Length(max=MAX_VALUE),
        metadata=describe("what the name begins with, in any case"),
    )
    cursor = text_field(NAME_ID, 1, MAX_NAME_ID, "`next` of a page of the same list", load_default=None)


@names_blueprint.operation("GET", "/players", scope="read", query=NameListSchema, returns=NamesJson, headers=("Link",))
def list_players(query: dict[str, Any]) -> ResponseReturnValue:
    """List players in the order of their normalized names."""
    after = _after(query)
    with current_services().store.reading() as transaction:
        found = transaction.names.players(query["prefix"], query["limit"] + 1, after)
    return _respond_names("players", found, query["limit"])


@names_blueprint.operation("GET", "/players/<player_id>", scope="read")
def get_player(player_id: str) -> PlayerJson:
    """Get a player's games by rule set. `games?player=` lists them, `matches?player=` the matches."""
    return player_json(key_of_id(player_id, "player"))


def player_json(name: str) -> PlayerJson:
    """The player to whom a normalized name belongs.

    :raises NotFound: nobody has played under that name.
    """
    store = current_services().store
    found, person = load_player(store, name), load_person(store, name)
    near = near_players(store, person.key)
    return PlayerJson.of(
        found,
        id=name_id(person.key),
        url=page_url("players", page_name(person.key)),
        initials=person.initials,
        joined=() if person.initials else person.joined,
        near=[name_json("players", *row) for row in near],
        games=sum(sum(counts.values()) for counts in found.scores.values()),
        records=[
            {
                "game": ruleset_id,
                "rules": carried or None,
                **{name: counts.get(score, 0) for name, score in SCORES.items()},
            }
            for game, counts in sorted(found.scores.items())
            for ruleset_id, _, carried in [game.partition("#")]
        ],
    )


@names_blueprint.operation("GET", "/events", scope="read", query=NameListSchema, returns=NamesJson, headers=("Link",))
def list_held_events(query: dict[str, Any]) -> ResponseReturnValue:
    """List events that games name or somebody has planned, in the order of their normalized names."""
    after = _after(query)
    with current_services().store.reading() as transaction:
        found = event_names(transaction, query["prefix"], query["limit"] + 1, after)
    return _respond_names("events", found, query["limit"])


@names_blueprint.operation("GET", "/events/<event_id>", scope="read", limited=True)
def get_held_event(event_id: str) -> HeldEventJson:
    """Get an event: its games and dates. `games?event=` lists the games, `matches?event=` the matches."""
    key = event_of_id(event_id)
    found = load_event(current_services().store, key)
    return HeldEventJson.of(found, id=name_id(key), url=page_url("events", page_name(key)))


@names_blueprint.operation(
    "GET",
    "/events/<event_id>/standings",
    scope="read",
    limited=True,
    query=StandingsSchema,
    problems=(422,),
)
def get_standings(query: dict[str, Any], event_id: str) -> StandingsJson:
    """Get the standings of an event: all its players and its teams, the best first."""
    services, key = current_services(), event_of_id(event_id)
    found = load_standings(services.store, key, services.settings.max_event_games, query["game"])
    items = [
        StandingJson.of(standing, player=name_json("players", standing.key, standing.name), byes=standing.extra)
        for standing in found.players
    ]
    return StandingsJson(
        id=name_id(key),
        tie_breaks=list(found.order),
        items=items,
        team_tie_breaks=list(TEAM_ORDER),
        teams=[TeamStandingJson.of(one, team=one.name) for one in found.teams],
        finished=found.finished,
    )


@names_blueprint.operation("GET", "/events/<event_id>/rules", scope="read", limited=True, returns=EventRulesSchema)
def get_event_rules(event_id: str) -> dict[str, Any]:
    """Get what the rules of an event say about penalties and appeals."""
    return _rules_json(load_rules(current_services().store, _known_event(event_id)))


@names_blueprint.operation(
    "PUT",
    "/events/<event_id>/rules",
    scope="arbiter",
    limited=True,
    body=EventRulesSchema,
    example={"ladder": ["warning", "seeds", "game"], "appeal_minutes": 30},
    returns=EventRulesSchema,
)
def set_event_rules(body: dict[str, Any], event_id: str) -> dict[str, Any]:
    """Set what the rules of an event say about penalties and appeals."""
    rules = EventRules(tuple(body["ladder"]), body["appeal_minutes"])
    set_rules(current_services().store, _known_event(event_id), rules)
    return _rules_json(rules)


def _rules_json(rules: EventRules) -> dict[str, Any]:
    return {"ladder": rules.ladder, "appeal_minutes": rules.appeal_minutes}


def _known_event(event_id: str) -> str:
    """:raises NotFound: the event has no games, or the caller's limit does not cover it."""
    key = event_of_id(event_id)
    load_event(current_services().store, key)
    return key


def _after(query: dict[str, Any]) -> str | None:
    """:raises Invalid: the cursor is not from such a list."""
    check_limit(query["limit"], "names")
    cursor: str | None = query["cursor"]
    key = None if cursor is None else key_of(cursor)
    if cursor is not None and key is None:
        raise Invalid(f"cursor is {cursor[:80]!r}: expected the 'next' of a page of the same list", field="cursor")
    return key


def _respond_names(kind: str, found: Sequence[NameRow], limit: int) -> ResponseReturnValue:
    items = [name_json(kind, row.key, row.name) for row in found[:limit]]
    return respond_page(NamesJson(items=items, next=items[-1].id if len(found) > limit else None))


persons_blueprint = ApiBlueprint("persons", "Who a player is: the spelling, other names, initials.")


class NewNameSchema(Schema):
    name = said_field("how the person is written; another name leads to the old one's games", MAX_VALUE)
    by = by_field()


class JoinSchema(Schema):
    into = text_field(NAME_ID, 1, MAX_NAME_ID, "id of the player whose name counts", required=True)
    by = by_field()


class InitialsSchema(Schema):
    initials = JsonBoolean(required=True, metadata=describe("whether the person is shown by initials"))
    by = by_field()


class BySchema(Schema):
    by = by_field()


def _write(body: dict[str, Any]) -> Write:
    return current_write(body["by"])


@persons_blueprint.operation(
    "PATCH",
    "/players/<player_id>",
    scope="arbiter",
    body=NewNameSchema,
    example={"name": "Lemayian", "by": "Nasieku"},
    problems=(409,),
)
def rename_player(body: dict[str, Any], player_id: str) -> PlayerJson:
    """Write a player in another way. The tags of games that have begun keep what was written."""
    services, write = current_services(), _write(body)
    key = key_of_id(player_id, "player")
    return player_json(persons.rename(services.events, services.store, key, body["name"], write))


@persons_blueprint.operation(
    "POST",
    "/players/<player_id>/join",
    scope="arbiter",
    body=JoinSchema,
    example={"into": "bmFzaWVrdQ", "by": "Nasieku"},
    status=200,
    problems=(409,),
)
def join_player(body: dict[str, Any], player_id: str) -> PlayerJson:
    """Have two names be one player, who is called `into`. Lists, standings and searches count them as one."""
    services, write, into = current_services(), _write(body), key_of_id(body["into"], "player")
    key = key_of_id(player_id, "player")
    return player_json(persons.join(services.events, services.store, key, into, write))


@persons_blueprint.operation("GET", "/players/<player_id>/changes", scope="arbiter")
def list_player_changes(player_id: str) -> PersonChangesJson:
    """List who changed how a player is written or shown, the newest first."""
    store, key = current_services().store, key_of_id(player_id, "player")
    load_player(store, key)  # raises where there is none
    found = persons.load_person(store, key).changes
    return PersonChangesJson(items=[PersonChangeJson.of(change, by=change.actor) for change in found])


@persons_blueprint.operation(
    "POST",
    "/players/<player_id>/changes/<int:number>/undo",
    scope="arbiter",
    body=BySchema,
    example={"by": "Nasieku"},
    status=200,
    problems=(409,),
)
def undo_player_change(body: dict[str, Any], player_id: str, number: int) -> PlayerJson:
    """Take back a change of a player, also in events, unless a later one builds on it. Initials are for admins."""
    services, is_admin = current_services(), allows(current_caller().scopes, "admin")
    key, write = key_of_id(player_id, "player"), _write(body)
    return player_json(persons.undo(services.events, services.store, key, number, write, is_admin=is_admin))


@persons_blueprint.operation(
    "PUT",
    "/players/<player_id>/initials",
    scope="admin",
    body=InitialsSchema,
    example={"initials": True, "by": "Nasieku"},
)
def set_player_initials(body: dict[str, Any], player_id: str) -> PlayerJson:
    """Have a player be shown by initials in lists, standings and pages. Records keep the name."""
    store = current_services().store
    return player_json(persons.set_initials(store, key_of_id(player_id, "player"), body["initials"], _write(body)))


@persons_blueprint.operation(
    "POST",
    "/players/<player_id>/removal",
    scope="admin",
    body=BySchema,
    example={"by": "Nasieku"},
    status=200,
)
def remove_player(body: dict[str, Any], player_id: str) -> RemovalJson:
    """Replace a player's name by a stand-in in the tags of their games. Older events and signed proofs keep it."""
    services = current_services()
    key, write = key_of_id(player_id, "player"), _write(body)
    return RemovalJson.of(persons.take_out(services.games, services.events, services.store, key, write))


CSVW = "application/csvm+json"
EXPORT: dict[str, Any] = {"scope": "read", "limited": True, "query": ExportSchema, "problems": (409, 507)}
TABLE = {**EXPORT, "query": DataFilterSchema, "sends": {CSV: ()}, "headers": ("Content-Disposition", "Link")}
DESCRIPTION: dict[str, Any] = {"scope": "read", "limited": True, "sends": {CSVW: ()}, "conditional": True}

export_blueprint = ApiBlueprint("export", "Records as a stream.")


@export_blueprint.operation(
    "GET", "/games/export", **EXPORT, sends={NDJSON: (ExportedJson,), PMN: ()}, headers=("Content-Disposition",)
)
def export_games(query: dict[str, Any]) -> ResponseReturnValue:
    """Export the games that match, as JSON records with ids, or in the notation if ``Accept`` prefers that."""
    best = request.accept_mimetypes.best_match([NDJSON, PMN], default=NDJSON)
    return _records(query) if best == PMN else _lines(query)


@export_blueprint.operation("GET", "/games/export.ndjson", **EXPORT, sends={NDJSON: (ExportedJson,)})
def export_lines(query: dict[str, Any]) -> ResponseReturnValue:
    """Export the games that match as JSON records with ids."""
    return _lines(query)


@export_blueprint.operation("GET", "/games/export.pmn", **EXPORT, sends={PMN: ()}, headers=("Content-Disposition",))
def export_records(query: dict[str, Any]) -> ResponseReturnValue:
    """Export the games that match in the notation."""
    return _records(query)


@export_blueprint.operation("GET", "/games.csv", **TABLE)
def get_games_table(query: dict[str, Any]) -> ResponseReturnValue:
    """Get the games that match as CSV, a row a game."""
    return _table("games", query)


@export_blueprint.operation("GET", "/turns.csv", **TABLE)
def get_turns_table(query: dict[str, Any]) -> ResponseReturnValue:
    """Get the turns of the games that match as CSV, a row a turn."""
    return _table("turns", query)


@export_blueprint.operation("GET", "/games.csv-metadata.json", **DESCRIPTION)
def describe_games_table() -> ResponseReturnValue:
    """Get the columns of `games.csv`, as CSV on the Web (W3C) describes them."""
    return respond_bytes(to_json(describe_table("games")), 200, CSVW, {})


@export_blueprint.operation("GET", "/turns.csv-metadata.json", **DESCRIPTION)
def describe_turns_table() -> ResponseReturnValue:
    """Get the columns of `turns.csv`, as CSV on the Web (W3C) describes them."""
    return respond_bytes(to_json(describe_table("turns")), 200, CSVW, {})


def _table(name: str, query: dict[str, Any]) -> Response:
    services, hidden = current_services(), hidden_names()
    pseudonyms = Pseudonyms(services.store, services.settings.data_folder)

    def shown(row: GameRow) -> Mapping[str, str] | None:
        kept = tags_for_export(row, pseudonyms, query["names"])
        return kept if kept is None else shown_tags(kept, hidden=hidden)

    lines = csv_of(name, services.games, game_filter(query), shown)
    response = Response(while_allowed(lines), content_type=f"{CSV}; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    response.headers["Link"] = f'<{name}.csv-metadata.json>; rel="describedby"; type="{CSVW}"'
    return response


def _lines(query: dict[str, Any]) -> Response:
    found = _games(query)
    lines = (write_json_line(record, id=game.id, cursor=cursor) for cursor, game, record in found)
    return Response(while_allowed(lines), content_type=NDJSON)


# Lines at the end of an export in the notation: how many games are not there as they are stored.
CONSENT_NOTES = {
    NOBODY: "Games left out, as their Consent wants",
    PSEUDONYMS: "Games without names, as their Consent wants",
}


def _records(query: dict[str, Any]) -> Response:
    obeyed: Counter[str] = Counter()
    texts = (write_game(Game.from_json(record)) for _, _, record in _games(query, has_ids=True, obeyed=obeyed))
    records = (("\n" if number else "") + text for number, text in enumerate(texts))

    def lines() -> Iterator[str]:
        yield from records
        for consent, games in sorted(obeyed.items()):
            yield f"\n% {CONSENT_NOTES[consent]}: {games}\n"

    response = Response(while_allowed(lines()), content_type=f"{PMN}; charset=utf-8")
    response.headers["Content-Disposition"] = 'inline; filename="games.pmn"'
    return response


def _games(
    query: dict[str, Any], *, has_ids: bool = False, obeyed: Counter[str] | None = None
) -> Iterator[tuple[str, GameSnapshot, dict[str, Any]]]:
    """The games with their cursors and records, as the query and the tag `Consent` of each game want them. With
    `has_ids` records have the ids of the games as tags, unless they have no names: an id says who played. `obeyed`
    counts the games that are not as they are stored because of their `Consent`."""
    services = current_services()
    pseudonyms = Pseudonyms(services.store, services.settings.data_folder)
    found = transfer.export_games(services.games, game_filter(query), query["cursor"])
    casual = transfer.casual_games(services.store)

    def records() -> Iterator[tuple[str, GameSnapshot, dict[str, Any]]]:
        for cursor, game in found:
            wanted = names_wanted(game.row.tags, query["names"])
            if obeyed is not None and wanted != query["names"]:
                obeyed[str(wanted)] += 1
            if wanted == NOBODY:
                continue
            record = transfer.with_entries(game.state) if query["entered"] else game.state.record_json
            record = transfer.with_place(record, is_casual=casual(game.row))
            if wanted:
                record = without_names(record, game.id, pseudonyms)
            elif has_ids:
                record = transfer.with_id(record, game.id)
            yield cursor, game, record

    return records()
