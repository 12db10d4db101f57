"""What the API answers of matches."""

from __future__ import annotations

from typing import Annotated

from inkeek.records.notation.tags import MAX_GAMES, RESULTS
from inkeek.service.games.matches.matches import Series
from inkeek.service.http.addresses import page_url
from inkeek.service.http.answers.rules import MatchOutcomeJson
from inkeek.service.http.answers.shape import Form, Page, Pair, Shape, Time, Url, one_of
from inkeek.service.http.names import shown_tags
from inkeek.service.storage import GameRow
from inkeek.service.storage.search import GAME_STATES


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
