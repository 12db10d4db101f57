"""The tables of docs/api.md, from the OpenAPI document of the service."""

from __future__ import annotations

from collections.abc import Iterator

from inkeek.service.games.library.data import TABLES
from inkeek.service.games.schemas import OfGamesByRulesetSchema
from inkeek.service.http.api.blueprint import PREFIX
from inkeek.service.reference.fields import Node, bounds, document, type_text
from inkeek.service.reference.tables import sentence, table

METHODS = ("get", "post", "put", "patch", "delete")
MEDIA_TYPES = {
    "application/x-mancala-pmn": "the notation",
    "application/schema+json": "JSON Schema",
    "application/csvm+json": "CSV on the Web",
    "application/x-ndjson": "NDJSON",
    "text/event-stream": "Server-Sent Events",
    "application/x-inkeek-proof": "a proof",
    "text/csv": "CSV",
    "text/plain": "text",
}


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


def columns_table(name: str) -> str:
    """The columns of a table of data."""
    rows = [(f"`{one.name}`", one.datatype, one.says) for one in TABLES[name].columns]
    return table(("column", "type", "what it says"), rows)


PARTS = {"operations": operations_table, "filters": filters_table, "columns": columns_table}
