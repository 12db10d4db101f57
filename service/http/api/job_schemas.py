"""Schemas of jobs, and of the analyses of games that they make."""

from __future__ import annotations

from marshmallow import Schema, fields, validate

from records.analysis.annotation import MARKS
from service.jobs.queue import NONE
from service.storage.job_table import ACTIVE, CANCELLED, DONE, FAILED

from .analysis_schemas import depth_field, nodes_field, seconds_field
from .constraints import COUNT, bounded_by, count_field, describe, exactly_one, time_field
from .schemas import SIDE, event_filter
from .text_fields import id_field

STATES = (*ACTIVE, DONE, FAILED, CANCELLED)
MAX_GAMES = 100_000
GLYPHS = ("", *(glyph for _, glyph in MARKS))
PERCENT = validate.Range(0, 100)


class PositionLimitsSchema(Schema):
    """How long to search each position. Without any: 100,000 nodes."""

    seconds = seconds_field("stop after so many seconds, at most `analysis_time`")
    depth = depth_field()
    nodes = nodes_field()


class NewJobSchema(PositionLimitsSchema):
    """The games to analyze: either these, or all of an event."""

    FORM = exactly_one("games", "event")
    games = fields.List(
        id_field(),
        load_default=None,
        allow_none=True,
        validate=validate.Length(1, MAX_GAMES),
        metadata=bounded_by("max_job_games", "ids"),
    )
    event = event_filter()


class LimitsSchema(Schema):
    seconds = fields.Float(required=True, allow_none=True)
    depth = fields.Integer(required=True, allow_none=True)
    nodes = fields.Integer(required=True, allow_none=True)


class JobSchema(Schema):
    id = fields.String(required=True)
    state = fields.String(required=True, validate=validate.OneOf(STATES))
    done = count_field("positions searched")
    total = count_field()
    games = fields.List(fields.String(), required=True)
    limits = fields.Nested(LimitsSchema, required=True)
    owner = fields.String(required=True, metadata=describe("id of the key"))
    created = time_field(required=True)
    updated = time_field(required=True)
    error = fields.String(required=True, allow_none=True)


class JobsSchema(Schema):
    items = fields.List(fields.Nested(JobSchema), required=True)


class BestLineSchema(Schema):
    value = fields.Float(required=True)
    moves = fields.List(fields.String(), required=True)


class JudgedTurnSchema(Schema):
    ply = fields.Integer(required=True, validate=validate.Range(1))
    move = fields.String(required=True)
    side = fields.String(required=True, validate=SIDE)
    before = fields.Float(required=True, metadata=describe("value before the turn, in seeds for the side that moved"))
    after = fields.Float(required=True, metadata=describe("value after it, for the same side"))
    best = fields.Nested(BestLineSchema, required=True)
    loss = fields.Float(
        required=True, allow_none=True, validate=COUNT, metadata=describe("in seeds; null: the turn is not judged")
    )
    glyph = fields.String(required=True, validate=validate.OneOf(GLYPHS))
    exact = fields.Boolean(required=True)
    depth = count_field()


class AccuracySchema(Schema):
    south = fields.Float(required=True, allow_none=True, validate=PERCENT)
    north = fields.Float(required=True, allow_none=True, validate=PERCENT)


class GameAnalysisSchema(Schema):
    state = fields.String(required=True, validate=validate.OneOf((NONE, *STATES)))
    job = fields.String(required=True, allow_none=True)
    current = fields.Boolean(required=True, metadata=describe("false: it is not of the turns that the game has now"))
    depth = count_field("least depth of an estimate; null: all is exact", allow_none=True)
    nodes = count_field()
    start = fields.Float(required=True, allow_none=True, metadata=describe("value of the first position for South"))
    turns = fields.List(fields.Nested(JudgedTurnSchema), required=True)
    turning_point = fields.Integer(
        required=True, allow_none=True, validate=validate.Range(1), metadata=describe("its ply")
    )
    accuracy = fields.Nested(AccuracySchema, required=True, metadata=describe("in percent"))
