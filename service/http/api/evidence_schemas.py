"""Schemas of evidence, penalties and the rules of events."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields, validate

from records.notation.dispute_commands import PENALTIES
from service.games.event_rules import MAX_MINUTES
from service.games.evidence import PHOTOGRAPH_TYPES

from .constraints import describe, optional_integer, time_field
from .people_schemas import side_field
from .text_fields import by_field, note_field, said_field


class NewPhotographSchema(Schema):
    witness = said_field("who took it, or saw it")
    text = note_field("what is to be seen")
    by = by_field()


class NewEvidenceSchema(NewPhotographSchema):
    text = said_field("what they saw")


class NewReleaseSchema(Schema):
    by = by_field()


class ReleasedSchema(Schema):
    seq = fields.Integer(required=True, metadata=describe("number of its event"))
    time = time_field(required=True)
    by = fields.String(required=True)


class PhotographSchema(Schema):
    sha256 = fields.String(required=True)
    type = fields.String(required=True, validate=validate.OneOf(PHOTOGRAPH_TYPES))
    bytes = fields.Integer(required=True)
    released = fields.Nested(
        ReleasedSchema, required=True, allow_none=True, metadata=describe("null: only arbiters see it")
    )


class GivenEvidenceSchema(ReleasedSchema):
    witness = fields.String(required=True)
    text = fields.String(required=True)
    photograph = fields.Nested(PhotographSchema, required=True, allow_none=True)


def _kind() -> fields.String:
    return fields.String(required=True, validate=validate.OneOf(PENALTIES))


class EarlierPenaltySchema(Schema):
    dispute = fields.String(required=True)
    kind = _kind()
    seeds = fields.Integer(required=True, allow_none=True)
    time = time_field(required=True)


class PlayerPenaltiesSchema(Schema):
    side = side_field(required=True)
    given = fields.List(fields.Nested(EarlierPenaltySchema), required=True, metadata=describe("the newest first"))
    next = _kind()


def _ladder(**more: Any) -> fields.List[str]:
    return fields.List(
        _kind(),
        validate=validate.Length(1, len(PENALTIES)),
        metadata={"uniqueItems": True, **describe("the penalties in the order in which a player gets them")},
        **more,
    )


class PenaltiesSchema(Schema):
    ladder = _ladder(required=True)
    appeal_until = time_field("null: always", required=True, allow_none=True)
    players = fields.List(fields.Nested(PlayerPenaltiesSchema), required=True)


class EventRulesSchema(Schema):
    """What the rules of an event say about penalties and appeals."""

    ladder = _ladder(load_default=list(PENALTIES))
    appeal_minutes = optional_integer(
        1, MAX_MINUTES, "how long after a ruling an appeal is possible; null: without a deadline"
    )
