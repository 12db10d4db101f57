"""Import and export of many games, as records in the notation (``.pmn``) or as lines of JSON (NDJSON).

Memory does not grow with the number of games.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from records import BadRecord, Game, Ply, RecordError, RecordsError, read_games
from records.json_codec import to_json
from service.errors import ServiceError
from service.storage import EVERYTHING, GameFilter, Store

from .repository import Games, NewGame
from .snapshot import GameSnapshot
from .state import DERIVED_TAGS, ending
from .write import Write

BATCH = 100  # games looked up, or stored in one transaction, at once
BATCH_EVENTS = 10_000  # events after which an import stores earlier
MANY = 1000  # imported games after which the database's statistics are updated
WINNERS = {"1-0": "South", "0-1": "North"}


def import_games(games: Games, lines: Iterable[bytes], most: int, write: Write) -> Iterator[dict[str, Any]]:
    """Store every good game of a text in the notation.

    Yields ``{"index", "ok": true, "id"}`` or ``{"index", "ok": false, "error"}`` for each game, once it is stored. At
    most `most` games are read.
    """
    return _import(games, ((game, 0) for game in read_games(lines)), most, write)


def import_lines(games: Games, lines: Iterable[bytes], most: int, write: Write) -> Iterator[dict[str, Any]]:
    """As `import_games`, for games that are a line of JSON each, as `export_ndjson` writes them.

    Their ``id`` is not used, and empty lines are skipped.
    """
    numbered = ((line, number) for number, line in enumerate(lines, 1) if line.strip())
    return _import(games, ((_read_line(line), number) for line, number in numbered), most, write)


def _read_line(line: bytes) -> Game:
    """The game of a line of JSON. If it cannot be read, its faults say why."""
    try:
        record = json.loads(line)
        if not isinstance(record, dict):
            raise RecordsError("expected an object, the record of a game")
        record.pop("id", None)
        return Game.from_json(record)
    except RecursionError:
        fault = "the line is JSON nested too deeply"
    except RecordsError as error:
        fault = str(error)
    except ValueError as error:
        fault = f"the line is not JSON: {error}"
    return Game({}, faults=(RecordError(fault),))


def _import(games: Games, records: Iterable[tuple[Game, int]], most: int, write: Write) -> Iterator[dict[str, Any]]:
    """Store games. Each comes with the number of its line, or 0 if its errors say the line."""
    batch: list[NewGame | dict[str, Any]] = []
    first, events, stored = 1, 0, 0
    for index, (game, line) in enumerate(records, 1):
        if index > most:
            batch.append(_failure(index, f"more than {most} games: the rest was not read"))
            break
        new = _prepare(games, index, game, line, write)
        if isinstance(new, NewGame):
            events += len(new.events)
            stored += 1
        batch.append(new)
        if len(batch) >= BATCH or events >= BATCH_EVENTS:
            yield from _store(games, batch, first)
            batch, first, events = [], index + 1, 0
    yield from _store(games, batch, first)
    if stored >= MANY:
        games.analyse()


def _prepare(games: Games, index: int, game: Game, line: int, write: Write) -> NewGame | dict[str, Any]:
    """The game that is to be stored, or the answer for one that is not."""
    if game.errors:
        first = game.errors[0]
        return _failure(index, first.message, line or first.line, first.column, first.ply, list(first.legal))
    try:
        return games.prepare(event_contents(game, write.source), write)
    except (RecordsError, ServiceError) as error:
        return _failure(index, str(error), line or None)


def _store(games: Games, batch: Sequence[NewGame | dict[str, Any]], first: int) -> Iterator[dict[str, Any]]:
    """Store new games together. If that fails, store each alone, so that every game gets its own answer."""
    new = [game for game in batch if isinstance(game, NewGame)]
    together = True
    try:
        if new:
            games.add_all(new)
    except ServiceError:
        together = False
    for index, game in enumerate(batch, first):
        if not isinstance(game, NewGame):
            yield game
            continue
        try:
            if not together:
                games.add_all([game])
            yield {"index": index, "ok": True, "id": game.row.id}
        except ServiceError as error:
            yield _failure(index, str(error))


def event_contents(game: Game, source: str) -> list[tuple[str, dict[str, Any], str]]:
    """The (kind, data, source) of the events of a record.

    :raises BadRecord: the record has errors.
    """
    if game.errors:
        raise BadRecord(game.errors)
    rules, replay, tags = game.rules(), game.replay(), game.tags
    texts = list(map(str, replay.positions))
    created: dict[str, Any] = {
        "game": rules.id,
        "options": dict(rules.changed),
        "setup": tags.get("Setup"),
        "tags": {name: value for name, value in tags.items() if name not in DERIVED_TAGS},
        "comments": list(game.comments),
        "position": texts[0],
    }
    contents = [("created", created, source)]
    for number, (ply, text) in enumerate(zip(game.plies, texts[1:], strict=True), 1):
        contents.append(("turn", {"ply": number, "turn": _turn_data(ply), "position": text}, source))
    result, termination = tags.get("Result", "*"), tags.get("Termination")
    if rules.outcome(replay.positions[-1]) is not None and replay.outcome is not None:
        contents.append(("ended", ending(replay.outcome), "rules"))
    elif result != "*" or termination is not None:
        data: dict[str, Any] = {
            "termination": termination,
            "winner": WINNERS.get(result),
            "result": result,
            "score": _parse_score(tags.get("Score")),
            "by": "",
        }
        contents.append(("ended", data, source))
    return contents


def _turn_data(ply: Ply) -> dict[str, Any]:
    """A turn as in the JSON of a record."""
    return {
        "move": str(ply.move),
        "nags": list(ply.nags),
        "comments": list(ply.comments),
        "variations": to_json(ply)["variations"] if ply.variations else [],
    }


def _parse_score(text: str | None) -> list[int] | None:
    south, _, north = (text or "").partition("-")
    return [int(south), int(north)] if south.isdigit() and north.isdigit() else None


def _failure(
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
    """The records of the games that match, in the notation, with an empty line between them."""
    between = ""
    for snapshot in _matching(games, store, where):
        yield between + snapshot.pmn()
        between = "\n"


def export_ndjson(games: Games, store: Store, where: GameFilter) -> Iterator[str]:
    """The records of the games that match, each as a line of JSON with its id."""
    for snapshot in _matching(games, store, where):
        yield json.dumps({"id": snapshot.id, **snapshot.record.to_json()}, ensure_ascii=False) + "\n"


def _matching(games: Games, store: Store, where: GameFilter) -> Iterator[GameSnapshot]:
    """The games that match. All games come in the order they were stored in, which no change affects."""
    after, cursor = 0, None
    while True:
        if where == EVERYTHING:
            with store.reading() as transaction:
                numbered = transaction.games.numbered(after, BATCH)
            ids = [game_id for _, game_id in numbered]
            after = numbered[-1][0] if numbered else after
        else:
            rows, cursor = games.page(BATCH, cursor, where)
            ids = [row.id for row in rows]
        yield from map(games.load, ids)
        if not ids or (where != EVERYTHING and cursor is None):
            return
