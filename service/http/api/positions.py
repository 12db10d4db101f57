"""``/positions``: what the rules say of a position that need not belong to a game. Nothing is stored."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields

from records import IllegalMove, Move
from records.budget import Budget
from service.errors import Illegal
from service.games.explorer import BUDGET_PLIES, MAX_TURNS
from service.http.position_query import read_position
from service.http.rules_json import outcome_json, path_json, trace_json, turn_json

from .blueprint import ApiBlueprint
from .constraints import describe
from .schemas import SIDE, OutcomeSchema, PositionQuerySchema, TraceSchema, TurnSchema, language_field
from .text_fields import move_field

blueprint = ApiBlueprint("positions", "Turns of any position.")


class MoveQuerySchema(PositionQuerySchema):
    move = move_field(required=True)
    language = language_field()


class LegalTurnsSchema(Schema):
    game = fields.String(required=True)
    position = fields.String(required=True)
    to_move = fields.String(required=True, allow_none=True, validate=SIDE)
    outcome = fields.Nested(OutcomeSchema, required=True, allow_none=True)
    complete = fields.Boolean(required=True, metadata=describe("false: not all legal turns are listed"))
    turns = fields.List(fields.Nested(TurnSchema), required=True)


@blueprint.operation(
    "GET",
    "/positions/turns",
    scope="read",
    query=PositionQuerySchema,
    returns=LegalTurnsSchema,
    problems=(422,),
    limited=True,
)
def list_legal_turns(query: dict[str, Any]) -> dict[str, Any]:
    """List the legal turns of any position, each with the position after it; none where the game is over."""
    rules, position = read_position(query["game"], query["options"], query["position"])
    outcome = rules.outcome(position, Budget(BUDGET_PLIES))
    turns = rules.turns(position, MAX_TURNS, Budget(BUDGET_PLIES))
    return {
        "game": rules.id,
        "position": str(position),
        "to_move": None if outcome else str(position.to_move),
        "outcome": outcome_json(outcome),
        "complete": turns.complete,
        "turns": [{"ply": turn.position.ply, **turn_json(turn)} for turn in turns],
    }


@blueprint.operation(
    "GET", "/positions/trace", scope="read", query=MoveQuerySchema, returns=TraceSchema, problems=(422,), limited=True
)
def trace_turn(query: dict[str, Any]) -> dict[str, Any]:
    """Get a turn of any position seed by seed, and in sentences."""
    rules, position = read_position(query["game"], query["options"], query["position"])
    try:
        turn = rules.play(position, Move.parse(query["move"]), budget=Budget(BUDGET_PLIES))
    except IllegalMove as error:
        raise Illegal(error, rules) from error
    trace = rules.trace(position, turn.move)
    return {
        "ply": turn.position.ply,
        "move": str(turn.move),
        "before": str(position),
        "position": str(turn.position),
        "events": trace_json(trace),
        "path": path_json(trace),
        "sentences": rules.describe(trace, query["language"]),
    }
