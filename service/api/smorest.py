"""flask-smorest with types: the library has none, so its decorators are given theirs here, once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar, cast

from flask import Flask
from flask_smorest import Api, Blueprint  # type: ignore[import-untyped]
from marshmallow import Schema

View = TypeVar("View", bound=Callable[..., Any])


class TypedBlueprint(Protocol):
    """What is used of `flask_smorest.Blueprint`."""

    def route(self, rule: str, *, methods: list[str] = ...) -> Callable[[View], View]: ...

    def arguments(self, schema: type[Schema], *, location: str = ..., unknown: str = ...) -> Callable[[View], View]: ...

    def response(
        self, status_code: int, schema: type[Schema] | Schema | None = ..., **more: Any
    ) -> Callable[[View], View]: ...

    def alt_response(self, status_code: int, **more: Any) -> Callable[[View], View]: ...

    def doc(self, **more: Any) -> Callable[[View], View]: ...


def blueprint(name: str, says: str) -> TypedBlueprint:
    """A blueprint under the API's root."""
    return cast(TypedBlueprint, Blueprint(name, f"service.api.{name}", url_prefix="/api/v1", description=says))


class ProblemApi(Api):  # type: ignore[misc]
    """The API of this service. It leaves errors to the application, which answers by path."""

    def _register_error_handlers(self) -> None:
        """The library would turn every error of the application into its own JSON, pages' errors too."""


def register(app: Flask, blueprints: list[TypedBlueprint], config: Mapping[str, str], problem: type[Schema]) -> None:
    app.config.from_mapping(config)
    ProblemApi.ERROR_SCHEMA = problem
    api = ProblemApi(app)
    for part in blueprints:
        api.register_blueprint(part)
