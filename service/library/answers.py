"""Players and events by name, standings, changes of persons, as JSON objects."""

from __future__ import annotations

from typing import Annotated

from inkeek.service.http.addresses import page_url
from inkeek.service.http.names import name_id, page_name
from inkeek.service.http.shape import Count, Form, Page, Shape, Time, Url, one_of

CHANGES = ("name", "join", "initials", "undo", "removal")
Complete = Annotated[bool, "false: only the newest games are counted"]


class NameJson(Shape):
    id: Annotated[str, "the normalized name in URL-safe Base64"]
    name: Annotated[str, "as it was first written, or as somebody set it; initials, if the person asked for that"]
    url: Url


def name_json(kind: str, key: str, name: str) -> NameJson:
    """A player or an event, as `kind` says in the plural, with this normalized name."""
    return NameJson(id=name_id(key), name=name, url=page_url(kind, page_name(key)))


class NamesJson(Page):
    items: list[NameJson]


class RulesetRecordJson(Shape):
    game: Annotated[str, "rule set id"]
    rules: Annotated[str | None, "key of the rules that these games carry; null: they carry none"]
    won: Count
    drawn: Count
    lost: Count
    live: Count
    unfinished: Annotated[Count, "ended without a result"]
    both: Annotated[Count, "with this name on both sides"]


class PersonChangeJson(Shape):
    number: Count
    kind: Annotated[str, one_of(CHANGES)]
    time: Time
    by: Annotated[str, "who made it"]
    source: Annotated[str, "with which key"]
    names: Annotated[list[str], "the normalized names that it is about"]
    undone: bool


class PersonChangesJson(Shape):
    items: list[PersonChangeJson]


class QuoteJson(Shape):
    game: str
    text: str


class RemovalJson(Shape):
    name: Annotated[str, "of the stand-in"]
    games: Annotated[Count, "in which the name stood"]
    quoted: Annotated[list[QuoteJson], "texts that still have the name in their words: decide what becomes of them"]
    more: Annotated[bool, "there are more: send the request again"]


class PlayerJson(NameJson):
    initials: Annotated[bool, "shown by initials"]
    joined: Annotated[list[str], "other names of the person, normalized"]
    near: Annotated[list[NameJson], "players whose names differ by one letter, or in the order of words"]
    games: Count
    matches: Count
    complete: Complete
    records: list[RulesetRecordJson]


class HeldEventJson(NameJson):
    games: Count
    matches: Count
    complete: Complete
    first_date: Annotated[str | None, "the first day of its games"]
    last_date: Annotated[str | None, "the last day of its games"]


class ScoreJson(Shape):
    won: Count
    drawn: Count
    lost: Count
    open: Annotated[Count, "not over"]


class StandingJson(Shape):
    rank: Annotated[int, Form(minimum=1)]
    player: NameJson
    points: Annotated[float, Form(minimum=0), "matches won, half of those drawn, and byes"]
    byes: Annotated[float, Form(minimum=0), "points of byes"]
    tie_breaks: Annotated[list[float | None], "in the order of `tie_breaks` of the list; null: it says nothing"]
    matches: ScoreJson
    tally: Annotated[ScoreJson, "games; `won` are the sticks"]


class TeamStandingJson(Shape):
    rank: Annotated[int, Form(minimum=1)]
    team: str
    points: Annotated[float, Form(minimum=0), "match points: two for a match won, one for a draw"]
    boards: Annotated[float, Form(minimum=0), "board points: those of its players"]
    tie_breaks: Annotated[list[float | None], "in the order of `team_tie_breaks`; null: it says nothing"]
    matches: Annotated[ScoreJson, "against other teams"]
    tally: Annotated[ScoreJson, "games of its players"]


class StandingsJson(Shape):
    id: str
    tie_breaks: Annotated[list[str], "what decides among equal points, in order"]
    items: list[StandingJson]
    team_tie_breaks: Annotated[list[str], "what decides among teams with equal match points, in order"]
    teams: Annotated[list[TeamStandingJson], "empty unless the format is `teams`, and with `game`"]
    finished: Annotated[bool, "the last round is over: who is first has won"]
