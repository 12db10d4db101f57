"""The schemas of events by their kinds, from the types with which the program writes and reads their data."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from inkeek.service.games.event_kinds import KINDS

from .shape import COMPONENTS, reference


def kind_schemas() -> dict[str, Any]:
    """For each kind the schema of its data and, as ``TurnEvent``, of what an event of this kind has in it."""
    _, schemas = msgspec.json.schema_components(list(KINDS.values()), ref_template=COMPONENTS + "{name}")
    for schema in schemas.values():
        del schema["title"]
        for field in schema.get("properties", {}).values():
            if "default" in field:  # it is left out of the data then
                del field["default"]
                field |= next((kind for kind in field.pop("anyOf", ()) if kind != {"type": "null"}), {})
    for name, kind in KINDS.items():
        schemas[_event_name(name)] = {
            "type": "object",
            "description": schemas[kind.__name__]["description"],
            "properties": {"kind": {"type": "string", "const": name}, "data": reference(kind.__name__)},
            "required": ["data", "kind"],
        }
    return schemas


def one_of_the_kinds() -> dict[str, Any]:
    """JSON Schema: an event has the data of its kind."""
    # Within `allOf`, generators of clients that know no such choice keep the fields that all events have. `kind` is
    # constant in each: a discriminator would have some of them declare it twice.
    return {"allOf": [{"oneOf": [reference(_event_name(name)) for name in KINDS]}]}


def standalone_schema(name: str, schema: dict[str, Any]) -> bytes:
    """A JSON Schema that holds all the kinds it refers to."""
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$ref": reference(name)["$ref"],
        "$defs": {name: schema, **kind_schemas()},
    }
    return json.dumps(whole, ensure_ascii=False).replace(COMPONENTS, "#/$defs/").encode()


def _event_name(kind: str) -> str:
    return f"{kind.capitalize()}Event"
