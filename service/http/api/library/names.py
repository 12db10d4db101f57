"""``/players`` and ``/events``: who played, what was held, and how the players stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask.typing import ResponseReturnValue
from marshmallow import Schema, fields, validate

from inkeek.records.notation.commands import PENALTIES
from inkeek.records.notation.tags import MAX_VALUE
from inkeek.service.errors import Invalid
from inkeek.service.games.events.rules import MAX_MINUTES, load_rules, set_rules
from inkeek.service.games.events.standings import event_names, load_event, load_player
from inkeek.service.games.events.teams import ORDER as TEAM_ORDER, load_standings
from inkeek.service.games.library.persons import load_person, near_players
from inkeek.service.http.answers.names import (
    HeldEventJson,
    NamesJson,
    PlayerJson,
    StandingJson,
    StandingsJson,
    TeamStandingJson,
    name_json,
)
from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.api.constraints import describe, optional_integer
from inkeek.service.http.api.games.schemas import PageSchema, ruleset_filter
from inkeek.service.http.api.games.views import check_limit, respond_page
from inkeek.service.http.api.text_fields import MAX_NAME_ID, NAME_ID, text_field
from inkeek.service.http.context import current_services
from inkeek.service.http.names import check_event, key_of, key_of_id, name_id, page_name
from inkeek.service.http.page_urls import page_url
from inkeek.service.storage import EventRules, NameRow

SCORES = {"won": "won", "drawn": "drawn", "lost": "lost", "live": "live", "unfinished": "none", "both": "both"}

blueprint = ApiBlueprint("names", "Players and events.")


class EventRulesSchema(Schema):
    """What the rules of an event say about penalties and appeals."""

    ladder = fields.List(
        fields.String(required=True, validate=validate.OneOf(PENALTIES)),
        load_default=list(PENALTIES),
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


@blueprint.operation("GET", "/players", scope="read", query=NameListSchema, returns=NamesJson, headers=("Link",))
def list_players(query: dict[str, Any]) -> ResponseReturnValue:
    """List players in the order of their normalized names."""
    after = _after(query)
    with current_services().store.reading() as transaction:
        found = transaction.names.players(query["prefix"], query["limit"] + 1, after)
    return _respond_names("players", found, query["limit"])


@blueprint.operation("GET", "/players/<player_id>", scope="read")
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
            {"game": game, **{name: counts.get(score, 0) for name, score in SCORES.items()}}
            for game, counts in sorted(found.scores.items())
        ],
    )


@blueprint.operation("GET", "/events", scope="read", query=NameListSchema, returns=NamesJson, headers=("Link",))
def list_held_events(query: dict[str, Any]) -> ResponseReturnValue:
    """List events that games name or somebody has planned, in the order of their normalized names."""
    after = _after(query)
    with current_services().store.reading() as transaction:
        found = event_names(transaction, query["prefix"], query["limit"] + 1, after)
    return _respond_names("events", found, query["limit"])


@blueprint.operation("GET", "/events/<event_id>", scope="read", limited=True)
def get_held_event(event_id: str) -> HeldEventJson:
    """Get an event: its games and dates. `games?event=` lists the games, `matches?event=` the matches."""
    key = decode_event(event_id)
    found = load_event(current_services().store, key)
    return HeldEventJson.of(found, id=event_id, url=page_url("events", page_name(key)))


@blueprint.operation(
    "GET",
    "/events/<event_id>/standings",
    scope="read",
    limited=True,
    query=StandingsSchema,
    problems=(422,),
)
def get_standings(query: dict[str, Any], event_id: str) -> StandingsJson:
    """Get the standings of an event: all its players and its teams, the best first."""
    services, key = current_services(), decode_event(event_id)
    found = load_standings(services.store, key, services.settings.max_event_games, query["game"])
    items = [
        StandingJson.of(standing, player=name_json("players", standing.key, standing.name), byes=standing.extra)
        for standing in found.players
    ]
    return StandingsJson(
        id=event_id,
        tie_breaks=list(found.order),
        items=items,
        team_tie_breaks=list(TEAM_ORDER),
        teams=[TeamStandingJson.of(one, team=one.name) for one in found.teams],
        finished=found.finished,
    )


@blueprint.operation("GET", "/events/<event_id>/rules", scope="read", limited=True, returns=EventRulesSchema)
def get_event_rules(event_id: str) -> dict[str, Any]:
    """Get what the rules of an event say about penalties and appeals."""
    return _rules_json(load_rules(current_services().store, _known_event(event_id)))


@blueprint.operation(
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
    """The normalized name of an event that has games.

    :raises NotFound: it has none, or the caller's limit does not cover it.
    """
    key = decode_event(event_id)
    load_event(current_services().store, key)
    return key


def _after(query: dict[str, Any]) -> str | None:
    """The key in the cursor.

    :raises Invalid: it is not from such a list.
    """
    check_limit(query["limit"], "names")
    cursor: str | None = query["cursor"]
    key = None if cursor is None else key_of(cursor)
    if cursor is not None and key is None:
        raise Invalid(f"cursor is {cursor[:80]!r}: expected the 'next' of a page of the same list")
    return key


def decode_event(text: str) -> str:
    """The normalized name of the event with that id.

    :raises NotFound: it is no id, or the caller's limit does not cover it.
    """
    return check_event(key_of_id(text, "event"))


def _respond_names(kind: str, found: Sequence[NameRow], limit: int) -> ResponseReturnValue:
    items = [name_json(kind, row.key, row.name) for row in found[:limit]]
    return respond_page(NamesJson(items=items, next=items[-1].id if len(found) > limit else None))
