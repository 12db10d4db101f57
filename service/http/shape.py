"""The JSON objects that leave the service: each is a class, from which its JSON and its part of the document follow."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Self, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UNSET, UnsetType

from inkeek.records import Side
from inkeek.records.json_codec import LATER, json_name

COMPONENTS = "#/components/schemas/"  # where a document has its schemas
SUFFIX = "Json"  # of the classes; the rest is the name in the document
TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}  # of JSON Schema


class Form:
    """JSON Schema that stands beside a type."""

    def __init__(self, **schema: Any) -> None:
        self.schema = schema


def one_of(values: Iterable[str]) -> Form:
    """That a text is one of these."""
    return Form(enum=list(values))


def reference(name: str) -> dict[str, Any]:
    """JSON Schema: what the document describes under this name."""
    return {"$ref": COMPONENTS + name}


Count = Annotated[int, Form(minimum=0)]
Time = Annotated[str, Form(format="date-time")]
Url = Annotated[str, Form(format="uri"), "its page"]
Pair = Annotated[list[int], Form(prefixItems=2 * [{"type": "integer"}], minItems=2, maxItems=2)]
"""Two numbers: South's, then North's."""
SideName = Annotated[str, one_of(("South", "North"))]


class Shape(msgspec.Struct):
    """A JSON object. A field without a default is always in it; one that is `UNSET` is left out.

    Beside the type may stand more JSON Schema and a description: ``Annotated[int, Form(minimum=1), "of the turn"]``.
    """

    @classmethod
    def of(cls, source: object = None, /, **given: Any) -> Self:
        """The object with the fields that are `given`, and the others from attributes of `source`.

        A field whose type is a shape is made of its value in the same way, unless that is one already, or a
        dictionary with its fields. What should be text becomes text.
        """
        values = {}
        for name, write in _writers(cls):
            value = given[name] if name in given else getattr(source, name)
            values[name] = value if write is None or value is None or value is UNSET else write(value)
        return cls(**values)


@functools.cache
def _writers(kind: type[Shape]) -> list[tuple[str, Callable[[Any], Any] | None]]:
    hints = get_type_hints(kind)
    return [(name, _writer(hints[name])) for name in kind.__struct_fields__]


def _writer(hint: Any) -> Callable[[Any], Any] | None:
    """What makes a value of this type, unless it is missing; None if it stays as it is."""
    origin, inner = get_origin(hint), [kind for kind in get_args(hint) if kind not in (NoneType, UnsetType)]
    if origin in (Union, UnionType):
        return _writer(inner[0])
    if origin is list:
        write_item = _writer(inner[0])
        return list if write_item is None else lambda values: [None if v is None else write_item(v) for v in values]
    if hint is str or origin is dict:
        return origin or str
    if isinstance(hint, type) and issubclass(hint, Shape):
        return lambda value: value if isinstance(value, Shape | dict) else hint.of(value)
    return None


class Page(Shape):
    """A page of a list; `next` names the next one."""

    next: str | None


def encode(value: object) -> bytes:
    """A shape, or what consists of shapes and other JSON values, as JSON in UTF-8."""
    return msgspec.json.encode(value, enc_hook=_plain_text)


def to_builtins(value: object) -> Any:
    """The same as dictionaries and lists, also to encode it with `json`."""
    return msgspec.to_builtins(value, enc_hook=_plain_text)


def _plain_text(value: object) -> str:
    """:raises TypeError: it is no `ErrorText`."""
    if not isinstance(value, str):
        raise TypeError(f"a {type(value).__name__} is no JSON")
    return str(value)


Refer = Callable[[type], dict[str, Any]]
"""Gives the reference to the component of a class."""


def component_name(kind: type) -> str:
    """The name of the class in the document."""
    return kind.__name__.removesuffix(SUFFIX).removesuffix("Schema")


def json_schema(kind: Any, refer: Refer) -> dict[str, Any]:
    """The JSON Schema of a shape, with what is in its `FORM`, or of a dataclass as `records.json_codec` writes it.

    `refer` is asked for the classes in it.
    """
    hints = get_type_hints(kind, include_extras=True)
    if issubclass(kind, Shape):
        fields = {field.name: field.required for field in msgspec.structs.fields(kind)}
    else:
        fields = {field.name: LATER not in field.metadata for field in dataclasses.fields(kind)}
    required = sorted(json_name(name) for name, is_always in fields.items() if is_always)
    return {
        "type": "object",
        "properties": {json_name(name): _schema(hints[name], refer) for name in fields},
        **({"required": required} if required else {}),
        "additionalProperties": False,
        **getattr(kind, "FORM", {}),
    }


def _schema(hint: Any, refer: Refer) -> dict[str, Any]:
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        found = _schema(inner[0], refer)
        for note in inner[1:]:
            if isinstance(note, Form):
                found |= note.schema
            elif isinstance(note, str):
                found["description"] = note
        return found
    if origin in (Union, UnionType):
        found = _schema(next(kind for kind in inner if kind not in (NoneType, UnsetType)), refer)
        return _nullable(found) if NoneType in inner else found
    if origin in (list, tuple, frozenset):
        return {"type": "array", "items": _schema(inner[0], refer)}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": _schema(inner[1], refer)}
    if hint is Any:
        return {}
    if hint is Side:
        return _schema(SideName, refer)
    return {"type": TYPES[hint]} if hint in TYPES else refer(hint)


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        return {"anyOf": [schema, {"type": "null"}]}
    choices = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    return {**schema, "type": [schema["type"], "null"], **choices}
