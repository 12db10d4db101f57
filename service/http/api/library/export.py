"""``/games/export``: the records of games as a stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flask import Response, request
from flask.typing import ResponseReturnValue

from records import Game, write_game
from records.json_lines import write_json_line
from service.games.library import transfer
from service.games.library.pseudonyms import CONSENT, NOBODY, PSEUDONYMS, pseudonym_maker, without_names
from service.games.record_check import ID_TAG
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
    lines = (write_json_line(record, id=game.id, cursor=cursor) for cursor, game, record in found)
    return Response(while_allowed(lines), content_type=NDJSON)


def _records(query: dict[str, Any]) -> Response:
    texts = (write_game(_with_id(game, record)) for _, game, record in _games(query))
    records = (("\n" if number else "") + text for number, text in enumerate(texts))
    response = Response(while_allowed(records), content_type=f"{PMN}; charset=utf-8")
    response.headers["Content-Disposition"] = 'inline; filename="games.pmn"'
    return response


def _with_id(game: GameSnapshot, record: dict[str, Any]) -> Game:
    """The record with the id of the game, unless it has no names: an id says who played."""
    is_whole = record is game.state.record_json
    return game.record.with_tags(**{ID_TAG: game.id}) if is_whole else Game.from_json(record)


def _games(query: dict[str, Any]) -> Iterator[tuple[str, GameSnapshot, dict[str, Any]]]:
    """The games with their cursors and records, as the query and the tag `Consent` of each game want them."""
    services = current_services()
    pseudonym = pseudonym_maker(services.store, services.settings.data_folder)
    found = transfer.export_games(services.games, game_filter(query), query["cursor"])

    def records() -> Iterator[tuple[str, GameSnapshot, dict[str, Any]]]:
        for cursor, game in found:
            consent = game.row.tags.get(CONSENT)
            if consent == NOBODY:
                continue
            record = game.state.record_json
            wanted = PSEUDONYMS in (query["names"], consent)
            yield cursor, game, without_names(record, pseudonym) if wanted else record

    return records()
