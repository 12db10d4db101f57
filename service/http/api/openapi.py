"""The OpenAPI document of the API, made from its operations, and ``/docs``, where Swagger UI shows it."""

from __future__ import annotations

import dataclasses
import functools
import json
import re
from collections.abc import Callable, Sequence
from http import HTTPStatus
from importlib.metadata import entry_points
from importlib.resources import files
from pathlib import Path
from typing import Any

from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from flask import Blueprint, Response, request, send_from_directory, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup
from marshmallow import fields

from inkeek.drivers.registry import GROUP
from inkeek.service.games.answers import kind_schemas
from inkeek.service.http import sse
from inkeek.service.http.access import need_of, needs
from inkeek.service.http.context import current_services
from inkeek.service.http.problems import MEDIA_TYPE, ProblemJson, problem_types
from inkeek.service.http.shape import Refer, Shape, component_name, json_schema, reference
from inkeek.service.settings import Settings
from inkeek.service.storage.rows import FAR

from . import idempotency
from .blueprint import ID_PARAMETERS, MAX_NUMBER, PREFIX, ApiBlueprint
from .constraints import ALL, ID, MAX_NAME_ID, NAME_ID, ruleset_schema, whole
from .operation import Operation
from .responses import ETAG, JSON, respond_bytes, to_json

TITLE = "Inkeek"
VERSION = "v1"
INFO = {
    "description": "Games of traditional two-row mancala: their turns, records, disputes and sensor boards. "
    "`docs/api.md` explains the operations, `docs/api-changes.md` what may change.",
    "contact": {"name": "The club that runs this service"},
    "license": {"name": "MIT", "identifier": "MIT"},
}
OPENAPI = "3.1.0"
TOKEN = "token"  # the security scheme
TOKEN_SAYS = "A token of `inkeek token create`. Requests from the service's own machine may read without one."
SCOPES = "x-scopes"  # of which a token needs one
HEADERS = {  # of responses
    "ETag": "version of the response, for `If-None-Match`; that of a game also for `If-Match`",
    "Location": "path of what was created",
    "Link": 'the next page, with `rel="next"`',
    "Content-Disposition": "the name of a file",
    idempotency.REPLAYED: "`true`: the response to an earlier request with this key",
    "Retry-After": "seconds after which the request may be tried again",
    "WWW-Authenticate": "that a token is needed",
    "RateLimit": "how many requests may pass at once (`r`), and the seconds until all of them may (`t`)",
    "RateLimit-Policy": "how many requests may pass at once (`q`), and in how many seconds as many again (`w`)",
}
ALWAYS = ("ETag", "Location")  # never missing where they are declared
HEADERS_OF = {
    304: ("ETag",),
    401: ("WWW-Authenticate",),
    429: ("Retry-After", "RateLimit", "RateLimit-Policy"),
    503: ("Retry-After",),
}
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
OF_NAME = {"type": "string", "pattern": whole(NAME_ID), "maxLength": MAX_NAME_ID}
PATH_SCHEMAS: dict[str, dict[str, Any]] = {  # of the parameters in a path
    **{name: {"type": "string", "pattern": whole(ID)} for name in ID_PARAMETERS},
    "board_id": {"type": "string", "pattern": whole(f"{ID}|{ALL}")},
    "dispute_id": {"type": "string", "pattern": whole(f"{ID}-[0-9]{{1,9}}")},
    "player_id": OF_NAME,
    "event_id": OF_NAME,
    "ruleset_id": ruleset_schema(),
}
NUMBER = {"type": "integer", "minimum": 0, "maximum": MAX_NUMBER}  # in a path
PLAIN = "PlainProblem"  # the problems without members of their own
EVENTS = {"description": "`data` is JSON"}  # a schema of type string would be that of each event
STREAM = {"type": "string", "format": "binary"}
OBJECT = {"type": "object"}  # in a response that is JSON of another kind
SETTING = "x-setting"  # the setting that bounds a value: `constraints.bounded_by`
DRIVERS = "x-drivers"  # the values are the names of drivers
RESPONSES_FILE = Path(__file__).with_name("responses.json")  # of ``python -m tests.service.http.api.example_responses``
DEFAULT = "Error"  # the response with any other status
_PARAMETER = re.compile(r"<(?:(\w+):)?(\w+)>")


def _read_responses() -> dict[str, Any]:
    """The example responses by the name of the component. ``{"$ref": name}`` stands for another one."""
    stored = json.loads(RESPONSES_FILE.read_text(encoding="utf-8"))

    def resolve(value: Any) -> Any:
        if isinstance(value, list):
            return list(map(resolve, value))
        if not isinstance(value, dict):
            return value
        return resolve(stored[value["$ref"]]) if "$ref" in value else {name: resolve(of) for name, of in value.items()}

    found: dict[str, Any] = resolve(stored)
    return found


RESPONSES = _read_responses()


def document_view(blueprints: Sequence[ApiBlueprint]) -> Callable[[], Response]:
    """A view of the document."""

    @needs("read", limited=True)
    def openapi_json() -> Response:
        server = {"url": request.url_root.rstrip("/"), "description": "Where this document was asked for."}
        known = _document(tuple(blueprints), current_services().settings)
        return respond_bytes(to_json({**known, "servers": [server]}), 200, JSON, {})

    return openapi_json


@functools.cache
def _document(blueprints: tuple[ApiBlueprint, ...], settings: Settings) -> dict[str, Any]:
    return document(blueprints, settings)


def document(blueprints: Sequence[ApiBlueprint], settings: Settings) -> dict[str, Any]:
    """The document of a service with these settings, but for the address of the server.

    :raises ValueError: two operations have the same name.
    """
    operations = [operation for blueprint in blueprints for operation in blueprint.operations]
    names = [operation.name for operation in operations]
    if len(set(names)) < len(names):
        raise ValueError(f"Two views have the same name: {next(name for name in names if names.count(name) > 1)}.")
    plugin = MarshmallowPlugin()
    spec = APISpec(TITLE, VERSION, OPENAPI, plugins=[plugin], info=INFO)
    resolver: Any = plugin.resolver
    converter: Any = plugin.converter
    converter.add_attribute_function(_names_of_entries)

    shown_kinds: dict[str, type] = {}

    def refer(kind: type) -> dict[str, Any]:
        """The schema of a class, which becomes a component."""
        if not issubclass(kind, Shape) and not dataclasses.is_dataclass(kind):
            found: dict[str, Any] = converter.resolve_nested_schema(kind)
            return found
        name = component_name(kind)
        if shown_kinds.setdefault(name, kind) is not kind:
            raise ValueError(f"{kind} and {shown_kinds[name]} would both be the component {name}: rename one of them")
        if name not in spec.components.schemas:
            spec.components.schema(name, json_schema(kind, refer))
        return reference(name)

    for name, schema in kind_schemas().items():
        spec.components.schema(name, schema)

    def refer_problem(kind: type[ProblemJson]) -> dict[str, Any]:
        """The schema of the types of problems that have this class."""
        name = PLAIN if kind is ProblemJson else component_name(kind)
        if name not in spec.components.schemas:
            slugs = [f"/problems/{slug}" for slug, named in problem_types().items() if named.shape is kind]
            schema = json_schema(kind, refer)
            schema["properties"]["type"] = {"type": "string", "enum": sorted(slugs)}
            spec.components.schema(name, schema)
        return reference(name)

    spec.components.security_scheme(TOKEN, {"type": "http", "scheme": "bearer", "description": TOKEN_SAYS})
    for name, description in HEADERS.items():
        shown = {"description": description, "schema": {"type": "string"}, "required": name in ALWAYS}
        spec.components.header(name, shown)
    for parameter in PARAMETERS:
        spec.components.parameter(parameter["name"], "header", parameter)
    spec.components.response(
        DEFAULT, {"description": "An error.", "content": {MEDIA_TYPE: {"schema": refer(ProblemJson)}}}
    )
    for blueprint in blueprints:
        spec.tag({"name": blueprint.name, "description": blueprint.description})
        for operation in blueprint.operations:
            for status in operation.other_statuses:
                if _response_name(status) not in spec.components.responses:
                    spec.components.response(_response_name(status), _other_response(status, refer_problem))
            path = PREFIX + _PARAMETER.sub(r"{\2}", operation.rule)
            documented = _operation(operation, blueprint.name, resolver, refer, operations)
            spec.path(path, operations={operation.method.lower(): documented})
    for key, name in converter.refs.items():
        spec.components.schemas[name].update(getattr(key[0], "FORM", {}))
        _say_defaults(spec.components.schemas[name])
    return {name: _with_separate_null(_with_bounds(part, settings)) for name, part in spec.to_dict().items()}


def _names_of_entries(converter: Any, field: fields.Field[Any], **_: Any) -> dict[str, Any]:
    """What the names of a mapping's entries must be; apispec leaves it out."""
    if not isinstance(field, fields.Dict) or field.key_field is None:
        return {}
    names = converter.field2property(field.key_field)
    return {"propertyNames": names} if len(names) > 1 else {}


def _say_defaults(schema: dict[str, Any]) -> None:
    """Name the defaults of a body in the descriptions only: generated TypeScript requires a field with a `default`."""
    for field in schema.get("properties", {}).values():
        default = field.pop("default", None)
        if default not in (None, "", [], {}):
            says = f"by default `{to_json(default).decode().strip()}`"
            field["description"] = ", ".join(filter(None, (field.get("description"), says)))


def _with_bounds(value: Any, settings: Settings) -> Any:
    """JSON in which the bounds are those of the settings, and the drivers those that are installed."""
    if isinstance(value, list):
        return [_with_bounds(item, settings) for item in value]
    if not isinstance(value, dict):
        return value
    found = {name: _with_bounds(item, settings) for name, item in value.items()}
    if SETTING in found:
        bound = "maxItems" if "items" in found else "maximum"
        most = getattr(settings, found[SETTING])
        found[bound] = min(most, found.get(bound, most))
    if found.pop(DRIVERS, False):
        found["enum"] = _drivers()
    return found


def _drivers() -> list[str]:
    """The names of the drivers that a board can have. None is loaded for this."""
    return sorted({FAR, *(point.name for point in entry_points(group=GROUP))})


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


def _operation(
    operation: Operation, tag: str, resolver: Any, refer: Refer, others: Sequence[Operation]
) -> dict[str, Any]:
    summary, description = _sentences(operation.view.__doc__ or "")
    need = need_of(operation.view)
    anonymous: list[dict[str, list[str]]] = [{}] if need.open_locally else []
    documented: dict[str, Any] = {
        "operationId": operation.name,
        "summary": summary,
        "description": f"{description}\n\nNeeds the scope {' or '.join(f'`{scope}`' for scope in need.scopes)}.",
        "tags": [tag],
        "security": [{TOKEN: []}, *anonymous],
        SCOPES: list(need.scopes),
        "parameters": _parameters(operation, resolver),
        "responses": {
            str(operation.success): _success(operation, refer, others),
            **{str(status): _response_name(status) for status in operation.other_statuses},
            "default": DEFAULT,
        },
    }
    if operation.body:
        documented["requestBody"] = {
            "required": any(field.required for field in operation.body().fields.values()),
            "content": {JSON: {"schema": operation.body, "example": operation.example}},
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
            "schema": NUMBER if kind == "int" else PATH_SCHEMAS[name],
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
        "If-None-Match": operation.is_conditional,
        "Last-Event-ID": operation.resumes is True,
        idempotency.HEADER: operation.is_idempotent,
    }
    if isinstance(operation.resumes, str):
        resumed = next(parameter for parameter in PARAMETERS if parameter["name"] == "Last-Event-ID")
        query.append({**resumed, "in": "header", "schema": {"type": "string", "pattern": f"^{operation.resumes}$"}})
    return [*path, *query, *(name for name, is_read in read.items() if is_read)]


def _success(operation: Operation, refer: Refer, others: Sequence[Operation]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    if operation.returns:
        content[JSON] = {"schema": refer(operation.returns)}
        if component_name(operation.returns) in RESPONSES:
            content[JSON]["example"] = RESPONSES[component_name(operation.returns)]
    for media_type, items in operation.sends.items():
        kinds = [refer(item) if item else {"type": "null"} for item in items]
        item = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
        decoded: dict[str, Any] = {"contentSchema": {"type": "array", "items": item}} if kinds else {}
        if decoded and media_type != sse.MEDIA_TYPE:  # of a stream it would be that of each event
            decoded["contentMediaType"] = media_type
        whole = EVENTS if media_type == sse.MEDIA_TYPE else OBJECT if media_type.endswith("+json") else STREAM
        content[media_type] = {"schema": {**whole, **decoded}}
    headers = {
        "ETag": operation.changes_game or operation.is_conditional,
        **dict.fromkeys(operation.headers, True),
        idempotency.REPLAYED: operation.is_idempotent,
    }
    response = {
        "description": HTTPStatus(operation.success).phrase,
        "content": content,
        "headers": {name: name for name, is_sent in headers.items() if is_sent},
        "links": _links(operation, others),
    }
    return {name: value for name, value in response.items() if value}


def _links(operation: Operation, others: Sequence[Operation]) -> dict[str, Any]:
    """Links to the operations about what this one `creates`. What else their paths need stands in its own path."""
    created = {name: f"$response.body#/{field}" for name, field in operation.creates.items()}
    known = {**{name: f"$request.path.{name}" for _, name in _PARAMETER.findall(operation.rule)}, **created}
    links = {}
    for other in others:
        names = {name for _, name in _PARAMETER.findall(other.rule)}
        if names & created.keys() and names <= known.keys():
            parameters = {name: known[name] for name in sorted(names)}
            links[other.name] = {"operationId": other.name, "parameters": parameters}
    return links


def _other_response(status: int, refer_problem: Callable[[type[ProblemJson]], dict[str, Any]]) -> dict[str, Any]:
    headers = {"headers": {name: name for name in HEADERS_OF[status]}} if status in HEADERS_OF else {}
    if status == HTTPStatus.NOT_MODIFIED:
        return {"description": "Nothing has changed.", **headers}
    kinds = {slug: kind for slug, kind in problem_types().items() if kind.status == status}
    schemas = [refer_problem(shape) for shape in dict.fromkeys(kind.shape for kind in kinds.values())]
    return {
        "description": " ".join(sorted(f"`/problems/{slug}`: {kind.title}" for slug, kind in kinds.items())),
        "content": {MEDIA_TYPE: {"schema": schemas[0] if len(schemas) == 1 else {"anyOf": schemas}}},
        **headers,
    }


def _response_name(status: int) -> str:
    return "NotModified" if status == HTTPStatus.NOT_MODIFIED else f"Problem{status}"


def _sentences(docstring: str) -> tuple[str, str]:
    """The first sentence, and all of them, as Markdown."""
    text = " ".join(docstring.replace("``", "`").split())
    return text.partition(". ")[0].removesuffix("."), text


FILES = str(files("flask_swagger_ui") / "dist")
SWAGGER_FILES = ("swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png")
POLICY = (  # the stylesheet embeds images, and the scripts set styles
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
PAGE = Markup("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The API of Inkeek</title>
<link rel="stylesheet" href="{css}">
<link rel="icon" href="{icon}">
</head>
<body>
<div id="api"></div>
<script src="{bundle}"></script>
<script src="{start}" data-document="{document}"></script>
</body>
</html>
""")

blueprint = Blueprint("docs", __name__, url_prefix="/docs")


@blueprint.get("")
@needs("read", limited=True)
def show() -> Response:
    """The page."""
    css, bundle, icon = (url_for("docs.file", name=name) for name in SWAGGER_FILES)
    page = PAGE.format(
        css=css,
        bundle=bundle,
        icon=icon,
        start=url_for("web.static", filename="docs.js"),
        document=url_for("openapi_json"),
    )
    response = Response(page, content_type="text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = POLICY
    return response


@blueprint.get("/<name>")
@needs("open")
def file(name: str) -> ResponseReturnValue:
    """A file of Swagger UI."""
    return send_from_directory(FILES, name if name in SWAGGER_FILES else "")
