"""``/matches``: create a match, its standings, its next game."""

from __future__ import annotations

from typing import Any

from flask.typing import ResponseReturnValue
from marshmallow import Schema

from inkeek.records.notation.tags import MAX_VALUE
from inkeek.records.text import LINE
from inkeek.service.games.matches.matches import Series
from inkeek.service.http.answers.games import GameJson
from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.api.constraints import by_field, tags_field, text_field
from inkeek.service.http.api.games.schemas import NewGameSchema, OfGamesByRulesetSchema, PageSchema, cursor_field
from inkeek.service.http.api.games.views import check_limit, game_filter, respond_page, respond_snapshot
from inkeek.service.http.api.responses import location, respond
from inkeek.service.http.context import current_limit, current_services, current_write
from inkeek.service.storage import GameRow
from inkeek.service.storage.tables import game_list

from .answers import MatchesJson, MatchJson, match_item_json, match_json

blueprint = ApiBlueprint("matches", "Matches: series of games with standings.")


class NewMatchSchema(NewGameSchema):
    title = text_field(
        LINE, 1, MAX_VALUE, "the Match tag: games, games 5, surplus or rounds, then any name", required=True
    )


class NextGameSchema(Schema):
    closed = text_field("[A-Za-z]*", 0, 52, "letters of the pits that are closed in a round", load_default="")
    tags = tags_field()
    by = by_field()


class MatchListSchema(OfGamesByRulesetSchema, PageSchema):
    """A page of the matches whose first games match."""

    cursor = cursor_field(game_list.CURSOR)


@blueprint.operation(
    "GET", "/matches", scope="read", limited=True, query=MatchListSchema, returns=MatchesJson, headers=("Link",)
)
def list_matches(query: dict[str, Any]) -> ResponseReturnValue:
    """List matches, newest first."""
    check_limit(query["limit"], "matches")
    rows, cursor = current_services().matches.page(query["limit"], query["cursor"], game_filter(query))
    return respond_page(MatchesJson.of(items=map(match_item_json, rows), next=cursor))


@blueprint.operation(
    "POST",
    "/matches",
    scope="record",
    limited=True,
    body=NewMatchSchema,
    example={"game": "enkeshui", "title": "surplus, at the well", "options": {"pits": 8}, "by": "Nasieku"},
    returns=MatchJson,
    answer=lambda series: respond(match_json(series), 201, Location=location("matches", series.id)),
    headers=("Location",),
    creates={"match_id": "id", "game_id": "id"},
)
def begin_match(body: dict[str, Any]) -> Series:
    """Create a match with its first game, which has the same id."""
    return current_services().matches.begin(
        body["game"], body["title"], body["options"], body["tags"], current_write(body["by"]), body["setup"]
    )


@blueprint.operation("GET", "/matches/<match_id>", scope="read")
def get_match(match_id: str) -> MatchJson:
    """Get the standings: games won, seeds, the outcome or the start of the next game."""
    return match_json(current_services().matches.load(match_id, current_limit()))


@blueprint.operation(
    "POST",
    "/matches/<match_id>/games",
    scope="record",
    body=NextGameSchema,
    example={"by": "Nasieku"},
    returns=GameJson,
    answer=lambda row: respond_snapshot(current_services().games.load(row.id), 201, Location=location("games", row.id)),
    headers=("Location",),
    problems=(409,),
    creates={"game_id": "id", "match_id": "match"},
)
def begin_next_game(body: dict[str, Any], match_id: str) -> GameRow:
    """Create the next game, with the setup and the starter that follow from the earlier games."""
    return current_services().matches.go_on(match_id, body["closed"], body["tags"], current_write(body["by"]))
