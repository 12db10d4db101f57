"""Fields that several schemas share, and constraints that mean the same in Python and in the OpenAPI document."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from marshmallow import ValidationError, fields, missing, validate

MAX_ANY = 20  # values of one parameter
NULL = {"type": "null"}
NOT_NULL = {"not": NULL}
OPTIONAL: dict[str, Any] = {"load_default": None, "allow_none": True}  # a field that may be missing or null


def describe(text: str) -> dict[str, str]:
    """The metadata of a field with this description in the OpenAPI document."""
    return {"description": text}


def bounded_by(setting: str, text: str = "") -> dict[str, Any]:
    """The metadata of a field whose greatest value, or number of items, is a setting; the document has both."""
    return {"x-setting": setting, **(describe(text) if text else {})}


def exactly_one(*names: str) -> dict[str, Any]:
    """JSON Schema: of these fields one is given, and is not null. As `FORM` of a schema it stands in the document."""
    kinds = [{**dict.fromkeys(names, NULL), name: NOT_NULL} for name in names]
    return _one_of_these(*({"required": [name], "properties": kind} for name, kind in zip(names, kinds, strict=True)))


def only_with(field: str, value: str, *names: str) -> dict[str, Any]:
    """JSON Schema: these fields are given, and not null, with that value of a field, and only with it."""
    given = {"required": [*names], "properties": {field: {"const": value}, **dict.fromkeys(names, NOT_NULL)}}
    return _one_of_these(given, {"properties": {field: {"not": {"const": value}}, **dict.fromkeys(names, NULL)}})


def _one_of_these(*alternatives: dict[str, Any]) -> dict[str, Any]:
    return {"allOf": [{"anyOf": list(alternatives)}]}  # within `allOf`: generators of clients take no union from it


def optional_integer(least: int, most: int, description: str) -> fields.Integer:
    """A whole number within bounds, which may be missing or null."""
    return JsonInteger(**OPTIONAL, validate=validate.Range(least, most), metadata=describe(description))


def optional_text(most: int, description: str) -> fields.String:
    """A text of 1 to `most` characters, which may be missing or null."""
    return fields.String(**OPTIONAL, validate=validate.Length(1, most), metadata=describe(description))


class Pattern(validate.Regexp):
    """A pattern for the whole text, also where Python's ``$`` matches before a line feed at its end."""

    def __init__(self, pattern: str) -> None:
        super().__init__(f"^(?:{pattern})$")
        self._whole = re.compile(pattern)

    def __call__(self, value: Any) -> Any:
        if self._whole.fullmatch(value) is None:
            raise ValidationError(self._format_error(value))
        return value


class BoundedDict(fields.Dict):
    """At most `most` entries, which are counted before any is read."""

    def __init__(self, most: int, **options: Any) -> None:
        super().__init__(**options)
        self._most = most

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> Any:
        if isinstance(value, Mapping) and len(value) > self._most:
            raise ValidationError(f"{len(value)} entries: expected at most {self._most}.")
        return super()._deserialize(value, attr, data, **kwargs)  # type: ignore[no-untyped-call]


class AnyOf(fields.List[Any]):
    """A parameter of a query that may be given several times, at most `MAX_ANY`: each value matches."""

    def __init__(self, one: fields.String) -> None:
        shown = describe(f"{one.metadata['description']}; given more than once: any of them")
        one.metadata = {name: value for name, value in one.metadata.items() if name != "description"}
        one.allow_none, one.load_default = False, missing
        super().__init__(one, load_default=None, validate=validate.Length(1, MAX_ANY), metadata=shown)

    def _deserialize(self, *given: Any, **more: Any) -> Any:
        return tuple(super()._deserialize(*given, **more))


class JsonBoolean(fields.Boolean):
    """True or false of a JSON body, and neither 1 nor ``"yes"``."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return value


class JsonInteger(fields.Integer):
    """A whole number of a JSON body, also written as 4.0, and no text."""

    def _validated(self, value: Any) -> int:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if type(value) is not int:
            raise self.make_error("invalid", input=value)
        return super()._validated(value)


class JsonNumber(fields.Float):
    """A finite number of a JSON body, and no text."""

    def _validated(self, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.make_error("invalid", input=value)
        return super()._validated(value)
