"""What the API answers of matches, and how a game is cited."""

from __future__ import annotations

from typing import Annotated

from inkeek.records.notation.dates import read_day
from inkeek.records.notation.tags import MAX_GAMES, RESULTS
from inkeek.service.games.event_data import SIDES
from inkeek.service.games.matches.matches import Series
from inkeek.service.games.snapshot import ruleset_of
from inkeek.service.http.addresses import page_url
from inkeek.service.http.language import date_text
from inkeek.service.http.names import shown_tags
from inkeek.service.storage import GameRow
from inkeek.service.storage.search import GAME_STATES, NAMELESS

from .rules import MatchOutcomeJson
from .shape import Form, Page, Pair, Shape, Time, Url, one_of


class CitationJson(Shape):
    """How to cite a game as it is now: a change gives another `seq` and `hash`."""

    text: str
    url: Url
    seq: Annotated[int, "number of the game's last event"]
    hash: Annotated[str, "of that event, and so of all before it"]


def citation_json(row: GameRow) -> CitationJson:
    """Who played what, where and when; and where the game is kept, in which version."""
    tags, url = shown_tags(row.tags), page_url("games", row.id)
    date = tags.get("Date", "")
    facts = [tags.get("Event", ""), tags.get("Site", ""), read_day(date) or date_text(date), tags.get("Round", "")]
    names = " – ".join(tags.get(side, "?") for side in SIDES)
    said = ", ".join([names, ruleset_of(row).name, *(fact for fact in facts if fact not in NAMELESS)])
    version = f"Inkeek game {row.id}, event {row.seq}, {row.hash[:16]}"
    return CitationJson(f"{said}. {version}. {url}", url, row.seq, row.hash)


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
