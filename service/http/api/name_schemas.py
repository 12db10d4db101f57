"""Schemas of players, of events that were held, and of their standings."""

from __future__ import annotations

from marshmallow import Schema, fields, validate

from records.notation.tags import MAX_VALUE

from .constraints import COUNT, count_field, describe
from .schemas import PageSchema
from .text_fields import MAX_NAME_ID, NAME_ID, text_field


class NameListSchema(PageSchema):
    prefix = fields.String(
        load_default="",
        validate=validate.Length(max=MAX_VALUE),
        metadata=describe("what the name begins with, in any case"),
    )
    cursor = text_field(NAME_ID, 1, MAX_NAME_ID, "`next` of a page of the same list", load_default=None)


class NameSchema(Schema):
    id = fields.String(required=True, metadata=describe("the normalized name in URL-safe Base64"))
    name = fields.String(required=True, metadata=describe("as the newest game writes it"))


class NamesSchema(Schema):
    items = fields.List(fields.Nested(NameSchema), required=True)
    next = fields.String(required=True, allow_none=True)


class RulesetRecordSchema(Schema):
    game = fields.String(required=True, metadata=describe("rule set id"))
    won = count_field()
    drawn = count_field()
    lost = count_field()
    live = count_field()
    unfinished = count_field("ended without a result")
    both = count_field("with this name on both sides")


def _complete() -> fields.Boolean:
    return fields.Boolean(required=True, metadata=describe("false: only the newest games are counted"))


class PlayerSchema(NameSchema):
    games = count_field()
    matches = count_field()
    complete = _complete()
    records = fields.List(fields.Nested(RulesetRecordSchema), required=True)


class HeldEventSchema(NameSchema):
    games = count_field()
    matches = count_field()
    complete = _complete()
    first_date = fields.String(required=True, allow_none=True, metadata=describe("the first day of its games"))
    last_date = fields.String(required=True, allow_none=True, metadata=describe("the last day of its games"))


class ScoreSchema(Schema):
    won = count_field()
    drawn = count_field()
    lost = count_field()
    open = count_field("not over")


class StandingSchema(Schema):
    rank = fields.Integer(required=True, validate=validate.Range(1))
    player = fields.Nested(NameSchema, required=True)
    points = fields.Float(required=True, validate=COUNT, metadata=describe("matches won, and half of those drawn"))
    matches = fields.Nested(ScoreSchema, required=True)
    tally = fields.Nested(ScoreSchema, required=True, metadata=describe("games; `won` are the sticks"))


class StandingsSchema(Schema):
    id = fields.String(required=True)
    items = fields.List(fields.Nested(StandingSchema), required=True)
