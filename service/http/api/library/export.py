"""``/games/export``: the records of games as a stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flask import Response, request
from flask.typing import ResponseReturnValue

from records.json_lines import write_json_line
from service.games.library import transfer
from service.games.snapshot import GameSnapshot
from service.http.answers.annotations import ExportedJson
from service.http.api.blueprint import ApiBlueprint
from service.http.api.games.schemas import ExportSchema
from service.http.api.games.views import NDJSON, PMN, game_filter
from service.http.api.responses import while_allowed
from service.http.context import current_services

blueprint = ApiBlueprint("export", "Records as a stream.")


@blueprint.operation(
    "GET",
    "/games/export",
    scope="read",
    limited=True,
    query=ExportSchema,
    problems=(409, 507),
    sends={NDJSON: (ExportedJson,), PMN: ()},
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
    query=ExportSchema,
    problems=(409, 507),
    sends={NDJSON: (ExportedJson,)},
)
def export_lines(query: dict[str, Any]) -> ResponseReturnValue:
    """Export the games that match as JSON records with ids."""
    return _lines(query)


@blueprint.operation(
    "GET",
    "/games/export.pmn",
    scope="read",
    limited=True,
    query=ExportSchema,
    problems=(409, 507),
    sends={PMN: ()},
    headers=("Content-Disposition",),
)
def export_records(query: dict[str, Any]) -> ResponseReturnValue:
    """Export the games that match in the notation."""
    return _records(query)


def _lines(query: dict[str, Any]) -> Response:
    found = _games(query)
    lines = (write_json_line(game.state.record_json, id=game.id, cursor=cursor) for cursor, game in found)
    return Response(while_allowed(lines), content_type=NDJSON)


def _records(query: dict[str, Any]) -> Response:
    records = (("\n" if number else "") + game.pmn() for number, (_, game) in enumerate(_games(query)))
    response = Response(while_allowed(records), content_type=f"{PMN}; charset=utf-8")
    response.headers["Content-Disposition"] = 'inline; filename="games.pmn"'
    return response


def _games(query: dict[str, Any]) -> Iterator[tuple[str, GameSnapshot]]:
    return transfer.export_games(current_services().games, game_filter(query), query["cursor"])
