"""``/matches``: create a match, its standings, its next game."""

from __future__ import annotations

from typing import Any

from flask.typing import ResponseReturnValue

from service.http.context import current_limit, current_services, current_write
from service.http.serializers import match_json, match_summary

from .blueprint import ApiBlueprint
from .games import check_limit, respond_game, respond_page
from .match_schemas import MatchesSchema, MatchListSchema, MatchSchema, NewMatchSchema, NextGameSchema
from .responses import location, respond
from .schemas import GameSchema

blueprint = ApiBlueprint("matches", "Matches: series of games with standings.")


@blueprint.operation(
    "GET", "/matches", scope="read", limited=True, query=MatchListSchema, returns=MatchesSchema, headers=("Link",)
)
def list_matches(query: dict[str, Any]) -> ResponseReturnValue:
    """List matches, newest first."""
    check_limit(query["limit"], "matches")
    rows, cursor = current_services().matches.page(**query, within=current_limit())
    return respond_page(list(map(match_summary, rows)), cursor)


@blueprint.operation(
    "POST",
    "/matches",
    scope="record",
    limited=True,
    body=NewMatchSchema,
    returns=MatchSchema,
    headers=("Location",),
    creates={"match_id": "id", "game_id": "id"},
)
def begin_match(body: dict[str, Any]) -> ResponseReturnValue:
    """Create a match with its first game, which has the same id."""
    series = current_services().matches.begin(
        body["game"], body["title"], body["options"], body["tags"], current_write(body["by"]), body["setup"]
    )
    return respond(match_json(series), 201, Location=location("matches", series.id))


@blueprint.operation("GET", "/matches/<match_id>", scope="read", returns=MatchSchema)
def get_match(match_id: str) -> dict[str, Any]:
    """Get the standings: games won, seeds, the outcome or the start of the next game."""
    return match_json(current_services().matches.load(match_id, current_limit()))


@blueprint.operation(
    "POST",
    "/matches/<match_id>/games",
    scope="record",
    body=NextGameSchema,
    returns=GameSchema,
    headers=("Location",),
    problems=(409,),
    creates={"game_id": "id", "match_id": "match"},
)
def begin_next_game(body: dict[str, Any], match_id: str) -> ResponseReturnValue:
    """Create the next game, with the setup and the starter that follow from the earlier games."""
    row = current_services().matches.go_on(match_id, body["closed"], body["tags"], current_write(body["by"]))
    return respond_game(row.id, 201, Location=location("games", row.id))
