"""The JSON form of a record as marshmallow schemas: `RecordSchema`, of plies (`RecordPlySchema`) and variations.

`jsonform` reads and writes with them; a program that describes its interface can nest them. Loading gives the values of
`records.game`. Plies, of which there are many, go through the fields of their schema without the machinery around it,
and variations are counted as they nest: that is all that the fields here do of their own.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from marshmallow import Schema, ValidationError, fields, validate

from records.errors import MoveSyntaxError
from records.game import MAX_NESTING, Line, Ply
from records.moves import Move

from .movetext import MAX_NAG

Loaded = TypeVar("Loaded")


def _says(text: str) -> dict[str, Any]:
    """The one message for whatever is wrong with a field."""
    return dict.fromkeys(("invalid", "required", "null", "too_large", "validator_failed"), text)


class _Loading(fields.Field[Any]):
    """A field that says itself how it is loaded, `depth` variations deep."""

    @abstractmethod
    def load(self, value: Any, depth: int) -> Any:
        """:raises ValidationError: it is not right."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        return self.load(value, 0)


class _Values(_Loading, fields.List[Any]):
    """A list of plain values, all of which are right, as a tuple."""

    def load(self, value: Any, depth: int) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise self.make_error("invalid")
        if not value:
            return ()
        try:
            return tuple(fields.List._deserialize(self, value, None, None))
        except ValidationError as error:
            raise self.make_error("invalid") from error


class _Move(_Loading, fields.String):
    def load(self, value: Any, depth: int) -> Move:
        if not isinstance(value, str):
            raise self.make_error("invalid")
        try:
            return Move.parse(value)
        except MoveSyntaxError as error:
            raise ValidationError(str(error)) from error


class _Plies(_Loading, fields.List[Any]):
    """Plies in order, at least `least`. What is written out is JSON already."""

    def __init__(self, least: int = 0, **more: Any) -> None:
        self.least = least
        super().__init__(
            fields.Nested(lambda: RecordPlySchema()),
            error_messages=_says("expected a list of plies"),
            metadata={"minItems": least},
            **more,
        )

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return value

    def load(self, value: Any, depth: int) -> tuple[Ply, ...]:
        if not isinstance(value, list):
            raise self.make_error("invalid")
        if len(value) < self.least:
            raise ValidationError(f"expected at least {self.least}")
        return _each(value, load_ply, depth)


class _Variations(_Loading, fields.List[Any]):
    """Variations, which may hold others. What is written out is JSON already."""

    def __init__(self, **more: Any) -> None:
        super().__init__(fields.Nested(lambda: VariationSchema()), error_messages=_says("expected a list"), **more)

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return value

    def load(self, value: Any, depth: int) -> tuple[Line, ...]:
        if not isinstance(value, list):
            raise self.make_error("invalid")
        if value and depth >= MAX_NESTING:
            raise ValidationError(f"variations are nested more than {MAX_NESTING} deep")
        return _each(value, _load_variation, depth + 1)


def _texts() -> _Values:
    return _Values(fields.String(), error_messages=_says("expected a list of texts"))


class RemarksSchema(Schema):
    """What is said of a ply."""

    nags = _Values(
        fields.Integer(strict=True, validate=validate.Range(0, MAX_NAG)),
        error_messages=_says(f"expected numbers from 0 to {MAX_NAG}"),
    )
    comments = _texts()
    variations = _Variations()


class RecordPlySchema(RemarksSchema):
    """A ply of a record: the move, and what is said of it."""

    move = _Move(required=True, error_messages=_says("expected a move"))


class VariationSchema(Schema):
    """A line that replaces the ply it hangs on."""

    comments = _texts()
    plies = _Plies(least=1, required=True)


class RecordSchema(Schema):
    """A record."""

    tags = fields.Dict(
        keys=fields.String(error_messages=_says("expected a text as a tag's name")),
        values=fields.String(error_messages=_says("expected a text")),
        required=True,
        error_messages=_says("expected names and texts"),
    )
    comments = _texts()
    plies = _Plies()
    ended = fields.String(allow_none=True, error_messages=_says("expected a result"))


RecordSchema.error_messages = {
    "type": "expected an object with tags",
    "unknown": f"unknown: expected {', '.join(RecordSchema().fields)}",
}
_PLY: dict[str, Any] = RecordPlySchema().fields
_VARIATION: dict[str, Any] = VariationSchema().fields


def load_ply(data: Any, depth: int = 0) -> Ply:
    """A ply from its JSON form, `depth` variations deep.

    :raises ValidationError: it is none.
    """
    return Ply(**_loaded(data, _PLY, "expected an object with a move", depth))


def _load_variation(data: Any, depth: int) -> Line:
    return Line(**_loaded(data, _VARIATION, "expected an object with plies", depth))


def _each(values: list[Any], load: Callable[[Any, int], Loaded], depth: int) -> tuple[Loaded, ...]:
    made = []
    for number, value in enumerate(values):
        try:
            made.append(load(value, depth))
        except ValidationError as error:
            raise ValidationError({number: error.messages}) from error
    return tuple(made)


def _loaded(data: Any, known: Mapping[str, Any], wanted: str, depth: int) -> dict[str, Any]:
    """The fields of an object, each as its schema loads it."""
    if not isinstance(data, Mapping):
        raise ValidationError(wanted)
    told: dict[str, Any] = {}
    for name, value in data.items():
        field = known.get(name)
        if field is None:
            raise ValidationError({name: [f"unknown: expected {', '.join(known)}"]})
        try:
            told[name] = field.load(value, depth)
        except ValidationError as error:
            raise ValidationError({name: error.messages}) from error
    for name, field in known.items():
        if field.required and name not in told:
            raise ValidationError({name: [field.error_messages["required"]]})
    return told
