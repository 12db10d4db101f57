"""Records as lines of JSON (NDJSON), one game a line: as `Game.to_json`, with other members that a writer adds."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from .errors import ErrorText, RecordsError, message_of
from .game import Game
from .record import RecordError
from .text import utf8_error, utf8_fault

ADDED = ("id", "cursor")  # members that the service adds to the lines of its exports


def read_json_lines(lines: Iterable[bytes]) -> Iterator[tuple[Game, int]]:
    """Read the game of each line that is not empty, with the line's number, from 1; members in `ADDED` are ignored.

    A line that cannot be read is a game whose faults say why.
    """
    for line, number in numbered_lines(lines):
        yield read_json_line(line, number), number


def numbered_lines(lines: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
    """Each line that is not empty, without byte order marks, with its number, from 1."""
    bare = ((line.lstrip(BOM_UTF8), number) for number, line in enumerate(lines, 1))
    return ((line, number) for line, number in bare if line.strip())


def read_json_line(line: bytes, number: int) -> Game:
    """Read the game of a line; its `id` becomes the tag `GameId`."""
    try:
        record: Any = msgspec.json.decode(line)
        if not isinstance(record, dict):
            raise RecordsError(ErrorText("expected an object, the record of a game"))
        game = Game.from_json({name: value for name, value in record.items() if name not in ADDED})
        return game.with_tags(GameId=record["id"]) if isinstance(record.get("id"), str) else game
    except RecursionError:
        fault: str = ErrorText("the line is JSON nested too deeply")
    except RecordsError as error:
        fault = message_of(error)
    except ValueError as error:
        at = utf8_fault(line)
        if at is not None:
            return Game({}, faults=(RecordError(utf8_error(line, at), number, at + 1, code="not-utf-8"),))
        fault = ErrorText("the line is not JSON: %(why)s", why=str(error))
    return Game({}, faults=(RecordError(fault, number, code="bad-json"),))


def write_json_line(record: Mapping[str, Any], **added: str) -> bytes:
    """The line of the JSON of a game (`Game.to_json`), with members that `read_json_lines` ignores."""
    return msgspec.json.encode({**added, **record}) + b"\n"
