"""Where in a request an error is: JSON pointers into the body, names of parameters and headers.

An error about a field begins with its name (``seeds is 5``, ``tags.Date: …``, ``add[0].ply``), or quotes its value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from flask import Request
from marshmallow import Schema
from werkzeug.exceptions import HTTPException

from inkeek.records import PositionError, RecordsError
from inkeek.records.errors import OptionError, message_of
from inkeek.records.notation.tags import TagError
from inkeek.service.errors import Illegal, Invalid, KeyReused, ServiceError
from inkeek.service.http.context import HEADERS_ONLY

from . import idempotency
from .bodies import pointer, read_json
from .operation import Operation

WHOLE = ""  # the pointer to all of the body
HEADERS = ("If-Match", "Last-Event-ID", idempotency.HEADER)
NAMED_BY_TAGS = {"Game": "game", "Options": "options", "Setup": "setup", "Match": "title"}  # fields that become tags
POSITIONS = ("position", "setup", "board")
_FIELD = re.compile(r"`?([A-Za-z_][\w-]*)`?((?:\.[\w-]+|\[[0-9]+\])*)(?=[ :,]|$)")
_PART = re.compile(r"[\w-]+")


def pointer_to(error: ServiceError | RecordsError, operation: Operation | None, request: Request) -> str:
    """Where the request is wrong, by its operation and what it sent; `WHOLE` if that is no single place."""
    if isinstance(error, KeyReused):
        return idempotency.HEADER
    if isinstance(error, Invalid) and error.pointer:
        return error.pointer
    names = set(_fields(operation.body if operation else None))
    parameters = set(_fields(operation.query if operation else None))
    body = _body(request) if names else {}
    cause = error.__cause__ if isinstance(error.__cause__, RecordsError) else error
    match = _FIELD.match(str(error.more.get("where", "move")) if isinstance(error, Illegal) else message_of(error))
    if isinstance(cause, TagError):
        field = NAMED_BY_TAGS.get(cause.tag)
        if field in parameters:
            return field
        return pointer([field] if field is not None and field in names else ["tags", cause.tag])
    if isinstance(cause, OptionError) and (place := _option(cause, body, request.args)):
        return place
    if match is not None and match[1] in names:
        return pointer([match[1], *_PART.findall(match[2])])
    if match is not None and match[1] in (*parameters, *HEADERS):
        return match[1]
    query = [(name, value) for name, value in request.args.items(multi=True) if name in parameters]
    place = _quoted(str(error), body, query)
    if not place and isinstance(cause, PositionError | OptionError):  # of a position that is not of the game
        places = [pointer([name]) for name in POSITIONS if name in names and body.get(name)]
        place = next(iter(places), "position" if "position" in request.args else WHOLE)
    return place


def _option(error: OptionError, body: dict[str, Any], query: Mapping[str, str]) -> str:
    """The option that an error is about."""
    values, options = getattr(message_of(error), "values", {}), body.get("options")
    named = [name for name in (values.get("name"), *values) if name]
    if isinstance(options, dict):
        return next((pointer(["options", name]) for name in named if name in options), WHOLE)
    return "options" if any(f"{name}=" in query.get("options", "") for name in named) else WHOLE


def _quoted(text: str, body: Any, query: Iterable[tuple[str, str]]) -> str:
    """The place of the value that a message quotes."""
    for path, value in _leaves(body, ()):
        if value and repr(value) in text:
            return pointer(path)
    return next((name for name, value in query if value and repr(value) in text), WHOLE)


def _fields(schema: type[Schema] | None) -> Iterable[str]:
    return () if schema is None else schema().fields


def _body(request: Request) -> dict[str, Any]:
    if HEADERS_ONLY in request.environ:  # the body has not come yet
        return {}
    try:
        body = read_json(request)
    except HTTPException:
        return {}
    return body if isinstance(body, dict) else {}


def _leaves(value: Any, path: tuple[object, ...]) -> Iterator[tuple[tuple[object, ...], str]]:
    """Every text in a body, and every name in an object, with its place."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(key, str) and path:
                yield (*path, key), key
            yield from _leaves(item, (*path, key))
