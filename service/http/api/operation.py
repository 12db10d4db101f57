"""What one operation of the API is. Its route, its checks and its documentation follow from this declaration."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from flask import Flask
from marshmallow import Schema

from service.http.access import need_of
from service.http.access.guard import SAFE_METHODS
from service.http.access.scopes import OPEN
from service.settings import Settings

ANYWHERE = (400, 401, 403, 414, 429, 431, 500, 503)  # errors of every operation
_MARK = "__inkeek_operation__"
Item = type[Schema] | None
"""A line of a response, or the data of one of its Server-Sent Events; None is null."""


@dataclass(frozen=True)
class Operation:
    """An operation, as `ApiBlueprint.operation` describes it."""

    view: Callable[..., Any]
    method: str
    rule: str
    scope: str
    body: type[Schema] | None
    query: type[Schema] | None
    takes: Mapping[str, str]
    returns: type[Schema] | None
    sends: Mapping[str, tuple[Item, ...]]
    status: int
    problems: tuple[int, ...]
    headers: tuple[str, ...]
    changes_game: bool
    conditional: bool
    resumes: bool | str
    idempotent: bool
    creates: Mapping[str, str]
    max_body: int | None

    @property
    def name(self) -> str:
        return self.view.__name__

    @property
    def is_long(self) -> bool:
        """Whether it answers with a stream or a file, which many may ask for and few wait for."""
        return self.method == "GET" and bool(self.sends) and self.returns is None and not self.conditional

    @property
    def other_statuses(self) -> list[int]:
        """The statuses of errors, and 304 if it is an answer."""
        found = {*ANYWHERE, *self.problems}
        if self.method != "GET":
            found.add(507)
        if self.conditional:
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


def largest_body(operation: Operation | None, settings: Settings) -> int:
    """The bytes that the body of a request may have: less where the schema allows less than `max_body`."""
    if operation is None:
        return settings.max_body
    most = settings.max_import if operation.takes else settings.max_body
    return most if operation.max_body is None else min(operation.max_body, most)


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


def computing_paths(app: Flask) -> re.Pattern[str]:
    """A pattern of the paths of all views of an application that store nothing, although their method could."""

    def computes(method: str, view: Callable[..., Any]) -> bool:
        return method not in SAFE_METHODS and need_of(view).scope in ("read", OPEN)

    return path_pattern(app, computes)
