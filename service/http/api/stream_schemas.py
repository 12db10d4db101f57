"""Schemas of what streams send: lines of NDJSON, and the data of Server-Sent Events."""

from __future__ import annotations

from marshmallow import Schema, fields

from .record_schemas import RecordPlySchema


class EventSchema(Schema):
    seq = fields.Integer(required=True, metadata={"description": "its number in the game, from 1"})
    time = fields.String(required=True)
    actor = fields.String(required=True)
    source = fields.String(required=True, metadata={"description": "`api:…`, `page:…`, `board:…`, `rules` …"})
    kind = fields.String(required=True)
    data = fields.Dict(required=True, metadata={"description": "depends on the kind"})
    position = fields.String(metadata={"description": "after the event, if it changes the position"})


class ChainedEventSchema(EventSchema):
    prev_hash = fields.String(required=True)
    hash = fields.String(required=True)


class ExportedSchema(Schema):
    """A record. An import ignores id and cursor."""

    id = fields.String(required=True)
    cursor = fields.String(required=True, metadata={"description": "an export with this cursor goes on after the game"})
    tags = fields.Dict(keys=fields.String(), values=fields.String(), required=True)
    comments = fields.List(fields.String(), required=True)
    plies = fields.List(fields.Nested(RecordPlySchema), required=True)
    ended = fields.String(required=True, allow_none=True, metadata={"description": "the result"})


class ImportErrorSchema(Schema):
    line = fields.Integer(required=True, allow_none=True)
    column = fields.Integer(required=True, allow_none=True)
    ply = fields.Integer(required=True, allow_none=True)
    message = fields.String(required=True)
    legal = fields.List(fields.String(), required=True)


class ImportedSchema(Schema):
    """What became of a game of an import."""

    index = fields.Integer(required=True, metadata={"description": "its number in the body, from 1"})
    ok = fields.Boolean(required=True)
    id = fields.String(
        allow_none=True, metadata={"description": "of the stored game, if `ok`; null: a dry run would store it"}
    )
    present = fields.Boolean(
        metadata={"description": "if `ok`: whether a game with the same content was stored before"}
    )
    warnings = fields.List(
        fields.String(), metadata={"description": "if `ok`: what may not have been written down, as of a race"}
    )
    error = fields.Nested(ImportErrorSchema, metadata={"description": "unless `ok`"})
