"""What one operation of the API is. Its route, its checks and its documentation follow from this declaration."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from flask import Flask
from marshmallow import Schema

from inkeek.service.http.access import Need, need_of
from inkeek.service.http.access.guard import SAFE_METHODS
from inkeek.service.http.access.scopes import OPEN
from inkeek.service.http.problems import field_parts, pointer
from inkeek.service.http.shape import Shape
from inkeek.service.settings import Settings

ANYWHERE = (400, 401, 403, 414, 429, 431, 500, 503)  # errors of every operation
IDEMPOTENCY_KEY = "Idempotency-Key"
HEADERS = ("If-Match", "Last-Event-ID", IDEMPOTENCY_KEY)  # that errors name
_MARK = "__inkeek_operation__"
Item = type[Schema | Shape] | None
"""A line of a response, or the data of one of its Server-Sent Events; None is null."""


@dataclass(frozen=True)
class Operation:
    """An operation. The name of its view is its id, the docstring of the view the summary and the description.

    The view gets the JSON `body` and the `query`, if there are any, as first arguments, then the parameters of the
    `rule`. It returns a `Response`, a JSON object or nothing, which is sent with `status`: by default 201 for a POST,
    else 200.
    With `answer` it returns what it wrote, of which `answer` makes the response: so pages call it too.

    `need` is what callers need. `example` is a body that can be sent. `takes` are the media types of a body that is not
    JSON, each with what it holds. `returns` is the JSON that is sent, by default what the annotation of the view names.
    `sends` are other media types of the response, each with the schemas of its lines, or of the data of its Server-Sent
    Events; without any it is text. `headers` are those of the response besides ``ETag``.

    `changes_game`: the view uses `games.write`, which reads ``If-Match``. `conditional`: the response has an
    ``ETag``, and ``If-None-Match`` is read; by default for a GET that returns JSON. `resumes`: ``Last-Event-ID`` is
    read; if it is a cursor, its pattern. `idempotent`: ``Idempotency-Key`` is supported; by default for every POST.
    `binds_key`: the view itself calls `idempotency.bind_key`.

    `creates` are parameters of paths of other operations, each with the field of the response that has its value:
    the document links to all these operations.


    `problems` are the statuses of errors that do not follow from the rest; see `other_statuses`.
    """

    view: Callable[..., Any]
    method: str
    rule: str
    _: KW_ONLY
    need: Need
    body: type[Schema] | None = None
    example: Mapping[str, Any] | None = None
    query: type[Schema] | None = None
    takes: Mapping[str, str] = field(default_factory=dict)
    returns: type[Schema | Shape] | None = None
    answer: Callable[[Any], Any] | None = None
    sends: Mapping[str, tuple[Item, ...]] = field(default_factory=dict)
    status: int | None = None
    problems: tuple[int, ...] = ()
    headers: tuple[str, ...] = ()
    changes_game: bool = False
    conditional: bool | None = None
    resumes: bool | str = False
    idempotent: bool | None = None
    creates: Mapping[str, str] = field(default_factory=dict)
    binds_key: bool = False

    @property
    def name(self) -> str:
        return self.view.__name__

    @property
    def success(self) -> int:
        """The status of a response that is no error."""
        return self.status or (201 if self.method == "POST" else 200)

    @property
    def gives(self) -> tuple[str, ...]:
        """The media types of the response; none if it has no body."""
        return (*(["application/json"] if self.returns else []), *self.sends)

    @property
    def is_conditional(self) -> bool:
        by_default = self.method == "GET" and self.returns is not None
        return by_default if self.conditional is None else self.conditional

    @property
    def is_idempotent(self) -> bool:
        return self.method == "POST" if self.idempotent is None else self.idempotent

    @property
    def is_long(self) -> bool:
        """Whether it answers with a stream or a file, which many may ask for and few wait for."""
        return self.method == "GET" and bool(self.sends) and self.returns is None and not self.is_conditional

    @property
    def other_statuses(self) -> list[int]:
        """The statuses of errors, and 304 if it is an answer."""
        found = {*ANYWHERE, *self.problems}
        if self.method != "GET":
            found.add(507)
        if self.gives:
            found.add(406)
        if self.is_conditional:
            found.add(304)
        if "<" in self.rule:
            found.add(404)
        if self.body or self.takes:
            found |= {408, 413, 415}
        if self.body or self.query or self.method == "POST" or self.resumes:
            found.add(422)
        if self.changes_game:
            found |= {409, 412}
        if self.resumes:
            found.add(409)
        return sorted(found)


def place_of(field: str, operation: Operation | None) -> str:
    """Where a field is in a request: a JSON pointer into the body, or the name of a parameter or a header; empty if the
    operation has none of that name."""
    parts = field_parts(field)
    if operation is not None:
        for schema, place in ((operation.body, pointer(parts)), (operation.query, parts[0])):
            if schema is not None and parts[0] in schema().fields:
                return place
    return field if field in HEADERS else ""


def largest_body(operation: Operation | None, settings: Settings) -> int:
    """The bytes that the body of a request may have: less where the operation allows less than `max_body`."""
    if operation is None:
        return settings.max_body
    most = settings.max_import if operation.takes else settings.max_body
    return min(operation.need.max_body or most, most)


def mark(handler: Callable[..., Any], operation: Operation) -> None:
    """Note that a function handles an operation."""
    setattr(handler, _MARK, operation)


def operation_of(handler: Callable[..., Any] | None) -> Operation | None:
    """The operation that a function handles; None if it belongs to a page."""
    return getattr(handler, _MARK, None)


def path_pattern(app: Flask, is_wanted: Callable[[str, Callable[..., Any]], bool]) -> re.Pattern[str]:
    """A pattern of the paths of those views of an application that are wanted, by their method and themselves."""
    found = []
    for rule in app.url_map.iter_rules():
        if any(is_wanted(method, app.view_functions[rule.endpoint]) for method in rule.methods or ()):
            found.append("[^/]+".join(map(re.escape, re.split("<[^>]*>", rule.rule))))
    return re.compile("|".join(sorted(found)))


def long_paths(app: Flask) -> re.Pattern[str]:
    """A pattern of the paths of all operations of an application that are `Operation.is_long`."""

    def is_long(method: str, view: Callable[..., Any]) -> bool:
        operation = operation_of(view)
        return operation is not None and operation.is_long

    return path_pattern(app, is_long)


def waiting_paths(app: Flask) -> re.Pattern[str]:
    """A pattern of the paths of all views of an application that wait, or that compute: they store nothing, although
    their method could."""

    def waits(method: str, view: Callable[..., Any]) -> bool:
        need = need_of(view)
        return need.waits or (method not in SAFE_METHODS and need.scope in ("read", OPEN))

    return path_pattern(app, waits)
