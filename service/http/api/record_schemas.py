"""The JSON of a record's plies, described for the API. `Game.to_json` writes it; these schemas only document it."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields, validate

from records.record import MAX_NAG


class _AsIs(fields.List[Any]):
    """A list that is JSON already."""

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return value


class RemarksSchema(Schema):
    """What a record says about a ply."""

    nags = _AsIs(fields.Integer(validate=validate.Range(0, MAX_NAG)))
    comments = _AsIs(fields.String())
    variations = _AsIs(fields.Nested(lambda: VariationSchema()))


class RecordPlySchema(RemarksSchema):
    """A ply of a record: the move, and what the record says about it."""

    move = fields.String(required=True)


class VariationSchema(Schema):
    """A line that replaces the ply it is attached to."""

    comments = _AsIs(fields.String())
    plies = _AsIs(fields.Nested(RecordPlySchema), required=True, metadata={"minItems": 1})
