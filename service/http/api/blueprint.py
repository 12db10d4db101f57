"""Blueprints of the API. Each operation is declared in one place; `openapi` documents it."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, TypeVar

from flask import Blueprint, Response
from werkzeug.routing import BaseConverter, IntegerConverter, Rule

from inkeek.service.http.access import Need
from inkeek.service.http.shape import Shape

from .bodies import body_reader, query_reader
from .constraints import ID
from .idempotency import idempotent as once_per_key
from .operation import Operation, mark
from .responses import respond

PREFIX = "/api/v1"
ID_PARAMETERS = frozenset({"game_id", "match_id", "token_id", "invitation_id", "guest_id", "job_id"})
MAX_NUMBER = 10**9  # in a path: an integer of either database holds it
NEED = {field.name for field in dataclasses.fields(Need)}
View = TypeVar("View", bound=Callable[..., Any])


class IdConverter(BaseConverter):
    """Ids as `random_id` makes them, and no name of another route such as ``/games/export``."""

    regex = ID


class RouteRule(Rule):
    """A rule in which `ID_PARAMETERS` are ids, and no number is beyond `MAX_NUMBER`."""

    def get_converter(self, variable_name: str, converter_name: str, *arguments: Any) -> BaseConverter:
        if variable_name in ID_PARAMETERS:
            return IdConverter(self.map)
        if converter_name == "int":
            return IntegerConverter(self.map, max=MAX_NUMBER)
        return super().get_converter(variable_name, converter_name, *arguments)


class ApiBlueprint(Blueprint):
    """A blueprint under the API's root."""

    def __init__(self, name: str, description: str) -> None:
        super().__init__(name, __name__, url_prefix=PREFIX)
        self.description = description
        self.operations: list[Operation] = []

    def operation(self, method: str, rule: str, **declared: Any) -> Callable[[View], View]:
        """Register a view as the `Operation` that is declared so; the fields of its `Need` stand among the others.

        A view that returns a JSON object says so with its annotation.
        """
        need = Need(**{name: declared.pop(name) for name in NEED & declared.keys()})

        def decorate(view: View) -> View:
            operation = Operation(need(view), method, rule, need=need, **{"returns": _shape_of(view), **declared})
            self.operations.append(operation)
            self.add_url_rule(rule, view_func=_handler(operation), methods=[method])
            return view

        return decorate


def _shape_of(view: Callable[..., Any]) -> type[Shape] | None:
    """The class of the JSON object that the annotation of a view names; None: it makes a response itself."""
    kind = view.__globals__.get(view.__annotations__.get("return", ""))
    return kind if isinstance(kind, type) and issubclass(kind, Shape) else None


def _handler(operation: Operation) -> Callable[..., Response]:
    """What Flask calls: it reads what was sent, runs the view, and makes a JSON object a response.

    It reads before the transaction of an idempotency key begins, for which other writers wait.
    """
    view, status = operation.view, operation.success
    readers = [body_reader(operation.body())] if operation.body else []
    readers += [query_reader(operation.query())] if operation.query else []

    def run(*given: Any, **parameters: Any) -> Response:
        result = view(*given, **parameters)
        if operation.answer is not None:
            result = operation.answer(result)
        if result is None:
            return Response(status=status)
        return result if isinstance(result, Response) else respond(result, status)

    run_once = once_per_key(run) if operation.is_idempotent and not operation.binds_key else run

    @functools.wraps(view)
    def handle(**parameters: Any) -> Response:
        return run_once(*[read() for read in readers], **parameters)

    mark(handle, operation)
    return handle
