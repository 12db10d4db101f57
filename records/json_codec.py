"""Typed values as JSON and back: `to_json` and `from_json`, `encode` and `decode`.

A dataclass or a named tuple is an object with its fields, or with those that `json_fields` names; ``from_`` is ``from``
there. A field with a default may be missing; an unknown field is refused, unless another version may have written it
(`is_tolerant`). Tuples and sets are arrays. A `Side` is its name; a `Move` and a
`Position` are their text. Limits are annotations: ``Annotated[int, msgspec.Meta(ge=0)]``.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from .errors import RecordsError
from .moves import Move
from .position import Position, Side
from .structs import convert

T = TypeVar("T")

LATER = "later"  # in the metadata of a field that JSON has only once it is known

_MAX_PATH = 200  # characters in a message
_FIELDS: dict[type, tuple[str, ...]] = {}
_SIDES = {str(side): side for side in Side}
_FIELD_ERROR = re.compile(r"Object (?:contains (unknown)|(missing) required) field `(.*)`", re.DOTALL)
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+)\]")


class JsonError(RecordsError):
    """A JSON value without the expected shape. `path` says where, as ``plies[3].move``; `reason` what is wrong."""

    def __init__(self, path: str, reason: str) -> None:
        self.path = self.field = path
        self.reason = reason
        where = path if len(path) <= _MAX_PATH else f"{path[:_MAX_PATH]}…"
        super().__init__(f"{where}: {reason}" if path else reason)


def to_json(value: Any) -> Any:
    """The value as dictionaries, lists, texts and numbers."""
    kind: Any = type(value)
    write = _writer(kind)
    return value if write is None else write(value)


def from_json(data: object, kind: type[T], *, is_tolerant: bool = False) -> T:
    """Read what `to_json` made of a value of this type.

    `is_tolerant`: pass over unknown fields, also of the values in it, because a later version may have written them.

    :raises JsonError: it has another shape; `path` says where.
    """
    key: Any = kind  # a type can be hashed, which mypy does not see
    value: T = _reader(key, is_tolerant)(data)
    return value


def encode(value: Any) -> bytes:
    """The value as JSON in UTF-8."""
    return msgspec.json.encode(to_json(value))


def decode(text: str | bytes, kind: type[T]) -> T:
    """Read a value of this type from JSON.

    :raises JsonError: it is not JSON, or has another shape.
    """
    try:
        data = msgspec.json.decode(text)
    except (ValueError, RecursionError) as error:
        raise JsonError("", f"not JSON: {error}") from error
    return from_json(data, kind)


def json_fields(*names: str) -> Callable[[type[T]], type[T]]:
    """Have only these fields of a class in its JSON, in this order."""

    def set_names(kind: type[T]) -> type[T]:
        _FIELDS[kind] = names
        return kind

    return set_names


def field_names(kind: type) -> tuple[str, ...]:
    """The fields of the JSON objects that stand for values of this type."""
    return tuple(map(json_name, _names(kind)))


def _names(kind: type) -> tuple[str, ...]:
    return _FIELDS.get(kind) or tuple(_defaults(kind))


def json_name(name: str) -> str:
    """The name in JSON: without the ``_`` that tells it from a word of Python."""
    return name.rstrip("_")


def _parse_side(text: str) -> Side:
    if text not in _SIDES:
        raise RecordsError(f"{text[:40]!r} is not a side: expected {' or '.join(_SIDES)}")
    return _SIDES[text]


_TEXTS: dict[Any, Callable[[str], Any]] = {Move: Move.parse, Position: Position.parse, Side: _parse_side}


# Reading. msgspec does not know our texts, and does not refuse the unknown fields of a dataclass. So it sees another
# type in place of each of these: it hands the value to `_read`, which checks the fields as those of a msgspec.Struct.


class _StandIn(type):
    """The type of the types that msgspec sees. Whatever `_read` returns is an instance."""

    kind: type
    is_tolerant: bool

    def __instancecheck__(cls, instance: object) -> bool:
        return True


@cache
def _stand_in(kind: type, is_tolerant: bool) -> _StandIn:
    return _StandIn(kind.__name__, (), {"kind": kind, "is_tolerant": is_tolerant})


def _read(stand_in: Any, data: Any) -> Any:
    return _reader(stand_in.kind, stand_in.is_tolerant)(data)


@cache
def _reader(kind: Any, is_tolerant: bool) -> Callable[[Any], Any]:
    if kind in _TEXTS:
        parse = _TEXTS[kind]

        def read_text(data: Any) -> Any:
            if not isinstance(data, str):
                raise JsonError("", f"expected `str`, got {data!r:.80}")
            return parse(data)

        return read_text
    struct = _struct(kind, is_tolerant)

    def read_object(data: Any) -> Any:
        if isinstance(data, kind):  # read already
            return data
        try:
            return kind(**msgspec.structs.asdict(convert(data, struct, _read)))
        except RecursionError as error:
            raise JsonError("", "the value is nested too deeply") from error
        except ValueError as error:
            raise _json_error(error, data, kind) from error

    return read_object


@cache
def _struct(kind: Any, is_tolerant: bool) -> type[msgspec.Struct]:
    hints = get_type_hints(kind, include_extras=True)
    defaults = _defaults(kind)
    fields = [(name, _replace_types(hints[name], is_tolerant), defaults[name]) for name in _names(kind)]
    return msgspec.defstruct(
        kind.__name__, fields, forbid_unknown_fields=not is_tolerant, kw_only=True, rename=json_name
    )


def _defaults(kind: Any) -> dict[str, Any]:
    if not dataclasses.is_dataclass(kind):
        return {name: kind._field_defaults.get(name, msgspec.NODEFAULT) for name in kind._fields}
    missing = dataclasses.MISSING
    return {
        field.name: msgspec.field(default_factory=field.default_factory)
        if field.default_factory is not missing
        else (msgspec.NODEFAULT if field.default is missing else field.default)
        for field in dataclasses.fields(kind)
    }


def _replace_types(hint: Any, is_tolerant: bool) -> Any:
    """The type as msgspec sees it."""
    if hint in _TEXTS or _is_object(hint):
        return _stand_in(hint, is_tolerant)
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return Annotated[(_replace_types(inner[0], is_tolerant), *inner[1:])]
    if not inner or origin is Literal:
        return hint
    inside = tuple(_replace_types(kind, is_tolerant) for kind in inner)
    return Union[inside] if origin in (Union, UnionType) else origin[inside]  # noqa: UP007


def _is_object(kind: Any) -> bool:
    return isinstance(kind, type) and (dataclasses.is_dataclass(kind) or hasattr(kind, "_field_defaults"))


def _json_error(error: ValueError, data: object, kind: type) -> JsonError:
    """msgspec's error with the whole path, and the value there or the fields that are expected."""
    reason, path = str(error), ""
    if " - at `$" in reason and isinstance(error, msgspec.ValidationError):
        reason, _, path = reason[:-1].rpartition(" - at `$")
    if isinstance(error.__cause__, JsonError):  # about a value inside this one
        return JsonError(_join_paths(path, error.__cause__.path), error.__cause__.reason)
    field = _FIELD_ERROR.fullmatch(reason)
    if field is not None:
        expected = ", ".join(field_names(kind))
        return JsonError(_join_paths(path, field[3]), f"{field[1] or field[2]} field: expected {expected}")
    if reason.startswith("Expected"):
        reason = f"{reason[0].lower()}{reason[1:]}: {_value_at(data, path)!r:.80}"
    return JsonError(path.lstrip("."), reason)


def _join_paths(path: str, inner: str) -> str:
    return f"{path}{inner}".lstrip(".") if inner.startswith("[") else f"{path}.{inner}".strip(".")


def _value_at(data: Any, path: str) -> Any:
    """The value at msgspec's path; or the mapping around it, since msgspec does not tell the key."""
    for name, index in _STEP.findall(path.partition("[...]")[0]):
        data = data[int(index)] if index else data[name]
    return data


# Writing.


@cache
def _writer(hint: Any) -> Callable[[Any], Any] | None:
    if hint in _TEXTS:
        return str
    if _is_object(hint):
        return lambda value: {
            key: getattr(value, name) if write is None else write(getattr(value, name))
            for key, name, write in _field_writers(hint)
        }
    origin, inner = get_origin(hint), get_args(hint)
    writers = [write for kind in inner if kind is not Ellipsis and (write := _writer(kind)) is not None]
    write_item = writers[0] if writers else None
    if origin in (set, frozenset):
        return sorted
    if origin in (tuple, list):
        return list if write_item is None else lambda value: [write_item(item) for item in value] if value else []
    if write_item is None:
        return dict if origin in (dict, Mapping) else None
    if origin in (Union, UnionType):
        return lambda value: None if value is None else write_item(value)
    return lambda value: {key: write_item(item) for key, item in value.items()}


@cache
def _field_writers(kind: Any) -> list[tuple[str, str, Callable[[Any], Any] | None]]:
    hints = get_type_hints(kind)
    return [(json_name(name), name, _writer(hints[name])) for name in _names(kind)]
