"""The record of a game, with everything that follows from it. `docs/notation.md` describes the tags."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice
from typing import Any

import msgspec

from .errors import ErrorText, MoveSyntaxError, RecordsError, message_of
from .json_codec import JsonError, from_json, json_fields, to_json
from .moves import Turn
from .notation.movetext import bare_ply
from .notation.tags import rules_of, tag_warnings
from .people import People, people
from .position import Position
from .record import MAX_NESTING, Ply, Record, RecordError
from .replay import Replay, replay
from .rules.play import Rules
from .text import hidden_error, hidden_in, utf8_error, utf8_fault

MAX_HIDDEN = 20  # characters listed
_NOTHING: dict[str, list[object]] = {"nags": [], "comments": [], "variations": []}


@json_fields("tags", "comments", "plies", "ended")
@dataclass(frozen=True)
class Game(Record):
    """A record of a game. It may contain errors: `errors` lists them, and `replay` goes as far as the record is right.

    `faults` are what the reader could not read. `index` is the number of the record in its file, from 0. If the record
    is `strict`, warnings count as errors.
    """

    faults: tuple[RecordError, ...] = ()
    index: int = field(default=0, compare=False)
    strict: bool = field(default=False, compare=False)

    def __hash__(self) -> int:
        return hash((frozenset(self.tags.items()), self.plies, self.comments, self.ended))

    def __iter__(self) -> Iterator[Turn]:
        """The turns of the main line, as far as it is right."""
        return iter(self._replay.turns)

    def __repr__(self) -> str:
        game, south, north, result = (self.tags.get(tag, "?")[:40] for tag in ("Game", "South", "North", "Result"))
        return f"<Game {game!r}: {south!r} and {north!r}, {result}, {len(self.plies)} plies>"

    @cached_property
    def _replay(self) -> Replay:
        return replay(self)

    def replay(self) -> Replay:
        """Every position and turn of the main line, as far as it is right."""
        return self._replay

    @property
    def errors(self) -> tuple[RecordError, ...]:
        """What could not be read; or, if all was read, what the rules or the tags forbid."""
        return self.faults or self._replay.errors or (self.problems if self.strict else ())

    @property
    def problems(self) -> tuple[RecordError, ...]:
        """The errors; or of a record without, what does not fit together in it though it may only not have been written
        down: a result that follows from the game, other tags, and people."""
        if self.faults or self._replay.errors:
            return self.faults or self._replay.errors
        found = [RecordError(text, code=code) for code, text in tag_warnings(self.tags, self.rules()).items()]
        if any("[%" in comment for comment in chain(self.comments, *(ply.comments for ply in self.plies))):
            found += [RecordError(fault.message, ply=fault.ply, code="people") for fault in self.people().faults]
        return (*self._replay.warnings, *found, *self._hidden())

    def _hidden(self) -> Iterator[RecordError]:
        if self.source is not None and not self.source.text.isascii():
            for at in islice(hidden_in(self.source.text), MAX_HIDDEN):
                error = hidden_error(self.source.text[at])
                yield RecordError(error, *self.source.place(at), code="hidden-character")

    def rules(self) -> Rules:
        """The rules that the tags name.

        :raises RecordsError: the tags name no game, or impossible options.
        """
        return rules_of(self.tags)

    def start(self) -> Position:
        """The position before the first turn.

        :raises RecordsError: the tags do not determine it.
        """
        return self.rules().start()

    def people(self) -> People:
        """Who was in which team when, who made the moves, and what was tried, retracted and disputed.

        :raises RecordsError: the tags name impossible teams.
        """
        return people(self, lambda: self._replay.turns)

    def warnings(self) -> tuple[str, ...]:
        """The `problems` that are only warnings, as texts."""
        return tuple(problem.note for problem in self.problems if problem.severity == "warning")

    def with_tags(self, **tags: str) -> Game:
        """The same record with some tags changed or added."""
        return replace(self, tags={**self.tags, **tags})

    def to_json(self) -> dict[str, Any]:
        """The record as plain values, without loss; `from_json` reads it back."""
        data: dict[str, Any] = to_json(self)
        return data

    @classmethod
    def from_json(cls, data: object) -> Game:
        """Read what `to_json` made.

        :raises JsonError: the values are not a record; its `path` says where.
        """
        if isinstance(data, dict) and isinstance(data.get("plies"), list):
            data = {**data, "plies": list(map(_plain_ply, data["plies"]))}
        game = from_json(data, cls)
        branching, depth = _branching(game.plies), 0
        while branching and depth < MAX_NESTING:
            branching = _branching(inner for ply in branching for line in ply.variations for inner in line.plies)
            depth += 1
        if branching:
            raise JsonError("plies", f"variations are nested more than {MAX_NESTING} deep")
        return game


def _plain_ply(ply: object) -> object:
    """The ply of a JSON object with a move and nothing else, in a tenth of the time; any other value as it is."""
    if isinstance(ply, dict) and ply == {**_NOTHING, "move": ply.get("move")}:
        with suppress(MoveSyntaxError, TypeError):  # said with the path to it
            return bare_ply(ply["move"])
    return ply


def _branching(plies: Iterable[Ply]) -> list[Ply]:
    return [ply for ply in plies if ply.variations]


# Records as lines of JSON (NDJSON), one game a line: as `Game.to_json`, with other members that a writer adds.

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
