"""The OpenAPI document of the API, made from its operations."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any

from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from flask import Response

from service.http import sse
from service.http.access import need_of, needs
from service.http.problems import MEDIA_TYPE, problem_types

from . import idempotency
from .blueprint import ID_PARAMETERS, PREFIX, ApiBlueprint, IdConverter
from .examples import BODIES, RESPONSES
from .games import ETAG
from .operation import Operation
from .responses import JSON, respond_bytes, to_json
from .schemas import ProblemSchema

TITLE = "Inkeek"
VERSION = "v1"
OPENAPI = "3.1.0"
TOKEN = "token"  # the security scheme
TOKEN_SAYS = "A token of `inkeek token create`. Requests from the service's own machine may read without one."
ITEM_SCHEMA = "x-item-schema"  # of a stream; OpenAPI 3.2 calls it `itemSchema`
HEADERS = {  # of responses
    "ETag": "version of the response, for `If-None-Match`; that of a game also for `If-Match`",
    "Location": "path of what was created",
    "Link": 'the next page, with `rel="next"`',
    "Content-Disposition": "the name of a file",
    idempotency.REPLAYED: "`true`: the response to an earlier request with this key",
    "Retry-After": "seconds after which the request may be tried again",
    "WWW-Authenticate": "that a token is needed",
}
ALWAYS = ("ETag", "Location")  # never missing where they are declared
HEADERS_OF = {304: ("ETag",), 401: ("WWW-Authenticate",), 429: ("Retry-After",), 503: ("Retry-After",)}
PARAMETERS: tuple[dict[str, Any], ...] = (  # headers of requests
    {
        "name": "If-Match",
        "description": "Change the game only if this is its `ETag`, or `*`.",
        "schema": {"type": "string", "pattern": rf"^(\*|{ETAG})$"},
    },
    {
        "name": "If-None-Match",
        "description": "`ETag`s that the client has: the response is 304 if it would have one of them.",
        "schema": {"type": "string"},
    },
    {
        "name": "Last-Event-ID",
        "description": "Number of the last event that the client has.",
        "schema": {"type": "string", "pattern": "^[0-9]{1,9}$"},
    },
    {
        "name": idempotency.HEADER,
        "description": "Repeating a request with the same key returns the first response and does nothing twice.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
    },
)
ID = {"type": "string", "pattern": f"^{IdConverter.regex}$"}
PATH_SCHEMAS = {  # of the parameters in a path, by their converter
    "": {"type": "string", "minLength": 1},
    "int": {"type": "integer", "minimum": 0},
}
PROBLEM = {MEDIA_TYPE: {"schema": ProblemSchema}}
EVENTS = {"description": "`data` is JSON"}  # a schema of type string would be that of each event
STREAM = {"type": "string", "format": "binary"}
DEFAULT = "Error"  # the response with any other status
_PARAMETER = re.compile(r"<(?:(\w+):)?(\w+)>")


def document_view(blueprints: Sequence[ApiBlueprint]) -> Callable[[], Response]:
    """A view of the document."""

    @needs("read", limited=True)
    def openapi_json() -> Response:
        return respond_bytes(_text(tuple(blueprints)), 200, JSON, {})

    return openapi_json


@functools.cache
def _text(blueprints: tuple[ApiBlueprint, ...]) -> bytes:
    return to_json(document(blueprints))


def document(blueprints: Sequence[ApiBlueprint]) -> dict[str, Any]:
    """The document.

    :raises ValueError: two operations have the same name.
    """
    names = [operation.name for blueprint in blueprints for operation in blueprint.operations]
    if len(set(names)) < len(names):
        raise ValueError(f"Two views have the same name: {next(name for name in names if names.count(name) > 1)}.")
    plugin = MarshmallowPlugin()
    spec = APISpec(TITLE, VERSION, OPENAPI, plugins=[plugin])
    resolver: Any = plugin.resolver
    spec.components.security_scheme(TOKEN, {"type": "http", "scheme": "bearer", "description": TOKEN_SAYS})
    for name, description in HEADERS.items():
        shown = {"description": description, "schema": {"type": "string"}, "required": name in ALWAYS}
        spec.components.header(name, shown)
    for parameter in PARAMETERS:
        spec.components.parameter(parameter["name"], "header", parameter)
    spec.components.response(DEFAULT, {"description": "An error.", "content": PROBLEM})
    for blueprint in blueprints:
        spec.tag({"name": blueprint.name, "description": blueprint.description})
        for operation in blueprint.operations:
            for status in operation.other_statuses:
                if _response_name(status) not in spec.components.responses:
                    spec.components.response(_response_name(status), _other_response(status))
            path = PREFIX + _PARAMETER.sub(r"{\2}", operation.rule)
            spec.path(path, operations={operation.method.lower(): _operation(operation, blueprint.name, resolver)})
    return {name: _with_separate_null(part) for name, part in spec.to_dict().items()}


def _with_separate_null(value: Any) -> Any:
    """JSON in which no enumeration has null among its values: generators of clients expect an alternative."""
    if isinstance(value, list):
        return [_with_separate_null(item) for item in value]
    if not isinstance(value, dict):
        return value
    if None in value.get("enum", ()):
        values = [item for item in value["enum"] if item is not None]
        rest = {name: item for name, item in value.items() if name not in ("type", "enum")}
        return {"anyOf": [{"type": "string", "enum": values}, {"type": "null"}], **rest}
    return {name: _with_separate_null(item) for name, item in value.items()}


def _operation(operation: Operation, tag: str, resolver: Any) -> dict[str, Any]:
    summary, description = _sentences(operation.view.__doc__ or "")
    need = need_of(operation.view)
    anonymous: list[dict[str, list[str]]] = [{}] if need.open_locally else []
    documented: dict[str, Any] = {
        "operationId": operation.name,
        "summary": summary,
        "description": description,
        "tags": [tag],
        "security": [*({TOKEN: [scope]} for scope in need.scopes), *anonymous],
        "parameters": _parameters(operation, resolver),
        "responses": {
            str(operation.status): _success(operation, resolver.converter),
            **{str(status): _response_name(status) for status in operation.other_statuses},
            "default": DEFAULT,
        },
    }
    if operation.body:
        documented["requestBody"] = {
            "required": any(field.required for field in operation.body().fields.values()),
            "content": {JSON: {"schema": operation.body, "example": BODIES[operation.body.__name__]}},
        }
    elif operation.takes:
        documented["requestBody"] = {
            "required": False,
            "content": {
                media_type: {"schema": {**STREAM, "description": description}}
                for media_type, description in operation.takes.items()
            },
        }
    return {name: value for name, value in documented.items() if value != "" and value != []}


def _parameters(operation: Operation, resolver: Any) -> list[Any]:
    path = [
        {
            "in": "path",
            "name": name,
            "required": True,
            "schema": ID if name in ID_PARAMETERS else PATH_SCHEMAS[kind],
        }
        for kind, name in _PARAMETER.findall(operation.rule)
    ]
    query = resolver.resolve_parameters([{"in": "query", "schema": operation.query}]) if operation.query else []
    for parameter in query:  # what is not given is None for the view, but no client can send that
        schema = parameter["schema"]
        if isinstance(schema.get("type"), list):
            schema["type"] = next(kind for kind in schema["type"] if kind != "null")
            schema["enum"] = [value for value in schema.get("enum", ()) if value is not None]
        parameter["schema"] = {name: value for name, value in schema.items() if value is not None and value != []}
    read = {
        "If-Match": operation.changes_game,
        "If-None-Match": operation.conditional,
        "Last-Event-ID": operation.resumes is True,
        idempotency.HEADER: operation.idempotent,
    }
    if isinstance(operation.resumes, str):
        resumed = next(parameter for parameter in PARAMETERS if parameter["name"] == "Last-Event-ID")
        query.append({**resumed, "in": "header", "schema": {"type": "string", "pattern": f"^{operation.resumes}$"}})
    return [*path, *query, *(name for name, is_read in read.items() if is_read)]


def _success(operation: Operation, converter: Any) -> dict[str, Any]:
    content: dict[str, Any] = {}
    if operation.returns:
        content[JSON] = {"schema": operation.returns}
        if operation.returns.__name__ in RESPONSES:
            content[JSON]["example"] = RESPONSES[operation.returns.__name__]
    for media_type, items in operation.sends.items():
        kinds = [converter.resolve_nested_schema(item) if item else {"type": "null"} for item in items]
        item_schema = {ITEM_SCHEMA: kinds[0] if len(kinds) == 1 else {"anyOf": kinds}} if kinds else {}
        content[media_type] = {"schema": EVENTS if media_type == sse.MEDIA_TYPE else STREAM, **item_schema}
    headers = {
        "ETag": operation.changes_game or operation.conditional,
        **dict.fromkeys(operation.headers, True),
        idempotency.REPLAYED: operation.idempotent,
    }
    response = {
        "description": HTTPStatus(operation.status).phrase,
        "content": content,
        "headers": {name: name for name, is_sent in headers.items() if is_sent},
    }
    return {name: value for name, value in response.items() if value}


def _other_response(status: int) -> dict[str, Any]:
    """Not Modified, or the problems with this status."""
    headers = {"headers": {name: name for name in HEADERS_OF[status]}} if status in HEADERS_OF else {}
    if status == HTTPStatus.NOT_MODIFIED:
        return {"description": "Nothing has changed.", **headers}
    kinds = [f"`/problems/{slug}`: {title}" for slug, (code, title) in problem_types().items() if code == status]
    return {"description": " ".join(sorted(kinds)), "content": PROBLEM, **headers}


def _response_name(status: int) -> str:
    return "NotModified" if status == HTTPStatus.NOT_MODIFIED else f"Problem{status}"


def _sentences(docstring: str) -> tuple[str, str]:
    """The first sentence, and the others, as Markdown."""
    summary, _, rest = " ".join(docstring.replace("``", "`").split()).partition(". ")
    return summary.removesuffix("."), rest
