"""flask-smorest with types: the library has none, so its decorators are given theirs here, once."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, Protocol, TypeVar, cast

from flask import Flask, Request, abort
from flask_smorest import Api, Blueprint  # type: ignore[import-untyped]
from marshmallow import Schema
from webargs import missing
from webargs.flaskparser import FlaskParser

MAX_DIGITS = 20  # of a number in a body
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


class BodyParser(FlaskParser):
    """Takes bodies of JSON that mean one thing only: no name twice, no NaN, nested no deeper than Python reads."""

    def load_json(self, req: Request, schema: Schema) -> Any:
        if not (body := req.get_data()):
            return missing
        try:
            return json.loads(
                body.decode("utf-8"), object_pairs_hook=_object, parse_int=_int, parse_constant=_no_number
            )
        except RecursionError:
            abort(400, "the body is JSON nested too deeply")
        except ValueError as error:
            abort(400, f"the body is no JSON: {error}")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice[:80]!r} stands twice in one object")
    return found


def _int(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise ValueError(f"{text[:20]}… is a number of {len(text)} digits: at most {MAX_DIGITS} are read")
    return int(text)


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


class _Blueprint(Blueprint):  # type: ignore[misc]
    ARGUMENTS_PARSER = BodyParser()


def blueprint(name: str, says: str) -> TypedBlueprint:
    """A blueprint under the API's root."""
    return cast(TypedBlueprint, _Blueprint(name, f"service.api.{name}", url_prefix="/api/v1", description=says))


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
