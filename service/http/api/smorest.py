"""flask-smorest with types, and with less work per request."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Protocol, TypeVar, cast

from flask import Flask, Response
from flask_smorest import Api, Blueprint  # type: ignore[import-untyped]
from marshmallow import Schema

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
View = TypeVar("View", bound=Callable[..., Any])


class TypedBlueprint(Protocol):
    """The part of `flask_smorest.Blueprint` that is used."""

    def route(self, rule: str, *, methods: list[str] = ...) -> Callable[[View], View]: ...

    def arguments(self, schema: type[Schema], *, location: str = ..., unknown: str = ...) -> Callable[[View], View]: ...

    def response(
        self, status_code: int, schema: type[Schema] | Schema | None = ..., **more: Any
    ) -> Callable[[View], View]: ...

    def problems(self, *statuses: int) -> Callable[[View], View]: ...

    def needs(self, scope: str) -> Callable[[View], View]: ...

    def doc(self, **more: Any) -> Callable[[View], View]: ...

    def creates(self, view: View) -> View: ...


class _Blueprint(Blueprint):  # type: ignore[misc]
    ARGUMENTS_PARSER = ArgumentsParser()

    def arguments(self, schema: type[Schema], *, location: str = "json", **more: Any) -> Callable[[View], View]:
        """The body of a route, with an example in the document, or its query."""
        if location == "json":
            more["example"] = BODIES[schema.__name__]
        decorated: Callable[[View], View] = super().arguments(schema(), location=location, **more)
        return decorated

    def response(self, status_code: int, schema: Any = None, **more: Any) -> Callable[[View], View]:
        """The response of a route: a `Response`, or a JSON object that `respond` sends. `schema` documents it."""
        example = RESPONSES.get(getattr(schema, "__name__", ""))
        if example is not None:
            more["example"] = example
        document: Callable[[View], View] = super().response(status_code, schema, **more)

        def decorate(view: View) -> View:
            @functools.wraps(view)
            def wrapper(*args: Any, **kwargs: Any) -> Response:
                result = view(*args, **kwargs)
                return result if isinstance(result, Response) else respond(result, status_code)

            return _document(wrapper, document(view))  # type: ignore[return-value]

        return decorate

    def problems(self, *statuses: int) -> Callable[[View], View]:
        """The errors of its own that a route has, for the document; common ones are there as ``default``."""

        def decorate(view: View) -> View:
            documented = view
            for status in statuses:
                documented = self.alt_response(status, response=HTTPStatus(status).name)(documented)
            return _document(view, documented)

        return decorate

    def needs(self, scope: str) -> Callable[[View], View]:
        """Declare the scope of a route (`service.http.access.scopes.needs`), in the document too."""

        def decorate(view: View) -> View:
            declared = needs(scope)(view)
            none: list[dict[str, list[str]]] = [{}] if need_of(declared).open_locally else []
            return _document(declared, self.doc(security=[{SECURITY: [scope]}, *none])(declared))

        return decorate

    def creates(self, view: View) -> View:
        """A route that creates something: supports ``Idempotency-Key``. Goes right below `route`."""
        decorated = idempotency.idempotent(view)
        return _document(decorated, self.doc(parameters=[idempotency.PARAMETER])(decorated))


def _document(view: View, documented: Callable[..., Any]) -> View:
    """The view with the documentation of another, which only wraps it."""
    view._apidoc = documented._apidoc  # type: ignore[attr-defined]
    return view


def blueprint(name: str, says: str) -> TypedBlueprint:
    """A blueprint under the API's root."""
    return cast(TypedBlueprint, _Blueprint(name, f"service.http.api.{name}", url_prefix=PREFIX, description=says))


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


def register(app: Flask, blueprints: list[TypedBlueprint], config: Mapping[str, str]) -> None:
    app.config.from_mapping(config)
    api = ProblemApi(app)
    api.spec.components.security_scheme(SECURITY, {"type": "http", "scheme": "bearer", "description": SECURITY_SAYS})
    for part in blueprints:
        api.register_blueprint(part)
