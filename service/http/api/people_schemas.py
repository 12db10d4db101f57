"""Schemas of people, trials, retractions, disputes and rulings."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields, validate

from records.moves import MAX_TEXT as MAX_MOVE
from records.notation.commands import OUTCOMES, REASONS
from service.games import endings
from service.games.disputes import ABOUT
from service.games.validation import MAX_ACTOR, MAX_TEXT

from .constraints import time_field
from .schemas import MAX_POSITION, SIDE, GameSchema, PageSchema, by_field, confirm_field, expected_ply, score_field

STATES = ("open", "ruled")


def _side(**more: Any) -> fields.String:
    return fields.String(validate=SIDE, **more)


def _move() -> fields.String:
    return fields.String(required=True, validate=validate.Length(1, MAX_MOVE))


class NewTrialSchema(Schema):
    move = _move()
    ply = expected_ply()
    by = by_field("who tried it")


class TrialSchema(Schema):
    ply = fields.Integer(required=True, metadata={"description": "the turn at which the record has it"})
    move = fields.String(required=True)
    by = fields.String(required=True)


class TrialsSchema(Schema):
    items = fields.List(fields.Nested(TrialSchema), required=True)


class NewRetractionSchema(Schema):
    reason = fields.String(required=True, validate=validate.OneOf(REASONS))
    side = _side(load_default=None, allow_none=True, metadata={"description": "who takes it back; null: its player"})
    note = fields.String(load_default="", validate=validate.Length(max=MAX_TEXT))
    ply = expected_ply("the number of the last turn")
    by = by_field()


class RetractionSchema(Schema):
    ply = fields.Integer(required=True, metadata={"description": "the turn at which the record has it"})
    move = fields.String(required=True)
    side = _side(required=True)
    reason = fields.String(required=True, validate=validate.OneOf(REASONS))
    note = fields.String(required=True)


class RetractionsSchema(Schema):
    items = fields.List(fields.Nested(RetractionSchema), required=True)


class NewPersonSchema(Schema):
    side = _side(required=True)
    name = fields.String(required=True, validate=validate.Length(1, MAX_ACTOR))
    action = fields.String(required=True, validate=validate.OneOf(("join", "leave")))
    by = by_field()


class TeamsSchema(Schema):
    South = fields.List(fields.String(), required=True)
    North = fields.List(fields.String(), required=True)


class FaultSchema(Schema):
    reason = fields.String(required=True)
    ply = fields.Integer(required=True)
    name = fields.String(required=True)
    side = _side(required=True, allow_none=True)
    message = fields.String(required=True)


class PeopleSchema(Schema):
    teams = fields.Nested(TeamsSchema, required=True, metadata={"description": "for the next turn"})
    makers = fields.List(
        fields.String(allow_none=True), required=True, metadata={"description": "who played each turn; null: unknown"}
    )
    faults = fields.List(fields.Nested(FaultSchema), required=True)


class NewDisputeSchema(Schema):
    side = _side(required=True, metadata={"description": "who disputes the turn"})
    claim = fields.String(required=True, validate=validate.Length(1, MAX_TEXT))
    seen = fields.String(
        load_default=None,
        allow_none=True,
        validate=validate.Length(1, MAX_POSITION),
        metadata={"description": "the position on the board"},
    )
    about = fields.String(
        load_default="turn",
        validate=validate.OneOf(ABOUT),
        metadata={"description": "the last turn, or how the game ended"},
    )
    ply = expected_ply("the number of the last turn")
    by = by_field()


class RulingSchema(Schema):
    outcome = fields.String(required=True, validate=validate.OneOf(OUTCOMES))
    by = fields.String(required=True)
    note = fields.String(required=True)
    time = time_field(required=True)


class DisputeSchema(Schema):
    id = fields.String(required=True)
    game = fields.String(required=True)
    seq = fields.Integer(required=True, metadata={"description": "number of the event that opened it"})
    time = time_field(required=True)
    about = fields.String(required=True, validate=validate.OneOf(ABOUT))
    ply = fields.Integer(required=True)
    turn = fields.Integer(required=True, metadata={"description": "number of the event of the disputed turn or end"})
    side = _side(required=True)
    claim = fields.String(required=True)
    seen = fields.String(required=True, allow_none=True)
    by = fields.String(required=True)
    state = fields.String(required=True, validate=validate.OneOf(STATES))
    ruling = fields.Nested(RulingSchema, required=True, allow_none=True)


class DisputesSchema(Schema):
    items = fields.List(fields.Nested(DisputeSchema), required=True)


class DisputePageSchema(DisputesSchema):
    next = fields.String(required=True, allow_none=True)


class DisputeListSchema(PageSchema):
    state = fields.String(load_default=None, validate=validate.OneOf(STATES))


class NewRulingSchema(Schema):
    outcome = fields.String(required=True, validate=validate.OneOf(OUTCOMES))
    note = fields.String(load_default="", validate=validate.Length(max=MAX_TEXT))
    move = fields.String(
        load_default=None,
        allow_none=True,
        validate=validate.Length(1, MAX_MOVE),
        metadata={"description": "with 'corrected' of a turn: the move that replaces it"},
    )
    position = fields.String(
        load_default=None,
        allow_none=True,
        validate=validate.Length(1, MAX_POSITION),
        metadata={"description": "with an irregular move: the position after it"},
    )
    termination = fields.String(
        load_default=None,
        allow_none=True,
        validate=validate.OneOf(endings.TERMINATIONS),
        metadata={"description": "with 'corrected' of an end: how the game ended"},
    )
    winner = fields.String(load_default=None, allow_none=True, validate=SIDE)
    score = score_field()
    confirm = confirm_field()
    by = by_field("the arbiter")


class RuledSchema(Schema):
    dispute = fields.Nested(DisputeSchema, required=True)
    game = fields.Nested(GameSchema, required=True)
