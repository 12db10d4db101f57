"""``/games/export``: the records of games as a stream."""

from __future__ import annotations

from typing import Any

from flask import Response, request
from flask.typing import ResponseReturnValue

from service.games.transfer import export_ndjson, export_pmn
from service.http.context import current_services

from .games import NDJSON, PMN, game_filter
from .schemas import FilterSchema
from .smorest import ApiBlueprint

blueprint = ApiBlueprint("export", "Records as a stream.")


@blueprint.operation(
    "GET",
    "/games/export",
    scope="read",
    limited=True,
    query=FilterSchema,
    description="a JSON object per line, a line per game; or the notation",
    content_type=NDJSON,
)
def export(query: dict[str, Any]) -> ResponseReturnValue:
    """Export the games that match, as JSON records with ids, or in the notation if ``Accept`` prefers that."""
    best = request.accept_mimetypes.best_match([NDJSON, PMN], default=NDJSON)
    return _records(query) if best == PMN else _lines(query)


@blueprint.operation(
    "GET",
    "/games/export.ndjson",
    scope="read",
    limited=True,
    query=FilterSchema,
    description="one JSON object per line, one line per game",
    content_type=NDJSON,
)
def export_lines(query: dict[str, Any]) -> ResponseReturnValue:
    """Export the games that match as JSON records with ids."""
    return _lines(query)


@blueprint.operation(
    "GET",
    "/games/export.pmn",
    scope="read",
    limited=True,
    query=FilterSchema,
    description="the records in the notation",
    content_type=PMN,
)
def export_records(query: dict[str, Any]) -> ResponseReturnValue:
    """Export the games that match in the notation."""
    return _records(query)


def _lines(query: dict[str, Any]) -> Response:
    services, where = current_services(), game_filter(query)
    return Response(export_ndjson(services.games, services.store, where), content_type=NDJSON)


def _records(query: dict[str, Any]) -> Response:
    services, where = current_services(), game_filter(query)
    response = Response(export_pmn(services.games, services.store, where), content_type=f"{PMN}; charset=utf-8")
    response.headers["Content-Disposition"] = 'inline; filename="games.pmn"'
    return response
