"""Errors as RFC 9457 problems, for everything under ``/api`` and for the health checks; other paths get pages."""

from __future__ import annotations

import json
from typing import Any, cast

from flask import Response, request
from werkzeug.exceptions import HTTPException

from records import IllegalMove, MoveSyntaxError, OptionError, PositionError, RecordsError

from .errors import ServiceError

MEDIA_TYPE = "application/problem+json"
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
    return path.startswith("/api/") or path in ("/api", "/healthz", "/readyz")


def problem(status: int, slug: str, title: str, detail: str, **more: object) -> Response:
    """A problem as a response; `more` are its extension members."""
    body = {
        "type": f"/problems/{slug}",
        "title": title,
        "status": status,
        "detail": detail,
        "instance": request.path,
        **more,
    }
    return Response(json.dumps(body, ensure_ascii=False) + "\n", status, content_type=MEDIA_TYPE)


def from_service(error: ServiceError) -> Response:
    response = problem(error.status, error.slug, error.title, error.message, **error.more)
    if error.status == 503:
        response.headers["Retry-After"] = "5"
    return response


def from_records(error: RecordsError) -> Response:
    for kind, (slug, title) in RECORDS.items():
        if isinstance(error, kind):
            more = {"faults": list(error.faults)} if isinstance(error, PositionError) else {}
            return problem(422, slug, title, str(error), **more)
    raise error


def from_http(error: HTTPException) -> Response:
    """The problem for an HTTP error that Flask, Werkzeug or the checks of a request's fields raised."""
    if error.response is not None and error.code is None:
        return cast(Response, error.response)
    status = error.code or 500
    data: dict[str, Any] = getattr(error, "data", None) or {}
    fields = data.get("messages")
    detail = _said(fields) if fields else (error.description or error.name)
    if status == 500:
        detail = "The service failed; its log says more."
    more = {"errors": fields} if fields else {}
    response = problem(status, HTTP.get(status, error.name.lower().replace(" ", "-")), error.name, detail, **more)
    for name, value in error.get_headers(request.environ):
        if name.lower() in ("allow", "retry-after"):
            response.headers[name] = value
    return response


def _said(fields: object, path: str = "") -> str:
    """The messages of a failed check, each after the field it is about."""
    if isinstance(fields, dict):
        return " ".join(_said(value, f"{path}.{key}" if path else str(key)) for key, value in fields.items())
    messages = fields if isinstance(fields, list) else [fields]
    place = path.removeprefix("json.").removeprefix("query.")
    return " ".join(f"{place}: {message}" for message in messages)


__all__ = ["MEDIA_TYPE", "IllegalMove", "from_http", "from_records", "from_service", "is_api_path", "problem"]
