"""flask-smorest with types, and with less work per request."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, TypeVar

from flask import Flask, Response
from flask_smorest import Api, Blueprint  # type: ignore[import-untyped]
from marshmallow import RAISE, Schema

from service.http.access import need_of, needs
from service.http.problems import MEDIA_TYPE

from . import idempotency
from .bodies import ArgumentsParser
from .examples import BODIES, RESPONSES
from .responses import respond
from .schemas import ProblemSchema

SECURITY = "token"  # the security scheme in the document
SECURITY_SAYS = "A token of `inkeek token create`. Requests from the service's own machine may read without one."
PREFIX = "/api/v1"
CHANGES = (404, 409, 412)  # errors of operations that change a game
View = TypeVar("View", bound=Callable[..., Any])


class ApiBlueprint(Blueprint):  # type: ignore[misc]
    """A blueprint under the API's root, whose operations are each declared in one place."""

    ARGUMENTS_PARSER = ArgumentsParser()

    def __init__(self, name: str, description: str) -> None:
        super().__init__(name, f"service.http.api.{name}", url_prefix=PREFIX, description=description)

    def operation(
        self,
        method: str,
        rule: str,
        *,
        scope: str,
        body: type[Schema] | None = None,
        query: type[Schema] | None = None,
        returns: type[Schema] | None = None,
        status: int | None = None,
        problems: tuple[int, ...] = (),
        idempotent: bool = True,
        open_locally: bool | None = None,
        limited: bool = False,
        own: str = "",
        **more: Any,
    ) -> Callable[[View], View]:
        """Register a view, which gets what was sent as its first argument and returns a `Response` or a JSON object.

        `scope` is what callers need (with `open_locally`, `limited` and `own`: see `access.needs`), `problems` the
        statuses of errors that not every route has, `more` documents the response. The default `status` is 201 for a
        POST, else 200. A POST supports ``Idempotency-Key`` unless it is not `idempotent`.
        """
        success = status or (201 if method == "POST" else 200)

        def decorate(view: View) -> View:
            wrapped: Any = needs(scope, open_locally=open_locally, limited=limited, own=own)(_responding(view, success))
            for code in problems:
                wrapped = _document(wrapped, self.alt_response(code, response=HTTPStatus(code).name))
            if returns is not None and returns.__name__ in RESPONSES:
                more["example"] = RESPONSES[returns.__name__]
            wrapped = _document(wrapped, self.response(success, returns, **more))
            if body is not None:
                wrapped = self.arguments(body(), example=BODIES[body.__name__])(wrapped)
            if query is not None:
                wrapped = self.arguments(query(), location="query", unknown=RAISE)(wrapped)
            anonymous: list[dict[str, list[str]]] = [{}] if need_of(wrapped).open_locally else []
            wrapped = _document(wrapped, self.doc(security=[{SECURITY: [scope]}, *anonymous]))
            if idempotent and method == "POST":
                wrapped = idempotency.idempotent(wrapped)
                wrapped = _document(wrapped, self.doc(parameters=[idempotency.PARAMETER]))
            self.route(rule, methods=[method])(wrapped)
            return view

        return decorate


def _responding(view: View, status: int) -> Callable[..., Response]:
    """The view, with a JSON object that it returns as a response."""

    @functools.wraps(view)
    def wrapper(*args: Any, **kwargs: Any) -> Response:
        result = view(*args, **kwargs)
        return result if isinstance(result, Response) else respond(result, status)

    return wrapper


def _document(view: Any, decorator: Callable[[Any], Any]) -> Any:
    """The view with the documentation that a decorator of the library adds, without its wrapper."""
    view._apidoc = decorator(view)._apidoc
    return view


class ProblemApi(Api):  # type: ignore[misc]
    """The API of this service. The application handles its errors."""

    ERROR_SCHEMA = ProblemSchema

    def _register_error_handlers(self) -> None:
        """None: the library would handle the errors of pages too."""

    def _register_responses(self) -> None:
        """Document the content type of problems."""
        self.DEFAULT_RESPONSE_CONTENT_TYPE = MEDIA_TYPE
        super()._register_responses()
        del self.DEFAULT_RESPONSE_CONTENT_TYPE  # the class has the usual one


def register(app: Flask, blueprints: list[ApiBlueprint], config: Mapping[str, str]) -> None:
    app.config.from_mapping(config)
    api = ProblemApi(app)
    api.spec.components.security_scheme(SECURITY, {"type": "http", "scheme": "bearer", "description": SECURITY_SAYS})
    for part in blueprints:
        api.register_blueprint(part)
