"""What a ruling would change, as JSON objects."""

from __future__ import annotations

from typing import Annotated

from inkeek.records import Position, Side
from inkeek.records.position import OWNED, SOUTHS
from inkeek.service.games.corrections import later_json
from inkeek.service.games.disputes.board_differences import BoardPlace
from inkeek.service.games.disputes.ruling_consequences import Consequences, RankChange
from inkeek.service.games.disputes.ruling_effects import Effects
from inkeek.service.games.disputes.ruling_terms import Terms
from inkeek.service.storage import GameRow, Limit

from .disputes import GivenClockJson, GivenPenaltyJson
from .names import NameJson, name_json
from .rules import TurnJson
from .shape import Pair, Shape


class GameThenJson(Shape):
    ply: int
    position: str
    state: str
    result: str
    score: Pair | None


class LaterTurnJson(Shape):
    ply: int
    move: str
    then: Annotated[str | None, "the move with what it would do; null: not legal"]
    position: str | None
    same: Annotated[bool, "it would do what it did"]
    why: Annotated[str, "why it could not be played"]


class BreakJson(Shape):
    ply: int
    move: str
    why: str


class PlaceThenJson(Shape):
    place: Annotated[str, "the letter of a pit, or `South` or `North` for a store"]
    lies: Annotated[int, "seeds there, as they were counted or are recorded"]
    then: int
    mark_lies: Annotated[str | None, "whose special pit it is on the board, `South` or `North`; null: nobody's"]
    mark_then: Annotated[str | None, "whose it is then"]


class RankJson(Shape):
    rank: int
    points: float


class RankChangeJson(Shape):
    player: NameJson
    now: RankJson
    then: RankJson


class LaterGameJson(Shape):
    id: str
    number: int
    state: str
    result: str
    follows: Annotated[
        bool | None,
        "false: it counts no more; null: it stands still until the games before it have ended",
    ]


class EffectsJson(Shape):
    """What a ruling would change."""

    keeps: Annotated[int, "so many turns stay as they are"]
    now: GameThenJson
    then: GameThenJson
    stores: Annotated[Pair, "seeds that South and North would have more in store"]
    turns: Annotated[list[TurnJson], "turns that would be played"]
    later: Annotated[list[LaterTurnJson], "turns after a corrected one, if kept"]
    breaks: Annotated[BreakJson | None, "the first that could not be played"]
    board: Annotated[list[PlaceThenJson], "what hands must put right on the board"]
    match: Annotated[list[LaterGameJson], "games of the match that were begun after it"]
    standings: Annotated[
        list[RankChangeJson] | None,
        "the players whose standing in the event changes; null: no event, or too many games",
    ]
    penalties: list[GivenPenaltyJson]
    clocks: list[GivenClockJson]


def effects_json(
    effects: Effects, follows: Consequences, terms: Terms, row: GameRow, limit: Limit | None
) -> EffectsJson:
    """What a ruling with these terms would change, beside the current state. `limit`: the games to be named."""
    end, outcome, position = effects.end, effects.outcome, effects.position
    stores = zip(position.stores, Position.parse(row.position).stores, strict=True)
    return EffectsJson.of(
        effects,
        now=row,
        then={
            "ply": effects.keeps + len(effects.turns),
            "position": str(position),
            "state": "live" if end is None and outcome is None else "ended",
            "result": effects.result,
            "score": end["score"] if end else outcome and outcome.score,
        },
        stores=[then - now for then, now in stores],
        turns=[TurnJson.of(turn, ply=ply) for ply, (turn, _) in enumerate(effects.turns, effects.keeps + 1)],
        later=[
            LaterTurnJson.of(later, then=later.turn and later.turn.move, position=later.turn and later.turn.position)
            for later in effects.later
        ],
        breaks=next((later for later in effects.later if later.turn is None), None),
        board=[_place_json(position, place) for place in follows.board],
        match=later_json(follows.later, limit),
        standings=None if follows.standings is None else map(_rank_json, follows.standings),
        penalties=terms.penalties,
        clocks=terms.clocks,
    )


def _place_name(position: Position, place: int) -> str:
    """The letter of a pit, or the owner of a store."""
    pits = len(position.pits)
    return position.letter(place) if place < pits else str(Side(place - pits))


def _place_json(position: Position, place: BoardPlace) -> PlaceThenJson:
    marks = {"mark_lies": _owner(place.mark_lies), "mark_then": _owner(place.mark_then)}
    return PlaceThenJson.of(place, place=_place_name(position, place.place), **marks)


def _owner(mark: int) -> str | None:
    """Whose special pit it is that has this mark."""
    return str(Side(mark - SOUTHS)) if mark in OWNED else None


def _rank_json(change: RankChange) -> RankChangeJson:
    return RankChangeJson.of(change, player=name_json("players", change.now.key, change.now.name))
