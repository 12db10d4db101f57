"""Schemas of analyses."""

from __future__ import annotations

from marshmallow import Schema, fields, validate

from records.analysis.results import MAX_DEPTH
from records.position import MAX_SEEDS
from service.http.finding_request import MAX_EARLIER

from .constraints import COUNT, JsonInteger, JsonNumber, bounded_by, count_field, describe, optional_integer
from .text_fields import options_field, position_field, ruleset_field

MAX_LINES = 20
MAX_NODES = 10**12
MAX_SECONDS = 600.0  # that the setting `analysis_time` allows
REASONS = ("horizon", "repetition", "left-out")


def depth_field() -> fields.Integer:
    return optional_integer(1, MAX_DEPTH, "stop after so many turns of depth")


def nodes_field() -> fields.Integer:
    return optional_integer(1, MAX_NODES, "stop after so many positions")


def seconds_field(text: str) -> JsonNumber:
    return JsonNumber(
        load_default=None,
        allow_none=True,
        validate=validate.Range(0.01, MAX_SECONDS),
        metadata=bounded_by("analysis_time", text),
    )


class NewAnalysisSchema(Schema):
    """A position, and how long to search."""

    game = ruleset_field()
    options = options_field()
    position = position_field("null: the set-up of the game", load_default=None, allow_none=True)
    seeds = optional_integer(
        1, MAX_SEEDS, "how many seeds the game was set up with, if it is another number than the rules have"
    )
    earlier = fields.List(
        position_field(),
        load_default=list,
        validate=validate.Length(max=MAX_EARLIER),
        metadata=describe("the positions before `position`, the latest last: for repetitions"),
    )
    lines = JsonInteger(
        load_default=1, validate=validate.Range(1, MAX_LINES), metadata=describe("the best so many turns")
    )
    seconds = seconds_field(
        "stop after so many seconds, at most `analysis_time`; by default that, or 1 if no other limit is given"
    )
    depth = depth_field()
    nodes = nodes_field()


class LineSchema(Schema):
    """A turn, what is best after it, and its value."""

    value = fields.Float(
        required=True,
        metadata=describe("the final difference of seeds for the side to move; an integer if it is exact"),
    )
    moves = fields.List(fields.String(), required=True, metadata=describe("empty if the game is over"))
    depends_on = fields.List(
        fields.String(validate=validate.OneOf(REASONS)), required=True, metadata=describe("why it is not exact")
    )


class AnalysisSchema(Schema):
    lines = fields.List(fields.Nested(LineSchema), required=True, metadata=describe("the best first"))
    depth = count_field("turns")
    nodes = count_field("positions searched")
    seconds = fields.Float(required=True, validate=COUNT)
    exact = fields.Boolean(required=True, metadata=describe("whether the value of the best line is exact"))
    left_out = fields.List(
        fields.String(validate=validate.OneOf(("rearrangement",))),
        required=True,
        metadata=describe("legal moves that no search tries"),
    )
