"""Schemas of annotations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marshmallow import Schema, ValidationError, fields, validate

from records.record import MAX_NAG
from service.games.annotations import MAX_CHANGES
from service.games.validation import MAX_COMMENT

from .constraints import JsonInteger, Pattern, describe, exactly_one, optional_integer, time_field
from .record_schemas import VariationSchema
from .text_fields import by_field

ID = "[0-9]{1,9}-[0-9]{1,9}"


class _Variation(fields.Nested):
    """A variation, which `records` reads: marshmallow would recurse as deep as it is nested."""

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, partial: Any = None, **kwargs: Any
    ) -> Any:
        if not isinstance(value, dict):
            raise ValidationError("Not a valid variation: expected an object.")
        return value


def _nag(**more: Any) -> fields.Integer:
    return JsonInteger(validate=validate.Range(0, MAX_NAG), allow_none=True, **more)


def _comment(**more: Any) -> fields.String:
    return fields.String(validate=validate.Length(1, MAX_COMMENT), allow_none=True, **more)


def _variation(**more: Any) -> fields.Nested:
    return _Variation(VariationSchema, allow_none=True, **more)


def _id() -> fields.String:
    return fields.String(required=True, validate=Pattern(ID))


def _expected_seq() -> fields.Integer:
    return optional_integer(1, 10**9, "its `seq` as you know it: another one is a conflict")


class ValueSchema(Schema):
    """What an annotation says: exactly one of these."""

    nag = _nag(load_default=None)
    comment = _comment(load_default=None)
    variation = _variation(load_default=None)


class NewAnnotationSchema(ValueSchema):
    FORM = exactly_one("nag", "comment", "variation")
    ply = JsonInteger(
        required=True,
        validate=validate.Range(0, 10**9),
        metadata=describe("the turn it is about; 0, for a comment: before the first"),
    )


class ChangedAnnotationSchema(ValueSchema):
    id = _id()
    seq = _expected_seq()


class RemovedAnnotationSchema(Schema):
    id = _id()
    seq = _expected_seq()


def _list(schema: type[Schema]) -> fields.List[Any]:
    return fields.List(fields.Nested(schema), load_default=list, validate=validate.Length(max=MAX_CHANGES))


class AnnotationChangesSchema(Schema):
    add = _list(NewAnnotationSchema)
    change = _list(ChangedAnnotationSchema)
    remove = _list(RemovedAnnotationSchema)
    by = by_field("who writes the annotations")


class AnalysisNotesSchema(Schema):
    by = by_field("who has the analysis written into the game")


class AnnotationSchema(Schema):
    id = _id()
    ply = fields.Integer(required=True, metadata=describe("the turn it is about; 0: before the first"))
    nag = _nag(required=True)
    comment = fields.String(required=True, allow_none=True)
    variation = _variation(required=True)
    by = fields.String(required=True, metadata=describe("its author"))
    source = fields.String(required=True, metadata=describe("where it came from, as an event's"))
    created = time_field(required=True)
    updated = time_field(required=True)
    seq = fields.Integer(required=True, metadata=describe("number of the event that changed it last"))
    analysis = fields.Boolean(
        required=True, metadata=describe("whether an analysis wrote it, and nobody has changed it since")
    )


class AnnotationsSchema(Schema):
    seq = fields.Integer(required=True, metadata=describe("number of the game's last event"))
    items = fields.List(fields.Nested(AnnotationSchema), required=True)
