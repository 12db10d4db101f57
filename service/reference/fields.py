"""The tables of docs/api-fields.md and docs/event-kinds.md, from the OpenAPI document of the service, and that of
docs/settings.md."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Iterator
from typing import Any

from inkeek.service.games.answers import kind_schemas
from inkeek.service.games.event_kinds import KINDS
from inkeek.service.http.api import openapi
from inkeek.service.http.rooms import load_rooms
from inkeek.service.http.routes import operations_of
from inkeek.service.http.shape import Shape, component_name
from inkeek.service.rooms import BUILT_IN
from inkeek.service.settings import Settings
from inkeek.service.storage.rows import FAR

from .tables import sentence, table

Node = dict[str, Any]
FIELDS = "api-fields.md"
EVENT_KINDS = "event-kinds.md"


@functools.cache
def document() -> Node:
    """The OpenAPI document of a service whose settings are the defaults."""
    return openapi.document(operations_of(load_rooms(BUILT_IN)), Settings())


def fields_tables(_: str) -> str:
    """Every shape of the API with its fields, by name."""
    schemas = document()["components"]["schemas"]
    return "\n\n".join(fields_table(name, schemas[name]) for name in sorted(schemas.keys() - kind_schemas().keys()))


def kinds_tables(_: str) -> str:
    """Every kind of event with the fields of its data, then what these consist of."""
    schemas = kind_schemas()
    data = {kind.__name__: name for name, kind in KINDS.items()}
    others = [name for name in schemas if name.endswith("Data") and name not in data]
    tables = [fields_table(name, schemas[kind]) for kind, name in data.items()]
    return "\n\n".join([*tables, *(fields_table(name, schemas[name]) for name in others)])


def fields_table(name: str, schema: Node) -> str:
    """A shape with its fields, under its name as a heading. It refers to that of which it has all fields."""
    base = bases().get(name, "")
    shared = field_rows(document()["components"]["schemas"][base]) if base else []
    rows = [row for row in field_rows(schema) if row not in shared]
    inherited = f"All fields of [{base}]({FIELDS}#{base.lower()})" + (", and:" if rows else ".") if base else ""
    says = sentence(schema.get("description", ""))
    shown = table(("field", "type", "meaning"), rows) if rows or not base else ""
    return "\n\n".join(part.rstrip("\n") for part in (f"## {name}", says, inherited, shown) if part)


def field_rows(schema: Node) -> list[tuple[str, str, str]]:
    """The fields of a shape, each with its type and what it says."""
    required = schema.get("required", ())
    return [
        (f"`{field}`" + ("" if field in required else "?"), type_text(held), meaning(held))
        for field, held in schema.get("properties", {}).items()
    ]


@functools.cache
def bases() -> dict[str, str]:
    """The name of the shape of whose class another is a subclass, by the name of the other."""
    shown = document()["components"]["schemas"]
    found: dict[str, str] = {}
    for kind in subclasses(Shape):
        parents = [component_name(parent) for parent in kind.__mro__[1:]]
        base = next((parent for parent in parents if parent in shown), None)
        if base:
            found[component_name(kind)] = base
    return found


def subclasses(kind: type[Any]) -> Iterator[type[Any]]:
    """Yield all subclasses of a class."""
    for subclass in kind.__subclasses__():
        yield subclass
        yield from subclasses(subclass)


def meaning(schema: Node) -> str:
    """What a field says, with its bounds."""
    return ", ".join(filter(None, (schema.get("description", "").replace("|", "\\|"), bounds(schema))))


def type_text(schema: Node) -> str:
    """The type of a value, with a link if the value has fields."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}]({EVENT_KINDS if name.endswith('Data') else FIELDS}#{name.lower()})"
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema and "type" not in schema:
            return " or ".join(type_text(kind) for kind in schema[key])
    if "enum" in schema and FAR not in schema["enum"]:  # the installed drivers differ from machine to machine
        return " ".join(f"`{json.dumps(value)}`" if not value else f"`{value}`" for value in schema["enum"])
    kinds = schema.get("type", "any value")
    return " or ".join(plain_type(kind, schema) for kind in ([kinds] if isinstance(kinds, str) else kinds))


def plain_type(kind: str, schema: Node) -> str:
    """One type of a value that has no name of its own."""
    if kind == "array":
        return f"list of {type_text(schema.get('items', {}))}"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"object of {type_text(values)}" if values else "object"
    if kind == "string" and schema.get("format") in ("date", "date-time"):
        return "time" if schema["format"] == "date-time" else "day"
    return kind


def bounds(schema: Node) -> str:
    """The bounds of a number, or of the length of a list."""
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f"{low} to {high}"
    if low is not None:
        return f"at least {low}" if low else ""
    if "maxItems" in schema:
        return f"at most {schema['maxItems']}"
    return ""


def settings_table(_: str) -> str:
    """Every setting with its default and bounds."""
    rows = [
        (
            f"`{setting.name}`",
            f"`{setting.default}`" if setting.default != "" else "",
            setting_bounds(setting),
            str(setting.metadata["says"]),
        )
        for setting in dataclasses.fields(Settings)
    ]
    return table(("setting", "default", "bounds", "meaning"), rows)


def setting_bounds(setting: dataclasses.Field[object]) -> str:
    """The values that are allowed, "" for any."""
    low, high, choices = (setting.metadata[name] for name in ("low", "high", "choices"))
    return f"{low} to {high}" if low is not None else ", ".join(choices)


PARTS = {"fields": fields_tables, "kinds": kinds_tables, "settings": settings_table}
