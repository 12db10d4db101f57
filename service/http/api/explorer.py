"""``/explorer``: what was played from a position in the stored games and in self-play."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from marshmallow import Schema, fields

from records import Position
from records.notation.tags import parse_options
from records.play import Rules
from records.ruleset import load_ruleset
from service.games.explorer import Continuation, explore
from service.http.context import current_services

from .blueprint import ApiBlueprint
from .constraints import count_field, describe
from .schemas import PositionQuerySchema, event_filter, player_filter

blueprint = ApiBlueprint("explorer", "What was played from a position in the stored games.")


class ExplorerQuerySchema(PositionQuerySchema):
    player = player_filter()
    event = event_filter()


class SelfPlayTurnSchema(Schema):
    times = count_field()
    south = count_field()
    north = count_field()
    drawn = count_field()
    difference = fields.Float(required=True)
    value = fields.Float(
        required=True, metadata=describe("what searches found the turn to be worth for South, on average")
    )


class ContinuationSchema(Schema):
    move = fields.String(required=True)
    position = fields.String(required=True, metadata=describe("after the turn"))
    times = count_field("how often it was played")
    south = count_field("of these, won by South")
    north = count_field()
    drawn = count_field()
    difference = fields.Float(
        required=True,
        allow_none=True,
        metadata=describe("South's seeds minus North's at the end, on average; null without a score"),
    )
    newest = fields.String(required=True, allow_none=True, metadata=describe("the newest of these games"))
    self_play = fields.Nested(
        SelfPlayTurnSchema,
        required=True,
        allow_none=True,
        metadata=describe("the same of the games of self-play that ship; null if none played it"),
    )


class ExplorationSchema(Schema):
    game = fields.String(required=True)
    position = fields.String(required=True)
    times = count_field()
    other = count_field("how often the game went on by an irregular turn or a rearrangement")
    complete = fields.Boolean(required=True, metadata=describe("false: not all legal turns are listed"))
    self_play = count_field(
        "how often games of self-play went on from here; null: there are none of these rules", allow_none=True
    )
    turns = fields.List(fields.Nested(ContinuationSchema), required=True)


@blueprint.operation(
    "GET", "/explorer", scope="read", query=ExplorerQuerySchema, returns=ExplorationSchema, problems=(422,)
)
def explore_position(query: dict[str, Any]) -> dict[str, Any]:
    """Get the legal turns of a position, those played most often first, with the results of these games."""
    info = load_ruleset(query["game"])
    rules = Rules(info, info.resolve(parse_options(query["options"])))
    position = rules.start()
    if query["position"] is not None:
        position = Position.parse(query["position"])
        rules = rules.starting_from(position)
    found = explore(current_services().store, rules, position, query["player"], query["event"])
    return {
        "game": rules.id,
        "position": str(position),
        "times": found.times,
        "other": found.other,
        "complete": found.complete,
        "self_play": found.self_play,
        "turns": list(map(_continuation_json, found.continuations)),
    }


def _continuation_json(continuation: Continuation) -> dict[str, Any]:
    counts = continuation.counts
    return {
        "move": str(continuation.turn.move),
        "position": str(continuation.turn.position),
        "times": counts.times if counts else 0,
        "south": counts.south if counts else 0,
        "north": counts.north if counts else 0,
        "drawn": counts.drawn if counts else 0,
        "difference": None if counts is None or counts.difference is None else round(counts.difference, 2),
        "newest": counts.newest if counts else None,
        "self_play": asdict(continuation.self_play) if continuation.self_play else None,
    }
