"""Errors as RFC 9457 problems, for everything under ``/api`` and for the health checks; other paths get pages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from flask import Response, request
from werkzeug.exceptions import HTTPException

from records import MoveSyntaxError, OptionError, PositionError, RecordsError
from service.errors import Illegal, ServiceError
from service.storage import GameRow

from .serializers import current_json, illegal_json

MEDIA_TYPE = "application/problem+json"
INTERNAL = "The service failed; its log says more."
MAX_DETAIL = 2000  # characters; what was sent may be a megabyte
MAX_QUOTED = 80  # characters of a field's value
RECORDS = {  # what `records` raises: the problem's name and title
    MoveSyntaxError: ("move-syntax", "This is no move"),
    PositionError: ("position", "This is no position"),
    OptionError: ("option", "There is no such rule set or option"),
    RecordsError: ("record", "This is no record"),
}
HTTP = {
    400: "bad-request",
    404: "not-found",
    405: "method-not-allowed",
    413: "too-large",
    415: "media-type",
    422: "fields",
    500: "internal",
}


def is_api_path(path: str) -> bool:
    """Whether errors at `path` are problems (else they are pages)."""
    return path.startswith("/api/") or path in ("/api", "/healthz", "/readyz", "/metrics")


def problem(status: int, slug: str, title: str, detail: str, **more: object) -> Response:
    """A problem as a response; `more` are its extension members."""
    body = {
        "type": f"/problems/{slug}",
        "title": title,
        "status": status,
        "detail": detail if len(detail) <= MAX_DETAIL else detail[:MAX_DETAIL] + "…",
        "instance": request.path,
        **more,
    }
    # What is quoted may hold half a surrogate pair, which only JSON's own escape can say.
    text = json.dumps(body, ensure_ascii=False).encode("utf-8", "backslashreplace")
    return Response(text + b"\n", status, content_type=MEDIA_TYPE)


def from_service(error: ServiceError) -> Response:
    more = illegal_json(error) if isinstance(error, Illegal) else dict(error.more)
    current = more.get("current")
    if isinstance(current, GameRow):
        more["current"] = current_json(current)
    response = problem(error.status, error.slug, error.title, error.message, **more)
    response.headers.update(error.headers)
    return response


def from_records(error: RecordsError) -> Response:
    """The problem for what `records` refuses; a tag's error is of the kind of what is wrong in the tag."""
    fault = error.__cause__ if isinstance(error.__cause__, RecordsError) else error
    slug, title = next(told for kind, told in RECORDS.items() if isinstance(fault, kind))
    more = {"faults": list(fault.faults)} if isinstance(fault, PositionError) else {}
    return problem(422, slug, title, str(error), **more)


def from_http(error: HTTPException) -> Response:
    """The problem for an HTTP error that Flask, Werkzeug or the checks of a request's fields raised."""
    status = error.code or 500
    data: dict[str, Any] = getattr(error, "data", None) or {}
    fields = data.get("messages")
    detail = error.description or error.name
    if fields:
        detail = _said(fields)
    elif status == 413:
        detail = f"the body is larger than {request.max_content_length} bytes"
    elif status == 500:
        detail = INTERNAL
    more = {"errors": fields} if fields and len(detail) <= MAX_DETAIL else {}
    response = problem(status, HTTP.get(status, error.name.lower().replace(" ", "-")), error.name, detail, **more)
    for name, value in error.get_headers(request.environ):
        if name.lower() in ("allow", "retry-after"):
            response.headers[name] = value
    return response


def _said(fields: Mapping[str, Any]) -> str:
    """The messages of a failed check, each after the field it is about and what stood there."""
    said = []
    for (place, *path), message in _flat(fields, ()):
        if (path and path[-1] == "_schema") or (len(path) > 1 and path[-1] in ("key", "value")):
            path.pop()  # the whole; an entry of a mapping
        told = ".".join(map(str, path)) or "the body"
        try:
            sent: Any = request.get_json(silent=True) if place == "json" else request.args
            for key in path:
                sent = sent[key]
            told += f" is {_quoted(sent)}"
        except (LookupError, TypeError):  # nothing stood there
            pass
        said.append(f"{told}: {message}")
    return " ".join(said)


def _flat(fields: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], str]]:
    if isinstance(fields, Mapping):
        for key, value in fields.items():
            yield from _flat(value, (*path, key))
    else:
        for message in fields if isinstance(fields, list) else [fields]:
            yield path, message


def _quoted(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, str | int | float | None) else "no single value"
    return text if len(text) <= MAX_QUOTED else text[:MAX_QUOTED] + "…"
