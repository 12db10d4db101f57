"""Schemas of people, trials and retractions."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields, validate

from records.notation.commands import REASONS, SIDES_REASONS
from service.games.validation import MAX_ACTOR

from .constraints import describe
from .schemas import SIDE, expected_ply
from .text_fields import by_field, move_field, note_field, said_field


def side_field(**more: Any) -> fields.String:
    return fields.String(validate=SIDE, **more)


class NewTrialSchema(Schema):
    move = move_field(required=True)
    ply = expected_ply()
    by = by_field("who tried it")


class TrialSchema(Schema):
    ply = fields.Integer(required=True, metadata=describe("the turn at which the record has it"))
    move = fields.String(required=True)
    by = fields.String(required=True)


class TrialsSchema(Schema):
    items = fields.List(fields.Nested(TrialSchema), required=True)


class NewRetractionSchema(Schema):
    reason = fields.String(required=True, validate=validate.OneOf(SIDES_REASONS))
    side = side_field(load_default=None, allow_none=True, metadata=describe("who takes it back; null: its player"))
    note = note_field()
    ply = expected_ply("the number of the last turn")
    by = by_field()


class RetractionSchema(Schema):
    ply = fields.Integer(required=True, metadata=describe("the turn at which the record has it"))
    move = fields.String(required=True)
    side = side_field(required=True, allow_none=True, metadata=describe("null: a ruling took it back"))
    reason = fields.String(required=True, validate=validate.OneOf(REASONS))
    note = fields.String(required=True)


class RetractionsSchema(Schema):
    items = fields.List(fields.Nested(RetractionSchema), required=True)


class NewPersonSchema(Schema):
    side = side_field(required=True)
    name = said_field(most=MAX_ACTOR)
    action = fields.String(required=True, validate=validate.OneOf(("join", "leave")))
    by = by_field()


class TeamsSchema(Schema):
    South = fields.List(fields.String(), required=True)
    North = fields.List(fields.String(), required=True)


class FaultSchema(Schema):
    reason = fields.String(required=True)
    ply = fields.Integer(required=True)
    name = fields.String(required=True)
    side = side_field(required=True, allow_none=True)
    message = fields.String(required=True)


class PeopleSchema(Schema):
    teams = fields.Nested(TeamsSchema, required=True, metadata=describe("for the next turn"))
    makers = fields.List(
        fields.String(allow_none=True), required=True, metadata=describe("who played each turn; null: unknown")
    )
    faults = fields.List(fields.Nested(FaultSchema), required=True)
