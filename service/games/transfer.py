"""Storing the games of a ``.pmn`` file, or of lines of JSON, each whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from records import BadRecord, Game, RecordError, RecordsError, read_games
from service.errors import ServiceError
from service.storage import EVERYTHING, GameFilter, Store

from .repository import Games, NewGame
from .snapshot import GameSnapshot
from .state import DERIVED_TAGS, ending
from .write import Write

BATCH = 100  # games read, or stored in one transaction, at once
BATCH_EVENTS = 10_000  # events after which a transaction is closed earlier
MANY = 1000  # games, after which the database looks anew at how its tables are filled
WINNERS = {"1-0": "South", "0-1": "North"}


def import_games(games: Games, lines: Iterable[bytes], most: int, write: Write) -> Iterator[dict[str, Any]]:
    """Store every good game of a text in the notation and tell of each: ``{"index", "ok", "id"}`` or ``{"index", "ok",
    "error"}``.

    `source` is that of the events. Of a game it is told when it is stored, many of them together. After `most` games it
    says so and stops; what was stored stays.
    """
    return _imported(games, ((game, 0) for game in read_games(lines)), most, write)


def import_lines(games: Games, lines: Iterable[bytes], most: int, write: Write) -> Iterator[dict[str, Any]]:
    """The same for games that are a line of JSON each, as `exports.export_ndjson` writes them; the ``id`` there is that
    of another store, and is passed over. Empty lines count for nothing."""
    numbered = ((line, number) for number, line in enumerate(lines, 1) if line.strip())
    return _imported(games, ((_read(line), number) for line, number in numbered), most, write)


def _read(line: bytes) -> Game:
    """The game that a line of JSON is; what is wrong with one that is none stands in its faults."""
    try:
        told = json.loads(line)
        if not isinstance(told, dict):
            raise RecordsError("expected an object, the record of a game")
        told.pop("id", None)
        return Game.from_json(told)
    except RecursionError:
        fault = "the line is JSON nested too deeply"
    except RecordsError as error:
        fault = str(error)
    except ValueError as error:
        fault = f"the line is no JSON: {error}"
    return Game({}, faults=(RecordError(fault),))


def _imported(games: Games, read: Iterable[tuple[Game, int]], most: int, write: Write) -> Iterator[dict[str, Any]]:
    """Store games, each read from a line with that number, 0 where its errors tell the line."""
    batch: list[tuple[int, NewGame | dict[str, Any]]] = []
    events = stored = 0
    for index, (game, line) in enumerate(read, 1):
        if index > most:
            batch.append((index, _failed(index, f"more than {most} games: the rest was not read")))
            break
        one = _prepared(games, index, game, line, write)
        events += len(one.events) if isinstance(one, NewGame) else 0
        stored += isinstance(one, NewGame)
        batch.append((index, one))
        if len(batch) >= BATCH or events >= BATCH_EVENTS:
            yield from _stored(games, batch)
            batch, events = [], 0
    yield from _stored(games, batch)
    if stored >= MANY:
        games.analyse()


def _prepared(games: Games, index: int, game: Game, line: int, write: Write) -> NewGame | dict[str, Any]:
    """The game that is to be stored, or what is to be told of one that is not."""
    if game.errors:
        first = game.errors[0]
        return _failed(index, first.message, line or first.line, first.column, first.ply, list(first.legal))
    try:
        return games.prepare(contents_of(game, write.source), write.actor)
    except (RecordsError, ServiceError) as error:
        return _failed(index, str(error), line or None)


def _stored(games: Games, batch: Sequence[tuple[int, NewGame | dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    """Store what can be, together; if that fails each alone, so that every game gets its own answer."""
    new = [one for _, one in batch if isinstance(one, NewGame)]
    try:
        if new:
            games.add_all(new)
        together = True
    except ServiceError:
        together = False
    for index, one in batch:
        if not isinstance(one, NewGame):
            yield one
            continue
        try:
            if not together:
                games.add_all([one])
            yield {"index": index, "ok": True, "id": one.row.id}
        except ServiceError as error:
            yield _failed(index, str(error))


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


def export_pmn(games: Games, store: Store, where: GameFilter) -> Iterator[str]:
    """The records of the games that fit, in the notation, an empty line between two."""
    between = ""
    for loaded in _loaded(games, store, where):
        yield between + loaded.pmn()
        between = "\n"


def export_ndjson(games: Games, store: Store, where: GameFilter) -> Iterator[str]:
    """The records of the games that fit, each as a line of JSON with its id."""
    for loaded in _loaded(games, store, where):
        yield json.dumps({"id": loaded.id, **loaded.record.to_json()}, ensure_ascii=False) + "\n"


def _loaded(games: Games, store: Store, where: GameFilter) -> Iterator[GameSnapshot]:
    for batch in _ids(games, store, where):
        for game_id in batch:
            yield games.load(game_id)


def _ids(games: Games, store: Store, where: GameFilter) -> Iterator[list[str]]:
    """The ids of the games that fit; all games come in the order they were stored in, which no change upsets."""
    if where == EVERYTHING:
        after = 0
        while True:
            with store.reading() as transaction:
                numbered = transaction.games.numbered(after, BATCH)
            if not numbered:
                return
            yield [game_id for _, game_id in numbered]
            after = numbered[-1][0]
    cursor: str | None = None
    while True:
        rows, cursor = games.page(BATCH, cursor, where)
        yield [row.id for row in rows]
        if cursor is None:
            return
