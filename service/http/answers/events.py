"""Planned events with their rounds, as JSON objects."""

from __future__ import annotations

from typing import Annotated, Any

from inkeek.service.games.events.plan import (
    CHANGE_KINDS,
    EVENT_STATES,
    FORMATS,
    PARTS,
    PLAYER_STATES,
    TIE_BREAKS,
    EventPlan,
    Pairing,
)
from inkeek.service.games.events.results import BYES, FORFEITS, result_of, seen_of
from inkeek.service.http.addresses import page_url
from inkeek.service.http.names import name_id, page_name
from inkeek.service.storage import Change, EventPlanRow, GameRow
from inkeek.service.storage.search import name_key

from .shape import Count, Form, Page, Shape, Time, Url, one_of

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
        str, one_of(PLAYER_STATES), "`bye`: half a point instead of the next round; `out`: not paired until back"
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
    format: Annotated[str, one_of(FORMATS)]
    legs: Annotated[int, "games of a pairing; two are a match in which each side begins once"]
    planned_rounds: int | None
    tie_breaks: Annotated[list[str], Form(items={"type": "string", "enum": list(TIE_BREAKS)}), "in order"]
    state: Annotated[str, one_of(EVENT_STATES)]
    rounds: list[RoundJson]


class ChangedPartJson(Shape):
    field: Annotated[str, one_of(PARTS), "a field of the plan, or what stands at `at`"]
    at: Annotated[str, "number of a player, a round or a table (`2/3`: table 3 of round 2), or a guest's role"]
    before: Annotated[Any, "as the plan has it; null: nothing"]
    after: Any


class EventChangeJson(Shape):
    number: Count
    kind: Annotated[str, one_of(CHANGE_KINDS), "`people`: who keeps a score, or has to leave"]
    time: Time
    by: Annotated[str, "who made it"]
    source: Annotated[str, "with which key"]
    parts: Annotated[list[ChangedPartJson] | None, "null: a person whom it named was taken out"]


class EventChangePageJson(Page):
    items: list[EventChangeJson]


def event_change_json(change: Change) -> EventChangeJson:
    return EventChangeJson.of(change, by=change.actor, parts=None if change.data is None else change.data["parts"])


def event_plan_json(row: EventPlanRow, plan: EventPlan, matches: dict[str, list[GameRow]]) -> EventPlanJson:
    """A plan, with what its pairings came to by these games."""

    def pairing(one: Pairing) -> PairingJson:
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
