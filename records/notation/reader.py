"""The reader: a file of any size as a stream, one game at a time, in memory that does not grow with the file.

`cut` cuts the lines into records, this reads their tags, `movetext` their moves; `visitors` make something of what they
are told. Every record costs time in proportion to its length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import IO, Any, TypeVar

from records.game import Game, RecordError, Source

from .movetext import line_end, read_movetext
from .splitter import PLAIN_TAG, TAG, RecordText, split_records
from .tags import MAX_VALUE, NAME, is_value
from .visitors import GameBuilder, Visitor

T = TypeVar("T")

MAX_FAULTS = 20  # told of the tags of one record
_ESCAPED = re.compile(r"\\(.)")


def read_games(source: IO[str] | IO[bytes] | Iterable[str] | Iterable[bytes]) -> Iterator[Game]:
    """Read games from a file or any lines, each as far as it can be read: `Game.errors` tells what is wrong.

    Bytes are taken as UTF-8. An empty source has no games.
    """
    return visit_games(source, GameBuilder)


def visit_games(
    source: IO[str] | IO[bytes] | Iterable[str] | Iterable[bytes], make: Callable[[Source, int], Visitor[T]]
) -> Iterator[T]:
    """What a visitor makes of each record: `TagsBuilder`, `CountsBuilder`, `GameBuilder` or your own."""
    for index, piece in enumerate(split_records(source)):
        yield read_piece(piece, index, make)


@dataclass(frozen=True, slots=True)
class GameLocation:
    """Where a record stands in a file: which it is (from 0), its first line (from 1), offset and length in bytes."""

    index: int
    first_line: int
    offset: int
    length: int


def index_games(file: IO[bytes]) -> Iterator[GameLocation]:
    """Where the records of a file stand; its moves are not read. `read_game_at` reads one of them."""
    for index, piece in enumerate(split_records(file)):
        yield GameLocation(index, piece.first_line, piece.offset, piece.length)


def read_game_at(file: IO[bytes], place: GameLocation) -> Game:
    """Read the record at a place that `index_games` told of the same file.

    :raises ValueError: there is no record, or not one alone: the file has changed since.
    """
    file.seek(place.offset)
    pieces = list(split_records(BytesIO(file.read(place.length)), place.first_line))
    if len(pieces) != 1:
        raise ValueError(f"{len(pieces)} records where record {place.index + 1} of the file was: it has changed since")
    return read_piece(pieces[0], place.index, GameBuilder)


def parse_record(text: str) -> Game:
    """Read the text of one record."""
    return read_piece(RecordText(1, text, None, 0, len(text)), 0, GameBuilder)


def read_piece(piece: RecordText, index: int, make: Callable[[Source, int], Visitor[T]]) -> T:
    """What a visitor makes of a record that was cut out."""
    source = Source(piece.text, piece.first_line)
    visitor: Visitor[Any] = make(source, index)
    tags, at, faults = _parse_tags(source)
    for fault in faults:
        visitor.fault(fault)
    wanted = visitor.tags(tags)
    if piece.fault is not None:
        visitor.fault(piece.fault)
    fault_there = read_movetext(source, at, visitor) if wanted else None
    if fault_there is not None:
        visitor.fault(fault_there)
    made: T = visitor.done()
    return made


def _parse_tags(source: Source) -> tuple[dict[str, str], int, list[RecordError]]:
    """The tag pairs, where the movetext begins, and the faults."""
    tags: dict[str, str] = {}
    faults: list[RecordError] = []
    text, at = source.text, 0

    def fault(message: str, where: int) -> None:
        if len(faults) < MAX_FAULTS:  # each costs a look at all that stands before it
            faults.append(RecordError(message, *source.place(where)))

    while at < len(text):
        plain = PLAIN_TAG.match(text, at)
        if plain is not None and plain[1] not in tags and len(plain[2]) <= MAX_VALUE:
            tags[plain[1]] = plain[2]
            at = plain.end()
        elif text[at].isspace():
            at += 1
        elif text[at] == "%" and (at == 0 or text[at - 1] == "\n"):
            at = line_end(text, at)
        elif text[at] != "[":
            break
        else:
            match = TAG.match(text, at)
            if match is None:
                end = line_end(text, at)
                fault(f'{text[at : min(end, at + 60)].rstrip()!r} is not a tag: expected [Name "value"]', at)
                at = end
                continue
            name, value = match[1], _ESCAPED.sub(r"\1", match[2])
            if not NAME.fullmatch(name):
                fault(f"{name[:60]!r} is not a tag's name: expected a letter, then letters, digits or _", at)
            elif name in tags:
                fault(f"the tag {name} is given twice", at)
            elif not is_value(value):
                fault(f"the value of {name} is longer than {MAX_VALUE} characters or a line", at)
            else:
                tags[name] = value
            at = match.end()
    return tags, at, faults
