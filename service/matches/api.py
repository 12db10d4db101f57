"""``/matches``: create a match, its standings, its next game."""

from __future__ import annotations

from typing import Annotated, Any

from flask.typing import ResponseReturnValue
from marshmallow import Schema

from inkeek.records.notation.tags import MAX_GAMES, MAX_VALUE, RESULTS
from inkeek.records.text import LINE
from inkeek.service.games.answers import GameJson
from inkeek.service.games.api import check_limit, game_filter, respond_page, respond_snapshot
from inkeek.service.games.matches.matches import Series
from inkeek.service.games.rules_answers import MatchOutcomeJson
from inkeek.service.games.schemas import NewGameSchema, OfGamesByRulesetSchema, PageSchema, cursor_field
from inkeek.service.http.addresses import page_url
from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.api.constraints import by_field, tags_field, text_field
from inkeek.service.http.api.responses import location, respond
from inkeek.service.http.context import current_limit, current_services, current_write
from inkeek.service.http.names import shown_tags
from inkeek.service.http.shape import Form, Page, Pair, Shape, Time, Url, one_of
from inkeek.service.storage import GameRow
from inkeek.service.storage.search import GAME_STATES
from inkeek.service.storage.tables import game_list


class TallyJson(Shape):
    South: int
    North: int
    drawn: int


class ComingJson(Shape):
    number: Annotated[int, Form(minimum=1, maximum=MAX_GAMES)]
    start: Annotated[str, "the start position, unless other pits are closed"]
    first: Annotated[str | None, "who begins; null: not decided"]


class MatchGameJson(Shape):
    id: str
    number: int
    state: Annotated[str, one_of(GAME_STATES)]
    result: Annotated[str, one_of(RESULTS)]
    score: Pair | None
    still: Annotated[bool, "it stands still, because a game before it was reopened and goes on again"]
    lost: Annotated[str | None, "why it does not count since a game before it ended otherwise; null: it counts"]


class MatchItemJson(Shape):
    id: str
    game: Annotated[str, "rule set id"]
    title: str
    tags: dict[str, str]
    created: Time
    url: Url


class MatchesJson(Page):
    items: list[MatchItemJson]


class MatchJson(MatchItemJson):
    kind: str
    agreed: Annotated[int | None, "number of games agreed on"]
    tally: TallyJson
    seeds: Annotated[Pair, "South's and North's in the next game"]
    removed: Annotated[int, "seeds removed from the match"]
    outcome: MatchOutcomeJson | None
    coming: ComingJson | None
    games: list[MatchGameJson]


def match_item_json(first: GameRow) -> MatchItemJson:
    """A match in a list, by its first game."""
    return MatchItemJson.of(
        first, tags=shown_tags(first.tags), title=first.tags.get("Match", ""), url=page_url("matches", first.id)
    )


def match_json(series: Series) -> MatchJson:
    """A match: its standings, its games, and the start of the next one where that is known."""
    match, first = series.match, series.rows[0]
    return MatchJson.of(
        match,
        id=series.id,
        url=page_url("matches", series.id),
        game=first.game,
        tags=shown_tags(first.tags),
        created=first.created,
        tally=TallyJson(South=match.tally.south, North=match.tally.north, drawn=match.tally.drawn),
        coming=match.next_game() if series.open else None,
        games=[
            MatchGameJson.of(row, number=row.match_game, still=row.id in series.still, lost=series.lost.get(row.id))
            for row in series.rows
        ],
    )


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
