"""``/positions``: what the rules say of a position that need not belong to a game. Nothing is stored."""

from __future__ import annotations

from typing import Annotated, Any

from inkeek.records import IllegalMove, Move
from inkeek.records.errors import Budget
from inkeek.service.errors import Illegal
from inkeek.service.games.explorer import BUDGET_PLIES, MAX_TURNS
from inkeek.service.http.answers.rules import OutcomeJson, TraceJson, TurnJson, traced_turn_json
from inkeek.service.http.answers.shape import Shape, SideName
from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.api.games.schemas import PositionQuerySchema, language_field
from inkeek.service.http.api.text_fields import move_field
from inkeek.service.http.position_query import read_position

blueprint = ApiBlueprint("positions", "Turns of any position.")


class MoveQuerySchema(PositionQuerySchema):
    move = move_field(required=True)
    language = language_field()


class LegalTurnsJson(Shape):
    game: str
    position: str
    to_move: SideName | None
    outcome: OutcomeJson | None
    complete: Annotated[bool, "false: not all legal turns are listed"]
    turns: list[TurnJson]


@blueprint.operation(
    "GET",
    "/positions/turns",
    scope="read",
    query=PositionQuerySchema,
    problems=(422,),
    limited=True,
)
def list_legal_turns(query: dict[str, Any]) -> LegalTurnsJson:
    """List the legal turns of any position, each with the position after it; none where the game is over."""
    rules, position = read_position(query["game"], query["options"], query["position"])
    outcome = rules.outcome(position, Budget(BUDGET_PLIES))
    turns = rules.turns(position, MAX_TURNS, Budget(BUDGET_PLIES))
    return LegalTurnsJson.of(
        game=rules.id,
        position=position,
        to_move=None if outcome else position.to_move,
        outcome=outcome,
        complete=turns.complete,
        turns=[TurnJson.of(turn, ply=turn.position.ply) for turn in turns],
    )


@blueprint.operation("GET", "/positions/trace", scope="read", query=MoveQuerySchema, problems=(422,), limited=True)
def trace_turn(query: dict[str, Any]) -> TraceJson:
    """Get a turn of any position seed by seed, and in sentences."""
    rules, position = read_position(query["game"], query["options"], query["position"])
    try:
        turn = rules.play(position, Move.parse(query["move"]), budget=Budget(BUDGET_PLIES))
    except IllegalMove as error:
        raise Illegal(error, rules) from error
    trace = rules.trace(position, turn.move)
    return traced_turn_json(turn.position.ply, turn, trace, rules.describe(trace, query["language"]))
