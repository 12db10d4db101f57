"""``/games/export``: the records of games as a stream."""

from __future__ import annotations

from typing import Any

from flask import Response, request
from flask.typing import ResponseReturnValue

from service.games.transfer import export_ndjson, export_pmn
from service.http.context import current_services

from .blueprint import ApiBlueprint
from .games import NDJSON, PMN, game_filter
from .schemas import FilterSchema
from .stream_schemas import ExportedSchema

blueprint = ApiBlueprint("export", "Records as a stream.")


@blueprint.operation(
    "GET",
    "/games/export",
    scope="read",
    limited=True,
    query=FilterSchema,
    sends={NDJSON: (ExportedSchema,), PMN: ()},
    headers=("Content-Disposition",),
)
def export_games(query: dict[str, Any]) -> ResponseReturnValue:
    """Export the games that match, as JSON records with ids, or in the notation if ``Accept`` prefers that."""
    best = request.accept_mimetypes.best_match([NDJSON, PMN], default=NDJSON)
    return _records(query) if best == PMN else _lines(query)


@blueprint.operation(
    "GET",
    "/games/export.ndjson",
    scope="read",
    limited=True,
    query=FilterSchema,
    sends={NDJSON: (ExportedSchema,)},
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
    sends={PMN: ()},
    headers=("Content-Disposition",),
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
