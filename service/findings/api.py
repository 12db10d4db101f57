"""``/findings``: what happened in a turn. Nothing is stored."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields, validate

from inkeek.records.findings.engine import MAX_MOVES
from inkeek.records.findings.evidence import MAX_COUNT, MAX_SEEN
from inkeek.records.position import MARK_LETTERS, MAX_ROW, MAX_SEEDS
from inkeek.service.games.schemas import language_field
from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.api.constraints import (
    OPTIONAL,
    JsonBoolean,
    JsonInteger,
    JsonNumber,
    board_field,
    describe,
    exactly_one,
    known_rules_field,
    move_field,
    optional_integer,
    options_field,
    position_field,
    text_field,
)
from inkeek.service.http.context import current_sender, current_services

from .answers import FindingJson, finding_json
from .request import MAX_EARLIER, MAX_QUESTION, MAX_SPREAD, MIN_SPREAD, read_request

blueprint = ApiBlueprint("findings", "What happened in a turn.")


MAX_PLACES = 2 * MAX_ROW + 2


class SeenSchema(Schema):
    """A lift of all seeds of a pit, or a drop of one seed into it."""

    kind = fields.String(required=True, validate=validate.OneOf(("lift", "drop")))
    pit = text_field("[A-Za-z]", 1, 1, "its letter", required=True)


class PreviousTurnSchema(Schema):
    """The turn before, from the position before that."""

    position = position_field(required=True)
    move = move_field(required=True)


class NewFindingSchema(Schema):
    """What is known. Either `board` or `counts` says what lies there now."""

    FORM = exactly_one("board", "counts")
    game = known_rules_field()
    options = options_field()
    position = position_field("before the turn; null: the set-up of the game", **OPTIONAL)
    seeds = optional_integer(
        1, MAX_SEEDS, "how many seeds the game was set up with, if it is another number than the rules have"
    )
    board = board_field("now: `SOUTH/NORTH S-N`, `?` where nobody counted", **OPTIONAL)
    counts = fields.List(
        JsonNumber(allow_none=True, validate=validate.Range(-MAX_COUNT, MAX_COUNT)),
        **OPTIONAL,
        validate=validate.Length(1, MAX_PLACES),
        metadata=describe("now: the pits by index, then South's and North's store; null where nobody counted"),
    )
    spreads = fields.List(
        JsonNumber(allow_none=True, validate=validate.Range(MIN_SPREAD, MAX_SPREAD)),
        **OPTIONAL,
        validate=validate.Length(1, MAX_PLACES),
        metadata=describe("standard deviations of `counts`; null: the count is exact, a whole number"),
    )
    marks = fields.List(
        fields.String(allow_none=True, validate=validate.OneOf(MARK_LETTERS)),
        **OPTIONAL,
        validate=validate.Length(1, 2 * MAX_ROW),
        metadata=describe("with `counts`: what each pit is now, as in positions; null where unknown"),
    )
    hand = optional_integer(0, MAX_SEEDS, "seeds that are still in a hand")
    claimed = move_field("the move that the player says was played", **OPTIONAL)
    captured = fields.List(
        JsonInteger(validate=validate.Range(0, MAX_SEEDS)),
        **OPTIONAL,
        validate=validate.Length(equal=2),
        metadata=describe("seeds that South and North are said to have captured; by default those of `claimed`"),
    )
    seen = fields.List(
        fields.Nested(SeenSchema),
        load_default=list,
        validate=validate.Length(max=MAX_SEEN),
        metadata=describe("lifts, or lifts and drops, in order"),
    )
    seen_all = JsonBoolean(load_default=False, metadata=describe("none of them was missed"))
    previous = fields.Nested(PreviousTurnSchema, **OPTIONAL)
    earlier = fields.List(
        position_field(),
        load_default=list,
        validate=validate.Length(max=MAX_EARLIER),
        metadata=describe("the positions before `position`, the latest last: to find turns that were taken back"),
    )
    moves = fields.List(
        move_field(),
        **OPTIONAL,
        validate=validate.Length(1, MAX_MOVES),
        metadata=describe("turns that were written since `position`, if nobody knows which went wrong"),
    )
    slips = optional_integer(1, 2, "look for so many slips at most; null: for two if one does not explain the board")
    language = language_field()


@blueprint.operation(
    "POST",
    "/findings",
    scope="read",
    body=NewFindingSchema,
    example={
        "game": "oware",
        "board": "4.4.0.5.4.5/5.5.4.4.4.? 0-0",
        "claimed": "c",
        "seen": [{"kind": "lift", "pit": "c"}],
    },
    status=200,
    idempotent=False,
    limited=True,
    max_body=MAX_QUESTION,
)
def find_what_happened(body: dict[str, Any]) -> FindingJson:
    """Find what happened in a turn, or in several. Nothing is stored."""
    request = read_request(body)
    found = request.answer(current_services().findings, current_sender())
    return finding_json(found, request.evidence.before)
