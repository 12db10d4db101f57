"""Schemas of what streams send: lines of NDJSON, and the data of Server-Sent Events."""

from __future__ import annotations

from marshmallow import Schema, fields, validate

from .constraints import Pattern, describe, time_field
from .record_schemas import RecordPlySchema
from .schemas import event_filter, ruleset_filter
from .text_fields import id_field


class EventSchema(Schema):
    seq = fields.Integer(required=True, metadata=describe("its number in the game, from 1"))
    time = time_field(required=True)
    actor = fields.String(required=True)
    source = fields.String(required=True, metadata=describe("`api:…`, `page:…`, `board:…`, `rules` …"))
    kind = fields.String(required=True)
    data = fields.Dict(required=True, metadata=describe("depends on the kind"))
    position = fields.String(metadata=describe("after the event, if it changes the position"))


class ChainedEventSchema(EventSchema):
    prev_hash = fields.String(required=True)
    hash = fields.String(required=True)


CURSOR = r"[0-9]{1,18}(\.[0-9]{1,9})?"


class FeedSchema(Schema):
    """Which events, and from where."""

    after = fields.String(
        load_default="0",
        validate=Pattern(f"{CURSOR}|end"),
        metadata=describe("a cursor of the feed; end: only what comes now"),
    )
    format = fields.String(load_default=None, validate=validate.OneOf(("sse", "ndjson")))
    game_id = id_field(load_default=None)
    match = id_field("id of a match", load_default=None)
    board = id_field("id of a board: its game", load_default=None)
    event = event_filter()
    game = ruleset_filter()


class FeedEventSchema(EventSchema):
    cursor = fields.String(required=True, validate=Pattern(CURSOR))
    game_id = fields.String(required=True)
    game = fields.String(required=True, metadata=describe("rule set id"))
    match = fields.String(required=True, allow_none=True, metadata=describe("id of its match"))


class FeedEndSchema(Schema):
    """The last line."""

    cursor = fields.String(required=True, validate=Pattern(CURSOR), metadata=describe("read on after it"))
    more = fields.Boolean(required=True, metadata=describe("whether there is more now"))


class ExportedSchema(Schema):
    """A record. An import ignores id and cursor."""

    id = fields.String(required=True)
    cursor = fields.String(required=True, metadata=describe("an export with this cursor goes on after the game"))
    tags = fields.Dict(keys=fields.String(), values=fields.String(), required=True)
    comments = fields.List(fields.String(), required=True)
    plies = fields.List(fields.Nested(RecordPlySchema), required=True)
    ended = fields.String(required=True, allow_none=True, metadata=describe("the result"))


class ImportErrorSchema(Schema):
    line = fields.Integer(required=True, allow_none=True)
    column = fields.Integer(required=True, allow_none=True)
    ply = fields.Integer(required=True, allow_none=True)
    message = fields.String(required=True)
    legal = fields.List(fields.String(), required=True)


class ImportedSchema(Schema):
    """What became of a game of an import."""

    index = fields.Integer(required=True, metadata=describe("its number in the body, from 1"))
    ok = fields.Boolean(required=True)
    id = fields.String(
        allow_none=True, metadata=describe("of the stored game, if `ok`; null: a dry run would store it")
    )
    present = fields.Boolean(metadata=describe("if `ok`: whether a game with the same content was stored before"))
    warnings = fields.List(
        fields.String(), metadata=describe("if `ok`: what may not have been written down, as of a race")
    )
    error = fields.Nested(ImportErrorSchema, metadata=describe("unless `ok`"))
