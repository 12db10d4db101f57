"""Errors as problems (RFC 9457), for everything under ``/api`` and for the health checks. Other paths get pages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from itertools import islice
from typing import Annotated, Any, NamedTuple

from flask import Response, request
from msgspec import UNSET, UnsetType
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from inkeek.records import MoveSyntaxError, OptionError, PositionError, RecordsError
from inkeek.service.errors import Illegal, Invalid, NotFound, ServiceError, TooBusy, error_kinds
from inkeek.service.games.answers import CurrentJson, illegal_json
from inkeek.service.games.rules_answers import StepJson
from inkeek.service.storage import GameRow

from .shape import Shape, to_builtins


class ProblemJson(Shape):
    """An error (RFC 9457)."""

    type: Annotated[str, "stable name of the type of problem"]
    title: str
    status: int
    detail: str
    instance: Annotated[str | UnsetType, "the path of the request"] = UNSET


class InputErrorJson(Shape):
    """A fault of a request, and where it is."""

    pointer: Annotated[
        str, "JSON pointer into the body (`/options/pits`; empty: all of it), or the name of a parameter or a header"
    ]
    detail: str


class InputProblemJson(ProblemJson, kw_only=True):
    """What was sent is wrong."""

    errors: list[InputErrorJson]
    current: Annotated[CurrentJson | UnsetType, "if that depends on the state of a game"] = UNSET


class PositionProblemJson(InputProblemJson, kw_only=True):
    faults: Annotated[list[str], "every reason; `errors` has them too"]


class IllegalMoveProblemJson(InputProblemJson, kw_only=True):
    reason: Annotated[str, "the rule that forbids it"]
    move: str
    position: Annotated[str, "before the move"]
    legal: list[str]
    trace: Annotated[list[StepJson], "the turn as far as it can be sown; else empty"]
    where: Annotated[str | UnsetType, "its place in a request with several moves"] = UNSET


class ConflictProblemJson(ProblemJson, kw_only=True):
    """The state does not allow the request."""

    current: Annotated[CurrentJson | UnsetType, "the game as it is, if the request is about one"] = UNSET
    later: Annotated[list[dict[str, Any]] | UnsetType, "later games of the match, and what becomes of them"] = UNSET
    game: Annotated[str | UnsetType, "id of the game of the match that is not over"] = UNSET


class DisputedProblemJson(ProblemJson, kw_only=True):
    current: CurrentJson
    dispute: Annotated[str, "id of the open dispute"]


class AheadProblemJson(ProblemJson, kw_only=True):
    last: Annotated[int, "number of the last event"]


class BoardBoundProblemJson(ProblemJson, kw_only=True):
    board: Annotated[str | UnsetType, "id of the board that the game has"] = UNSET


class HoleProblemJson(ProblemJson, kw_only=True):
    expected: Annotated[int, "number of the first event that is missing"]


MEDIA_TYPE = "application/problem+json"
INTERNAL = "The service failed. Its log has the details."
MAX_DETAIL = 2000  # characters
MAX_ERRORS = 20  # faults of one request
MAX_ERROR = 400  # characters of one of them
MAX_QUOTED = 80  # characters of a field's value
RECORDS = {  # slug and title of the errors of `records`
    MoveSyntaxError: ("move-syntax", "Invalid move notation."),
    PositionError: ("position", "Invalid position."),
    OptionError: ("option", "Unknown rule set or option."),
    RecordsError: ("record", "Invalid record."),
}
HTTP = {  # the same of errors that Flask, Werkzeug and the web server raise, by status
    400: ("bad-request", "Bad request."),
    404: (NotFound.slug, NotFound.title),
    405: ("method-not-allowed", "Method not allowed."),
    406: ("not-acceptable", "Nothing that is accepted can be given."),
    413: ("too-large", "The body is too large."),
    414: ("uri-too-long", "The request line is too long."),
    415: ("media-type", "Unsupported media type."),
    417: ("expectation", "Unsupported expectation."),
    431: ("headers-too-large", "The headers are too large."),
    500: (ServiceError.slug, ServiceError.title),
    503: (TooBusy.slug, TooBusy.title),
}


SHAPES: dict[str, type[ProblemJson]] = {  # of the types with members of their own
    "position": PositionProblemJson,
    "illegal-move": IllegalMoveProblemJson,
    "conflict": ConflictProblemJson,
    "game-ended": ConflictProblemJson,
    "stale": ConflictProblemJson,
    "disputed": DisputedProblemJson,
    "ahead": AheadProblemJson,
    "board-bound": BoardBoundProblemJson,
    "hole": HoleProblemJson,
}
OFFLINE = ("setting",)  # raised before anything is served


class ProblemType(NamedTuple):
    """A type of problem, and the class of its JSON."""

    status: int
    title: str
    shape: type[ProblemJson]


def is_api_path(path: str) -> bool:
    """Whether errors at `path` are problems, not pages."""
    return path.startswith("/api/") or path in ("/api", "/healthz", "/readyz", "/metrics")


def problem_types() -> dict[str, ProblemType]:
    """Every type of problem that a request can meet, by its slug.

    Errors that other modules define are those of commands, and never answered.
    """
    kinds = [kind for kind in error_kinds(ServiceError) if kind.__module__ == ServiceError.__module__]
    named = {
        **{kind.slug: (kind.status, kind.title) for kind in kinds},
        **{slug: (status, title) for status, (slug, title) in HTTP.items()},
        **{slug: (422, title) for slug, title in RECORDS.values()},
    }
    plain = {422: InputProblemJson}
    return {
        slug: ProblemType(status, title, SHAPES.get(slug, plain.get(status, ProblemJson)))
        for slug, (status, title) in named.items()
        if slug not in OFFLINE
    }


def problem_json(status: int, slug: str, title: str, detail: str, **more: object) -> bytes:
    """The body of a problem; `more` are its other members."""
    shown = detail if len(detail) <= MAX_DETAIL else detail[:MAX_DETAIL] + "…"
    body = {"type": f"/problems/{slug}", "title": title, "status": status, "detail": shown, **more}
    # Quoted input may contain half a surrogate pair, which only JSON's own escapes can represent.
    return json.dumps(body, ensure_ascii=False, default=to_builtins).encode("utf-8", "backslashreplace") + b"\n"


def problem(status: int, slug: str, title: str, detail: str, **more: object) -> Response:
    """A problem as a response; `more` are its extension members."""
    body = problem_json(status, slug, title, detail, instance=request.path, **more)
    return Response(body, status, content_type=MEDIA_TYPE)


def server_problem(status: int, detail: str) -> bytes:
    """The body of the problem of an error that the web server found, before there was a request."""
    return problem_json(status, *HTTP[status], detail)


def from_service(error: ServiceError, detail: str | None = None, pointer: str = "") -> Response:
    """The problem of an error. `detail` replaces its English message; `pointer` is where the input is wrong."""
    if isinstance(error, Invalid) and isinstance(error.__cause__, RecordsError) and error.slug == Invalid.slug:
        return from_records(error.__cause__, detail or error.message, pointer)
    more = {**error.more, **illegal_json(error)} if isinstance(error, Illegal) else dict(error.more)
    current = more.get("current")
    if isinstance(current, GameRow):
        more["current"] = CurrentJson.of(current)
    if error.status == 422 and "errors" not in more:
        more["errors"] = input_errors([(pointer, detail or error.message)])
    response = problem(error.status, error.slug, error.title, detail or error.message, **more)
    response.headers.update(error.headers)
    return response


def from_records(error: RecordsError, detail: str | None = None, pointer: str = "") -> Response:
    """The problem of an error of `records`; the type is that of its cause, so a tag's error names what is wrong."""
    fault = error.__cause__ if isinstance(error.__cause__, RecordsError) else error
    slug, title = next(named for kind, named in RECORDS.items() if isinstance(fault, kind))
    text, faults = detail or str(error), fault.faults if isinstance(fault, PositionError) else ()
    more = {"faults": list(faults)} if isinstance(fault, PositionError) else {}
    errors = input_errors((pointer, detail) for detail in faults or (text,))
    return problem(422, slug, title, text, errors=errors, **more)


def pointer(parts: Iterable[object]) -> str:
    """The JSON pointer (RFC 6901) to this place in a body."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def field_parts(field: str) -> list[str]:
    """The names and numbers in the path of an error's field: ``add[0].ply`` has three."""
    return re.findall(r"[^.\[\]]+", field)


def input_errors(faults: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    """The member `errors`: where each of these faults is, and what it is."""
    return [
        {"pointer": pointer[:MAX_ERROR], "detail": detail[:MAX_ERROR]} for pointer, detail in islice(faults, MAX_ERRORS)
    ]


def http_title(error: HTTPException) -> str:
    """The title of the problem of an error that Flask or Werkzeug raised."""
    return HTTP[error.code][1] if error.code in HTTP else error.name


def from_http(error: HTTPException) -> Response:
    """The problem of an error that Flask or Werkzeug raised."""
    status = error.code or 500
    slug, title = HTTP.get(status) or (error.name.lower().replace(" ", "-"), error.name)
    detail = error.description or title
    if status == 404:
        detail = f"There is nothing at {request.path[:MAX_QUOTED]!r}."
    elif isinstance(error, MethodNotAllowed):
        detail = (
            f"{request.method[:MAX_QUOTED]} is not allowed. Allowed: {', '.join(sorted(error.valid_methods or ()))}."
        )
    elif status == 413:
        detail = f"The body is larger than {request.max_content_length} bytes."
    elif status == 500:
        detail = INTERNAL
    response = problem(status, slug, title, detail)
    for name, value in error.get_headers(request.environ):
        if name.lower() in ("allow", "retry-after"):
            response.headers[name] = value
    return response
