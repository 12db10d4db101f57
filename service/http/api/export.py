"""``/games/export``: the records of games as a stream."""

from __future__ import annotations

from typing import Any

from flask import Response, request
from flask.typing import ResponseReturnValue
from marshmallow import RAISE

from service.games.transfer import export_ndjson, export_pmn
from service.http import services

from .games import NDJSON, PMN, wanted
from .schemas import FilterSchema
from .smorest import blueprint as make_blueprint

blueprint = make_blueprint("export", "Records as a stream.")


@blueprint.route("/games/export")
@blueprint.needs("read")
@blueprint.arguments(FilterSchema, location="query", unknown=RAISE)
@blueprint.response(200, description="one JSON object a line, one line a game; or the notation", content_type=NDJSON)
def export(asked: dict[str, Any]) -> ResponseReturnValue:
    """The games that fit, each as its record with its id; in the notation when ``Accept`` asks for it."""
    best = request.accept_mimetypes.best_match([NDJSON, PMN], default=NDJSON)
    return _records(asked) if best == PMN else _lines(asked)


@blueprint.route("/games/export.ndjson")
@blueprint.needs("read")
@blueprint.arguments(FilterSchema, location="query", unknown=RAISE)
@blueprint.response(200, description="one JSON object a line, one line a game", content_type=NDJSON)
def export_lines(asked: dict[str, Any]) -> ResponseReturnValue:
    """The games that fit, each as its record with its id."""
    return _lines(asked)


@blueprint.route("/games/export.pmn")
@blueprint.needs("read")
@blueprint.arguments(FilterSchema, location="query", unknown=RAISE)
@blueprint.response(200, description="the records in the notation", content_type=PMN)
def export_records(asked: dict[str, Any]) -> ResponseReturnValue:
    """The records of the games that fit, in the notation."""
    return _records(asked)


def _lines(asked: dict[str, Any]) -> Response:
    parts, where = services.parts(), wanted(asked)
    return Response(export_ndjson(parts.games, parts.store, where), content_type=NDJSON)


def _records(asked: dict[str, Any]) -> Response:
    parts, where = services.parts(), wanted(asked)
    response = Response(export_pmn(parts.games, parts.store, where), content_type=f"{PMN}; charset=utf-8")
    response.headers["Content-Disposition"] = 'inline; filename="games.pmn"'
    return response
