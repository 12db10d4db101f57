"""Schemas of boards, ports and drivers."""

from __future__ import annotations

from marshmallow import Schema, fields, validate

from drivers.protocol.limits import MAX_ROW, MAX_SEEDS_LAID
from service.boards.bindings import REQUESTS
from service.boards.identity import MAX_SERIAL

from .constraints import JsonBoolean, JsonInteger, describe, only_with, optional_integer, optional_text, time_field
from .text_fields import by_field, id_field, move_field


class NewBoardSchema(Schema):
    port = fields.String(
        required=True,
        validate=validate.Length(1, 300),
        metadata=describe("a port of the service's machine, in the form of the driver, or `far:` and a name"),
    )
    driver = fields.String(load_default="inkeek", validate=validate.Length(1, 64), metadata={"x-drivers": True})
    game = id_field("id", required=True)
    buttons = JsonBoolean(
        load_default=True, metadata=describe("false: a turn ends when the board has been still for a while")
    )
    serial = optional_text(MAX_SERIAL, "the board's serial number; null: that of the first board that plays")


class BoardChangeSchema(Schema):
    serial = fields.String(
        required=True,
        validate=validate.Length(1, MAX_SERIAL),
        metadata=describe("serial number of the board that plays from now on"),
    )


class BoardSchema(Schema):
    id = fields.String(required=True)
    driver = fields.String(required=True)
    port = fields.String(required=True)
    game = fields.String(required=True)
    wanted = fields.String(required=True)
    serial = fields.String(allow_none=True)
    adapter = fields.String(allow_none=True)
    boot = fields.String(allow_none=True)
    seq = fields.Integer()
    buttons = fields.Boolean(required=True)
    status = fields.Dict(required=True)
    version = fields.Integer(required=True)
    created = time_field(required=True)
    updated = time_field(required=True)


class BoardsSchema(Schema):
    items = fields.List(fields.Nested(BoardSchema), required=True)


class PortSchema(Schema):
    url = fields.String(required=True)
    title = fields.String(required=True)


class PortsSchema(Schema):
    items = fields.List(fields.Nested(PortSchema), required=True)


class DriverSchema(Schema):
    name = fields.String(required=True)
    title = fields.String(required=True)
    distribution = fields.String(required=True)
    version = fields.String(required=True)
    error = fields.String(required=True, allow_none=True)


class DriversSchema(Schema):
    items = fields.List(fields.Nested(DriverSchema), required=True)


class LogEntrySchema(Schema):
    number = fields.Integer(required=True)
    time = time_field(required=True)
    kind = fields.String(required=True)
    data = fields.Dict(required=True)


class LogSchema(Schema):
    items = fields.List(fields.Nested(LogEntrySchema), required=True)


class NewRequestSchema(Schema):
    FORM = only_with("kind", "seeds", "pit", "seeds")
    kind = fields.String(
        required=True,
        validate=validate.OneOf(REQUESTS),
        metadata=describe(
            "tare: all is empty; seeds: the pit holds so many; dismiss: no answer needed; "
            "turned: the board lies the wrong way round; upright: it does not; "
            "retry: try the driver again that was stopped"
        ),
    )
    pit = optional_integer(
        0, 2 * MAX_ROW + 1, "index of the pit; stores follow the pits; with the kind seeds, and only there"
    )
    seeds = optional_integer(0, MAX_SEEDS_LAID, "with the kind seeds, and only there")


class AnswerSchema(Schema):
    question = fields.String(
        required=True, validate=validate.Length(1, 64), metadata=describe("`question` of the board's `refusal`")
    )
    ply = JsonInteger(required=True, validate=validate.Range(1), metadata=describe("`ply` of the `refusal`"))
    move = move_field("`move` of one of its `candidates`", required=True)
    by = by_field("who says so")


class AnsweredSchema(Schema):
    ply = fields.Integer(required=True)
    move = fields.String(required=True)
    position = fields.String(required=True)
    recorded = fields.Boolean(required=True, metadata=describe("false: this turn was recorded before"))


class RequestSchema(Schema):
    number = fields.Integer(required=True)
    kind = fields.String(required=True)
    pit = fields.Integer()
    seeds = fields.Integer()
