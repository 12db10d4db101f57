"""``/players`` and ``/events``: who played, what was held, and how the players stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from flask.typing import ResponseReturnValue

from service.errors import Invalid, NotFound
from service.games.event_rules import load_rules, set_rules
from service.games.standings import Standing, load_event, load_player, load_standings
from service.http.context import current_services
from service.http.names import check_event, key_of, name_id
from service.storage import EventRules, NameRow

from .blueprint import ApiBlueprint
from .evidence_schemas import EventRulesSchema
from .games import check_limit, respond_page
from .name_schemas import HeldEventSchema, NameListSchema, NamesSchema, PlayerSchema, StandingsSchema

SCORES = {"won": "won", "drawn": "drawn", "lost": "lost", "live": "live", "unfinished": "none", "both": "both"}

blueprint = ApiBlueprint("names", "Players and events.")


@blueprint.operation("GET", "/players", scope="read", query=NameListSchema, returns=NamesSchema, headers=("Link",))
def list_players(query: dict[str, Any]) -> ResponseReturnValue:
    """List players in the order of their normalized names."""
    after = _after(query)
    with current_services().store.reading() as transaction:
        found = transaction.names.players(query["prefix"], query["limit"] + 1, after)
    return _respond_names(found, query["limit"])


@blueprint.operation("GET", "/players/<player_id>", scope="read", returns=PlayerSchema)
def get_player(player_id: str) -> dict[str, Any]:
    """Get a player's games by rule set. `games?player=` lists them, `matches?player=` the matches."""
    key = _decode_id(player_id, "player")
    found = load_player(current_services().store, key)
    return {
        "id": player_id,
        "name": found.name,
        "games": sum(sum(counts.values()) for counts in found.scores.values()),
        "matches": found.matches,
        "complete": found.complete,
        "records": [
            {"game": game, **{name: counts.get(score, 0) for name, score in SCORES.items()}}
            for game, counts in sorted(found.scores.items())
        ],
    }


@blueprint.operation("GET", "/events", scope="read", query=NameListSchema, returns=NamesSchema, headers=("Link",))
def list_held_events(query: dict[str, Any]) -> ResponseReturnValue:
    """List events that games name, in the order of their normalized names."""
    after = _after(query)
    with current_services().store.reading() as transaction:
        found = transaction.names.events(query["prefix"], query["limit"] + 1, after)
    return _respond_names(found, query["limit"])


@blueprint.operation("GET", "/events/<event_id>", scope="read", limited=True, returns=HeldEventSchema)
def get_held_event(event_id: str) -> dict[str, Any]:
    """Get an event: its games and dates. `games?event=` lists the games, `matches?event=` the matches."""
    found = load_event(current_services().store, check_event(_decode_id(event_id, "event")))
    return {"id": event_id, **asdict(found)}


@blueprint.operation(
    "GET", "/events/<event_id>/standings", scope="read", limited=True, returns=StandingsSchema, problems=(422,)
)
def get_standings(event_id: str) -> dict[str, Any]:
    """Get the standings of an event: all its players, the best first."""
    services = current_services()
    found = load_standings(
        services.store, check_event(_decode_id(event_id, "event")), services.settings.max_event_games
    )
    return {"id": event_id, "items": list(map(_standing_json, found))}


@blueprint.operation("GET", "/events/<event_id>/rules", scope="read", limited=True, returns=EventRulesSchema)
def get_event_rules(event_id: str) -> dict[str, Any]:
    """Get what the rules of an event say about penalties and appeals."""
    return asdict(load_rules(current_services().store, _known_event(event_id)))


@blueprint.operation(
    "PUT", "/events/<event_id>/rules", scope="arbiter", limited=True, body=EventRulesSchema, returns=EventRulesSchema
)
def set_event_rules(body: dict[str, Any], event_id: str) -> dict[str, Any]:
    """Set what the rules of an event say about penalties and appeals."""
    rules = EventRules(tuple(body["ladder"]), body["appeal_minutes"])
    set_rules(current_services().store, _known_event(event_id), rules)
    return asdict(rules)


def _known_event(event_id: str) -> str:
    """The normalized name of an event that has games.

    :raises NotFound: it has none, or the caller's limit does not cover it.
    """
    key = check_event(_decode_id(event_id, "event"))
    load_event(current_services().store, key)
    return key


def _standing_json(standing: Standing) -> dict[str, Any]:
    return {
        "rank": standing.rank,
        "player": {"id": name_id(standing.key), "name": standing.name},
        "points": standing.points,
        "matches": asdict(standing.matches),
        "tally": asdict(standing.tally),
    }


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


def _decode_id(text: str, what: str) -> str:
    key = key_of(text)
    if key is None:
        raise NotFound(f"There is no {what} {text[:80]!r}. The list of {what}s has their ids.")
    return key


def _respond_names(found: Sequence[NameRow], limit: int) -> ResponseReturnValue:
    items = [{"id": name_id(row.key), "name": row.name} for row in found[:limit]]
    return respond_page(items, items[-1]["id"] if len(found) > limit else None)
