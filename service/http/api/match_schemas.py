"""Schemas of matches."""

from __future__ import annotations

from marshmallow import Schema, fields, validate

from records.notation.tags import MAX_GAMES, MAX_VALUE, RESULTS
from service.games.validation import LINE
from service.storage import game_list
from service.storage.search import STATES

from .constraints import describe, time_field
from .schemas import SIDE, NewGameSchema, PageSchema, cursor_field, event_filter, player_filter
from .text_fields import by_field, tags_field, text_field


class NewMatchSchema(NewGameSchema):
    title = text_field(
        LINE, 1, MAX_VALUE, "the Match tag: games, games 5, surplus or rounds, then any name", required=True
    )


class NextGameSchema(Schema):
    closed = text_field("[A-Za-z]*", 0, 52, "letters of the pits that are closed in a round", load_default="")
    tags = tags_field()
    by = by_field()


class MatchListSchema(PageSchema):
    cursor = cursor_field(game_list.CURSOR)
    player = player_filter()
    event = event_filter()


class TallySchema(Schema):
    South = fields.Integer(required=True)
    North = fields.Integer(required=True)
    drawn = fields.Integer(required=True)


class MatchOutcomeSchema(Schema):
    winner = fields.String(required=True, allow_none=True, validate=SIDE)
    reason = fields.String(required=True)


class ComingSchema(Schema):
    number = fields.Integer(required=True, validate=validate.Range(1, MAX_GAMES))
    start = fields.String(required=True, metadata=describe("the start position, unless other pits are closed"))
    first = fields.String(required=True, allow_none=True, metadata=describe("who begins; null: not decided"))


class MatchGameSchema(Schema):
    id = fields.String(required=True)
    number = fields.Integer(required=True)
    state = fields.String(required=True, validate=validate.OneOf(STATES))
    result = fields.String(required=True, validate=validate.OneOf(RESULTS))
    score = fields.List(fields.Integer(), required=True, allow_none=True)
    still = fields.Boolean(
        required=True, metadata=describe("it stands still, because a game before it was reopened and goes on again")
    )


class MatchItemSchema(Schema):
    id = fields.String(required=True)
    game = fields.String(required=True, metadata=describe("rule set id"))
    title = fields.String(required=True)
    tags = fields.Dict(keys=fields.String(), values=fields.String(), required=True)
    created = time_field(required=True)


class MatchesSchema(Schema):
    items = fields.List(fields.Nested(MatchItemSchema), required=True)
    next = fields.String(required=True, allow_none=True)


class MatchSchema(MatchItemSchema):
    kind = fields.String(required=True)
    agreed = fields.Integer(required=True, allow_none=True, metadata=describe("number of games agreed on"))
    tally = fields.Nested(TallySchema, required=True)
    seeds = fields.List(fields.Integer(), required=True, metadata=describe("South's and North's in the next game"))
    removed = fields.Integer(required=True, metadata=describe("seeds removed from the match"))
    outcome = fields.Nested(MatchOutcomeSchema, required=True, allow_none=True)
    coming = fields.Nested(ComingSchema, required=True, allow_none=True)
    games = fields.List(fields.Nested(MatchGameSchema), required=True)
