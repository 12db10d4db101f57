"""``/games/export``, ``/games.csv`` and ``/turns.csv``: games as a stream of records, and as tables of data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from flask import Response, request
from flask.typing import ResponseReturnValue

from inkeek.records import Game, write_game
from inkeek.records.game import write_json_line
from inkeek.service.games.library import transfer
from inkeek.service.games.library.data import csv_of, describe
from inkeek.service.games.library.pseudonyms import (
    NOBODY,
    names_wanted,
    pseudonym_maker,
    tags_for_export,
    without_names,
)
from inkeek.service.games.snapshot import GameSnapshot
from inkeek.service.http.answers.annotations import ExportedJson
from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.api.games.schemas import DataFilterSchema, ExportSchema
from inkeek.service.http.api.games.views import CSV, NDJSON, PMN, game_filter
from inkeek.service.http.api.responses import respond_bytes, to_json, while_allowed
from inkeek.service.http.context import current_services
from inkeek.service.http.names import hidden_names, shown_tags

CSVW = "application/csvm+json"
TABLE: dict[str, Any] = {
    "scope": "read",
    "limited": True,
    "query": DataFilterSchema,
    "problems": (409, 507),
    "sends": {CSV: ()},
    "headers": ("Content-Disposition", "Link"),
}
DESCRIPTION: dict[str, Any] = {"scope": "read", "limited": True, "sends": {CSVW: ()}, "conditional": True}

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


@blueprint.operation("GET", "/games.csv", **TABLE)
def get_games_table(query: dict[str, Any]) -> ResponseReturnValue:
    """Get the games that match as CSV, a row a game."""
    return _table("games", query)


@blueprint.operation("GET", "/turns.csv", **TABLE)
def get_turns_table(query: dict[str, Any]) -> ResponseReturnValue:
    """Get the turns of the games that match as CSV, a row a turn."""
    return _table("turns", query)


@blueprint.operation("GET", "/games.csv-metadata.json", **DESCRIPTION)
def describe_games_table() -> ResponseReturnValue:
    """Get the columns of `games.csv`, as CSV on the Web (W3C) describes them."""
    return respond_bytes(to_json(describe("games")), 200, CSVW, {})


@blueprint.operation("GET", "/turns.csv-metadata.json", **DESCRIPTION)
def describe_turns_table() -> ResponseReturnValue:
    """Get the columns of `turns.csv`, as CSV on the Web (W3C) describes them."""
    return respond_bytes(to_json(describe("turns")), 200, CSVW, {})


def _table(name: str, query: dict[str, Any]) -> Response:
    services, hidden = current_services(), hidden_names()
    pseudonym = pseudonym_maker(services.store, services.settings.data_folder)

    def shown(tags: Mapping[str, str]) -> Mapping[str, str] | None:
        kept = tags_for_export(tags, pseudonym, query["names"])
        return kept if kept is None else shown_tags(kept, hidden=hidden)

    lines = csv_of(name, services.games, game_filter(query), shown)
    response = Response(while_allowed(lines), content_type=f"{CSV}; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    response.headers["Link"] = f'<{name}.csv-metadata.json>; rel="describedby"; type="{CSVW}"'
    return response


def _lines(query: dict[str, Any]) -> Response:
    found = _games(query)
    lines = (write_json_line(record, id=game.id, cursor=cursor) for cursor, game, record in found)
    return Response(while_allowed(lines), content_type=NDJSON)


def _records(query: dict[str, Any]) -> Response:
    texts = (write_game(Game.from_json(record)) for _, _, record in _games(query, has_ids=True))
    records = (("\n" if number else "") + text for number, text in enumerate(texts))
    response = Response(while_allowed(records), content_type=f"{PMN}; charset=utf-8")
    response.headers["Content-Disposition"] = 'inline; filename="games.pmn"'
    return response


def _games(query: dict[str, Any], *, has_ids: bool = False) -> Iterator[tuple[str, GameSnapshot, dict[str, Any]]]:
    """The games with their cursors and records, as the query and the tag `Consent` of each game want them. With
    `has_ids` records have the ids of the games as tags, unless they have no names: an id says who played."""
    services = current_services()
    pseudonym = pseudonym_maker(services.store, services.settings.data_folder)
    found = transfer.export_games(services.games, game_filter(query), query["cursor"])

    def records() -> Iterator[tuple[str, GameSnapshot, dict[str, Any]]]:
        for cursor, game in found:
            wanted = names_wanted(game.row.tags, query["names"])
            if wanted == NOBODY:
                continue
            record = transfer.with_entries(game.state) if query["entered"] else game.state.record_json
            if wanted:
                record = without_names(record, pseudonym)
            elif has_ids:
                record = transfer.with_id(record, game.id)
            yield cursor, game, record

    return records()
