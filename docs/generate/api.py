"""The tables of docs/api.md and docs/api-fields.md, from the OpenAPI document of the service."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from typing import Any

from service import create_app
from service.boards.identity import FAR
from service.games.event_kinds import KINDS
from service.http.answers.event_kinds import kind_schemas
from service.http.answers.shape import Shape, component_name
from service.http.api.blueprint import PREFIX
from service.http.api.games.schemas import OfGamesByRulesetSchema

from .tables import sentence, table

Node = dict[str, Any]
FIELDS = "api-fields.md"
EVENT_KINDS = "event-kinds.md"
METHODS = ("get", "post", "put", "patch", "delete")
MEDIA_TYPES = {
    "application/x-mancala-pmn": "the notation",
    "application/schema+json": "JSON Schema",
    "application/x-ndjson": "NDJSON",
    "text/event-stream": "Server-Sent Events",
    "application/x-inkeek-proof": "a proof",
    "text/plain": "text",
}


@functools.cache
def document() -> Node:
    """The OpenAPI document, as the service sends it."""
    with create_app().test_client() as client:
        found: Node = client.get(f"{PREFIX}/openapi.json").json
    return found


def operations(tags: str) -> Iterator[tuple[str, Node]]:
    """Yield the request line and the declaration of all operations with one of the tags."""
    for tag in tags.split():
        for path, item in document()["paths"].items():
            for method in METHODS:
                if tag in item.get(method, {}).get("tags", ()):
                    yield f"{method.upper()} {path.removeprefix(PREFIX)}", item[method]


def operations_table(tags: str) -> str:
    """The operations with these tags, then the parameters of their queries."""
    rows = [
        (f"`{request}`", purpose(operation), scopes(operation), body(operation), answer(operation))
        for request, operation in operations(tags)
    ]
    queries: dict[str, list[str]] = {}
    for request, operation in operations(tags):
        queries.setdefault(query(operation), []).append(f"`{request}?`")
    lines = [f"* {', '.join(requests)}: {parameters}" for parameters, requests in queries.items() if parameters]
    return table(("request", "what it does", "needs", "body", "answer"), rows) + "\n" + "\n".join(lines)


def purpose(operation: Node) -> str:
    """What an operation does, in sentences. What it needs has a column of its own."""
    return sentence(operation["description"].rpartition("\n\n")[0])


def scopes(operation: Node) -> str:
    """The scopes of which a caller needs one."""
    return " or ".join(operation["x-scopes"])


def body(operation: Node) -> str:
    """What the body of a request holds."""
    return contents(operation.get("requestBody", {}).get("content", {}))


def answer(operation: Node) -> str:
    """The status of success, if it is not 200, and what the answer holds."""
    status, response = next(item for item in operation["responses"].items() if item[0].startswith("2"))
    held = contents(response.get("content", {}))
    return held if status == "200" else f"{status} {held}".strip()


def contents(content: Node) -> str:
    """A body, by its media types: what JSON holds, and the items of streams."""
    found: dict[str, None] = {}
    for media_type, held in content.items():
        name = MEDIA_TYPES.get(media_type, media_type)
        if media_type == "application/json":
            found[type_text(held["schema"])] = None
        elif "contentSchema" in held["schema"]:
            found[f"{name} of {type_text(held['schema']['contentSchema']['items'])}"] = None
        else:
            found[name] = None
    return "; ".join(found)


def query(operation: Node) -> str:
    """The parameters of a query, each with what it says; "" if there are none."""
    parameters = operation.get("parameters", ())
    shared = [parameter for parameter in filters() if parameter in parameters]
    found = []
    if len(shared) > 1:
        found.append("the [filters](#filters)")
        parameters = [parameter for parameter in parameters if parameter not in shared]
    for parameter in parameters:
        if parameter.get("in") == "query":
            about = ", ".join(filter(None, (parameter.get("description", ""), bounds(parameter["schema"]))))
            found.append(f"`{parameter['name']}`" + (f" ({about})" if about else ""))
    return ", ".join(found)


def filters() -> list[Node]:
    """The filters that all routes have that ask for games."""
    names = OfGamesByRulesetSchema().fields
    return [one for one in document()["paths"][f"{PREFIX}/matches"]["get"]["parameters"] if one.get("name") in names]


def filters_table(_: str) -> str:
    """What each of these filters asks for."""
    return table(("filter", "which games"), [(f"`{one['name']}`", one["description"]) for one in filters()])


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


def subclasses(kind: type) -> Iterator[type]:
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


PARTS = {"operations": operations_table, "fields": fields_tables, "filters": filters_table, "kinds": kinds_tables}
