"""flask-smorest with types: the library has none, so its decorators are given theirs here, once."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, NoReturn, Protocol, TypeVar, cast

from flask import Flask, Request, Response, abort, request
from flask_smorest import Api, Blueprint  # type: ignore[import-untyped]
from marshmallow import Schema
from webargs import missing
from webargs.flaskparser import FlaskParser

from service.http.access import need_of, needs
from service.http.problems import MEDIA_TYPE

from . import idempotency
from .examples import ANSWERS, BODIES
from .schemas import ProblemSchema

SECURITY = "token"  # the name of the way to show a token, in the document
SECURITY_SAYS = "A token of `inkeek token create`. Reading needs none on the machine that the service runs on."
PREFIX = "/api/v1"
MAX_DIGITS = 20  # of a number in a body
View = TypeVar("View", bound=Callable[..., Any])


class TypedBlueprint(Protocol):
    """What is used of `flask_smorest.Blueprint`."""

    def route(self, rule: str, *, methods: list[str] = ...) -> Callable[[View], View]: ...

    def arguments(self, schema: type[Schema], *, location: str = ..., unknown: str = ...) -> Callable[[View], View]: ...

    def response(
        self, status_code: int, schema: type[Schema] | Schema | None = ..., **more: Any
    ) -> Callable[[View], View]: ...

    def problems(self, *statuses: int) -> Callable[[View], View]: ...

    def needs(self, scope: str) -> Callable[[View], View]: ...

    def doc(self, **more: Any) -> Callable[[View], View]: ...

    def creates(self, view: View) -> View: ...


class BodyParser(FlaskParser):
    """Takes bodies of JSON that mean one thing only: no name twice, no NaN, nested no deeper than Python reads."""

    def load_json(self, req: Request, schema: Schema) -> Any:
        if not (body := req.get_data()):
            return missing
        if req.content_length is None and len(body) >= (req.max_content_length or 0):
            abort(413)  # sent in chunks, and cut off by the library without a word
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

    def arguments(self, schema: type[Schema], *, location: str = "json", **more: Any) -> Callable[[View], View]:
        """What a route takes; a body has an example in the document."""
        if location == "json":
            more["example"] = BODIES[schema.__name__]
        # An instance: of a class the library would make one for every request.
        taken: Callable[[View], View] = super().arguments(schema(), location=location, **more)
        return taken

    def response(self, status_code: int, schema: Any = None, **more: Any) -> Callable[[View], View]:
        """What a route answers; most answers have an example in the document."""
        example = ANSWERS.get(getattr(schema, "__name__", ""))
        if example is not None:
            more["example"] = example
        answered: Callable[[View], View] = super().response(status_code, schema, **more)
        return answered

    def problems(self, *statuses: int) -> Callable[[View], View]:
        """Which errors of its own a route has, for the document; those that any may have stand there as ``default``."""

        def tell(view: View) -> View:
            for status in statuses:
                view = self.alt_response(status, response=HTTPStatus(status).name)(view)
            return view

        return tell

    def needs(self, scope: str) -> Callable[[View], View]:
        """Declare the scope that a route asks for (`service.http.access.scopes.needs`), in the document too."""

        def declare(view: View) -> View:
            declared = needs(scope)(view)
            none: list[dict[str, list[str]]] = [{}] if need_of(declared).open_locally else []
            told: View = self.doc(security=[{SECURITY: [scope]}, *none])(declared)
            return told

        return declare

    def creates(self, view: View) -> View:
        """A route that makes something: an ``Idempotency-Key`` has it done once. Stands right under `route`."""
        told: View = self.doc(parameters=[idempotency.PARAMETER])(idempotency.idempotent(view))
        return told


def blueprint(name: str, says: str) -> TypedBlueprint:
    """A blueprint under the API's root."""
    return cast(TypedBlueprint, _Blueprint(name, f"service.http.api.{name}", url_prefix=PREFIX, description=says))


class ProblemApi(Api):  # type: ignore[misc]
    """The API of this service. It leaves errors to the application, which answers by path."""

    ERROR_SCHEMA = ProblemSchema

    def _register_error_handlers(self) -> None:
        """The library would turn every error of the application into its own JSON, pages' errors too."""

    def _register_responses(self) -> None:
        """The errors' own content type stands in the document."""
        self.DEFAULT_RESPONSE_CONTENT_TYPE = MEDIA_TYPE
        super()._register_responses()
        del self.DEFAULT_RESPONSE_CONTENT_TYPE  # the class has the usual one


def register(app: Flask, blueprints: list[TypedBlueprint], config: Mapping[str, str]) -> None:
    app.config.from_mapping(config)
    api = ProblemApi(app)
    api.spec.components.security_scheme(SECURITY, {"type": "http", "scheme": "bearer", "description": SECURITY_SAYS})
    for part in blueprints:
        api.register_blueprint(part)

    @app.before_request
    def check_key() -> None:
        idempotency.check_key(app.view_functions.get(request.endpoint or ""))

    @app.after_request
    def tag(response: Response) -> Response:
        return _tagged(response) if request.path.startswith(f"{PREFIX}/") else response


def _tagged(response: Response) -> Response:
    """The answer to a read with an ETag, of its content if it has no other; or 304 when the reader has it already."""
    if request.method in ("GET", "HEAD") and response.status_code == 200 and not response.is_streamed:
        if "ETag" not in response.headers:
            response.add_etag()
        if "HTTP_IF_NONE_MATCH" in request.environ:
            response.make_conditional(request)
    return response
