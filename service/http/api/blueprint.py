"""Blueprints of the API. Each operation is declared in one place; `openapi` documents it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from flask import Blueprint, Response
from marshmallow import Schema
from werkzeug.routing import BaseConverter, Rule

from service.http.access import needs

from .bodies import body_reader, query_reader
from .idempotency import idempotent as once_per_key
from .operation import Item, Operation, mark
from .responses import respond
from .text_fields import ID

PREFIX = "/api/v1"
ID_PARAMETERS = frozenset({"game_id", "match_id", "token_id", "job_id"})
View = TypeVar("View", bound=Callable[..., Any])


class IdConverter(BaseConverter):
    """Ids as `random_id` makes them, and no name of another route such as ``/games/export``."""

    regex = ID


class RouteRule(Rule):
    """A rule in which `ID_PARAMETERS` are ids. What makes its URLs is compiled when it is first used."""

    def get_converter(self, variable_name: str, *arguments: Any) -> BaseConverter:
        if variable_name in ID_PARAMETERS:
            return IdConverter(self.map)
        return super().get_converter(variable_name, *arguments)

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        """Few routes ever make a URL, and to compile all of them takes most of the time to create the application."""
        compile_now = super()._compile_builder
        compiled: list[Callable[..., tuple[str, str]]] = []

        def build(rule: Rule, **values: Any) -> tuple[str, str]:
            if not compiled:
                compiled.append(compile_now(append_unknown))
            return compiled[0](rule, **values)

        return build


class ApiBlueprint(Blueprint):
    """A blueprint under the API's root."""

    def __init__(self, name: str, description: str) -> None:
        super().__init__(name, f"service.http.api.{name}", url_prefix=PREFIX)
        self.description = description
        self.operations: list[Operation] = []

    def operation(
        self,
        method: str,
        rule: str,
        *,
        scope: str,
        body: type[Schema] | None = None,
        query: type[Schema] | None = None,
        takes: Mapping[str, str] | None = None,
        returns: type[Schema] | None = None,
        sends: Mapping[str, tuple[Item, ...]] | None = None,
        status: int | None = None,
        problems: tuple[int, ...] = (),
        headers: tuple[str, ...] = (),
        changes_game: bool = False,
        conditional: bool | None = None,
        resumes: bool | str = False,
        idempotent: bool | None = None,
        max_body: int | None = None,
        binds_key: bool = False,
        open_locally: bool | None = None,
        limited: bool = False,
        creates: Mapping[str, str] | None = None,
        own: str = "",
        also: str = "",
        current: bool = False,
    ) -> Callable[[View], View]:
        """Register a view. Its name is the operation's id, its docstring the summary and the description.

        It gets the JSON `body` and the `query`, if there are any, as first arguments, then the parameters of the
        `rule`. It returns a `Response`, or a JSON object, which is sent with `status`: by default 201 for a POST, else
        200.

        `scope` is what callers need, with the other arguments of `access.needs`. `takes` are
        the media types of a body that is not JSON, each with what it holds. `returns` is the JSON that is sent. `sends`
        are other media types of the response, each with the schemas of its lines, or of the data of its Server-Sent
        Events; without any it is text. `headers` are those of the response besides ``ETag``.

        `changes_game`: the view uses `games.write`, which reads ``If-Match``. `conditional`: the response has an
        ``ETag``, and ``If-None-Match`` is read; by default for a GET that returns JSON. `resumes`: ``Last-Event-ID`` is
        read; if it is a cursor, its pattern. `idempotent`: ``Idempotency-Key`` is supported; by default for every POST.
        `binds_key`: the view itself calls `idempotency.bind_key`. `max_body`: the bytes of a body, if they are fewer
        than the setting.

        `creates` are parameters of paths of other operations, each with the field of the response that has its value:
        the document links to all these operations.

        `problems` are the statuses of errors that do not follow from the rest; see `Operation.other_statuses`.
        """

        def decorate(view: View) -> View:
            needs(scope, open_locally=open_locally, limited=limited, own=own, also=also, current=current)(view)
            operation = Operation(
                view,
                method,
                rule,
                scope,
                body,
                query,
                takes or {},
                returns,
                sends or {},
                status or (201 if method == "POST" else 200),
                problems,
                headers,
                changes_game,
                (method == "GET" and returns is not None) if conditional is None else conditional,
                resumes,
                method == "POST" if idempotent is None else idempotent,
                creates or {},
                max_body,
            )
            self.operations.append(operation)
            self.add_url_rule(rule, view_func=_handler(operation, binds_key), methods=[method])
            return view

        return decorate


def _handler(operation: Operation, binds_key: bool) -> Callable[..., Response]:
    """What Flask calls: it reads what was sent, runs the view, and makes a JSON object a response.

    It reads before the transaction of an idempotency key begins, for which other writers wait.
    """
    view, status = operation.view, operation.status
    readers = [body_reader(operation.body())] if operation.body else []
    readers += [query_reader(operation.query())] if operation.query else []

    def run(*given: Any, **parameters: Any) -> Response:
        result = view(*given, **parameters)
        return result if isinstance(result, Response) else respond(result, status)

    run_once = once_per_key(run) if operation.idempotent and not binds_key else run

    @functools.wraps(view)
    def handle(**parameters: Any) -> Response:
        return run_once(*[read() for read in readers], **parameters)

    mark(handle, operation)
    return handle
