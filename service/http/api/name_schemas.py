"""Schemas of players, of events that were held, and of their standings."""

from __future__ import annotations

from marshmallow import Schema, fields, validate

from records.notation.tags import MAX_VALUE
from service.storage.search import MAX_KEY

from .schemas import PageSchema

MAX_NAME_ID = 6 * MAX_KEY  # characters: Base64 of at most four bytes a character
COUNT = validate.Range(0)


class NameListSchema(PageSchema):
    prefix = fields.String(
        load_default="",
        validate=validate.Length(max=MAX_VALUE),
        metadata={"description": "what the name begins with, in any case"},
    )
    cursor = fields.String(load_default=None, validate=validate.Length(1, MAX_NAME_ID))


class NameSchema(Schema):
    id = fields.String(required=True, metadata={"description": "the normalized name in URL-safe Base64"})
    name = fields.String(required=True, metadata={"description": "as the newest game writes it"})


class NamesSchema(Schema):
    items = fields.List(fields.Nested(NameSchema), required=True)
    next = fields.String(required=True, allow_none=True)


def _count(description: str = "") -> fields.Integer:
    return fields.Integer(required=True, validate=COUNT, metadata={"description": description} if description else {})


class RulesetRecordSchema(Schema):
    game = fields.String(required=True, metadata={"description": "rule set id"})
    won = _count()
    drawn = _count()
    lost = _count()
    live = _count()
    unfinished = _count("ended without a result")
    both = _count("with this name on both sides")


def _complete() -> fields.Boolean:
    return fields.Boolean(required=True, metadata={"description": "false: only the newest games are counted"})


class PlayerSchema(NameSchema):
    games = _count()
    matches = _count()
    complete = _complete()
    records = fields.List(fields.Nested(RulesetRecordSchema), required=True)


class HeldEventSchema(NameSchema):
    games = _count()
    matches = _count()
    complete = _complete()
    first_date = fields.String(required=True, allow_none=True, metadata={"description": "the first day of its games"})
    last_date = fields.String(required=True, allow_none=True, metadata={"description": "the last day of its games"})


class ScoreSchema(Schema):
    won = _count()
    drawn = _count()
    lost = _count()
    open = _count("not over")


class StandingSchema(Schema):
    rank = fields.Integer(required=True, validate=validate.Range(1))
    player = fields.Nested(NameSchema, required=True)
    points = fields.Float(
        required=True, validate=COUNT, metadata={"description": "matches won, and half of those drawn"}
    )
    matches = fields.Nested(ScoreSchema, required=True)
    tally = fields.Nested(ScoreSchema, required=True, metadata={"description": "games; `won` are the sticks"})


class StandingsSchema(Schema):
    id = fields.String(required=True)
    items = fields.List(fields.Nested(StandingSchema), required=True)
