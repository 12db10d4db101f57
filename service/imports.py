"""Storing the games of a ``.pmn`` file, each whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from records import BadRecord, Game, RecordsError, read_games

from .errors import ServiceError
from .fold import DERIVED_TAGS, ending
from .games import Games

WINNERS = {"1-0": "South", "0-1": "North"}


def import_games(games: Games, lines: Iterable[bytes], most: int, source: str) -> Iterator[dict[str, Any]]:
    """Store every good game and tell of each: ``{"index", "ok", "id"}`` or ``{"index", "ok", "error"}``.

    `source` is that of the events. After `most` games it says so and stops; what was stored stays.
    """
    for index, game in enumerate(read_games(lines), 1):
        if index > most:
            yield _failed(index, f"more than {most} games: the rest was not read")
            return
        yield _import_one(games, index, game, source)


def _import_one(games: Games, index: int, game: Game, source: str) -> dict[str, Any]:
    if game.errors:
        first = game.errors[0]
        return _failed(index, first.message, first.line, first.column, first.ply, [str(m) for m in first.legal])
    try:
        row = games.add(contents_of(game, source), "")
    except (RecordsError, ServiceError) as error:
        return _failed(index, str(error))
    return {"index": index, "ok": True, "id": row.id}


def contents_of(game: Game, source: str) -> list[tuple[str, dict[str, Any], str]]:
    """The (kind, data, source) of the events that tell a record; `source` says where it came from.

    :raises BadRecord: the record does not hold.
    """
    if game.errors:
        raise BadRecord(game.errors)
    rules, replay = game.rules(), game.replay()
    tags = game.tags
    told = game.to_json()
    created = {
        "game": rules.id,
        "options": dict(rules.changed),
        "setup": tags.get("Setup"),
        "tags": {name: value for name, value in tags.items() if name not in DERIVED_TAGS},
        "comments": told["comments"],
        "position": str(replay.positions[0]),
    }
    contents = [("created", created, source)]
    for ply, (turn, position) in enumerate(zip(told["plies"], replay.positions[1:], strict=True), 1):
        contents.append(("turn", {"ply": ply, "turn": turn, "position": str(position)}, source))
    result, termination = tags.get("Result", "*"), tags.get("Termination")
    if rules.outcome(replay.positions[-1]) is not None and replay.outcome is not None:
        contents.append(("ended", ending(replay.outcome), "rules"))
    elif result != "*" or termination is not None:
        data = {
            "termination": termination,
            "winner": WINNERS.get(result),
            "result": result,
            "score": _score(tags.get("Score")),
            "by": "",
        }
        contents.append(("ended", data, source))
    return contents


def _score(text: str | None) -> list[int] | None:
    if text is None:
        return None
    south, _, north = text.partition("-")
    return [int(south), int(north)] if south.isdigit() and north.isdigit() else None


def _failed(
    index: int,
    message: str,
    line: int | None = None,
    column: int | None = None,
    ply: int | None = None,
    legal: list[str] | None = None,
) -> dict[str, Any]:
    error = {"line": line, "column": column, "ply": ply, "message": message, "legal": legal or []}
    return {"index": index, "ok": False, "error": error}
