"""The reader: a file of any size as a stream of games, in memory that does not grow with the file.

`splitter` splits the lines into records, this module reads their tags, `movetext` their moves, and visitors make
something of them. Reading takes time in proportion to the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from inkeek.records.errors import ErrorText, RecordsError, message_of
from inkeek.records.game import Game
from inkeek.records.record import Ply, RecordError, Source, Variation
from inkeek.records.replay import legal_after
from inkeek.records.text import BARRED

from .movetext import Visitor, read_movetext
from .splitter import MAX_LINE, RecordSource, RecordText, records_of
from .tags import MAX_VALUE, NAME, find_tags, value_fault
from .writer import write_game

_SHORT = 90_000  # characters: the canonical form of such a record surely fits in `MAX_LINE` and `MAX_RECORD`


class GameBuilder(Visitor[Game]):
    """Builds the `Game`. What could not be read is in its `faults`; the good part is kept."""

    def __init__(self, source: Source, index: int) -> None:
        super().__init__(source, index)
        self._lines = [_OpenLine()]
        self._ended: str | None = None
        self._faults: list[RecordError] = []

    def tags(self, tags: Mapping[str, str]) -> bool:
        self._tags = tags
        return not self._faults  # the moves mean nothing where a tag is wrong

    def plies(self, plies: Sequence[Ply]) -> None:
        line = self._lines[-1]
        line.finish_ply()
        line.plies += plies

    def annotation(self, nag: int) -> None:
        self._lines[-1].nags.append(nag)

    def comment(self, text: str) -> None:
        line = self._lines[-1]
        (line.ply_comments if line.plies else line.comments).append(text)

    def begin_variation(self) -> None:
        self._lines.append(_OpenLine())

    def end_variation(self) -> None:
        variation = self._lines.pop().finish()
        self._lines[-1].variations.append(variation)

    def legal_moves(self) -> tuple[str, ...]:
        *outer, open_line = self._lines
        plies = [ply for line in outer for ply in line.plies[:-1]]  # a variation replaces the last ply
        return legal_after(self._tags, [*plies, *open_line.plies])

    def result(self, text: str) -> None:
        self._ended = text

    def fault(self, error: RecordError) -> None:
        self._faults.append(error)

    def done(self) -> Game:
        main = self._lines[0].finish()
        game = Game(
            self._tags, main.plies, main.comments, self._ended, self.source, tuple(self._faults), index=self.index
        )
        if len(self.source.text) <= _SHORT or game.faults:
            return game
        try:
            write_game(game)
        except RecordsError as error:
            return replace(game, faults=(RecordError(message_of(error), self.source.first_line, 1, code="too-long"),))
        return game


@dataclass(slots=True)
class _OpenLine:
    """A line while it is read. `nags`, `ply_comments` and `variations` are still to be added to its last ply."""

    plies: list[Ply] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    nags: list[int] = field(default_factory=list)
    ply_comments: list[str] = field(default_factory=list)
    variations: list[Variation] = field(default_factory=list)

    def finish_ply(self) -> None:
        if self.nags or self.ply_comments or self.variations:
            last = self.plies[-1]
            self.plies[-1] = Ply(
                last.move,
                (*last.nags, *self.nags),
                (*last.comments, *self.ply_comments),
                (*last.variations, *self.variations),
            )
            self.nags, self.ply_comments, self.variations = [], [], []

    def finish(self) -> Variation:
        self.finish_ply()
        return Variation(tuple(self.plies), tuple(self.comments))


T = TypeVar("T")

MAX_FAULTS = 20  # faults listed for the tags of a record
_ESCAPED = re.compile(r'\\(["\\])')

# What nearly all tags are: alone on their lines, every character meaning itself.
_PLAIN_TAG = re.compile(
    rf'\[([A-Za-z][A-Za-z0-9_]{{0,63}}+) "([^"\\{BARRED}\ud800-\udfff]{{0,{MAX_VALUE}}}+)"\](?:\n|\Z)'
)
_PLAIN_TAGS = re.compile(f"(?:{_PLAIN_TAG.pattern})*+")
_TAG_LINES = re.compile(r"(?:\s*+(?:\[|(?m:^)%)[^\n]*+)*+\s*+")


def read_games(source: RecordSource, *, strict: bool = False) -> Iterator[Game]:
    """Read games from a path, an open file or any lines, each as far as it can be read; `Game.errors` lists what is
    wrong. If the reader is `strict`, that includes what it would only warn about.

    Bytes are read as UTF-8. An empty source has no games.
    :raises FileNotFoundError: there is no file at the path.
    :raises SourceError: the source is no path but a text.
    """
    games = visit_games(source, GameBuilder)
    return (replace(game, strict=True) for game in games) if strict else games


def read_record(record: RecordText, index: int) -> Game:
    """Read the record number `index` of a file, from 0, which `records_of` found."""
    return _visit(record, index, GameBuilder)


def visit_games(source: RecordSource, make: Callable[[Source, int], Visitor[T]]) -> Iterator[T]:
    """What a visitor makes of each record: `GameBuilder`, or your own class."""
    records = records_of(source)  # outside the generator: a wrong source is refused before the first game is read
    return (_visit(record, index, make) for index, record in enumerate(records))


def _visit(record: RecordText, index: int, make: Callable[[Source, int], Visitor[T]]) -> T:
    tags, movetext, faults = _parse_tags(record)
    source = Source(record.text, record.first_line, movetext)
    visitor: Visitor[Any] = make(source, index)
    for fault in faults:
        visitor.fault(fault)
    wanted = visitor.tags(tags)
    if record.fault is not None:
        visitor.fault(record.fault)
    moves_fault = read_movetext(source, visitor, record.is_cut) if wanted else None
    if moves_fault is not None:
        visitor.fault(moves_fault)
    made: T = visitor.done()
    return made


def _parse_tags(record: RecordText) -> tuple[dict[str, str], int, list[RecordError]]:
    """The tag pairs, the offset where the movetext begins, and the faults."""
    text = record.text
    faults: list[RecordError] = []
    plain = _PLAIN_TAGS.match(text)
    at = plain.end() if plain else 0
    pairs = _PLAIN_TAG.findall(text, 0, at)
    tags: dict[str, str] = dict(pairs)
    if len(tags) < len(pairs):  # a tag is repeated: the first one counts
        tags, at = {}, 0

    source = Source(text, record.first_line)

    def fault(message: ErrorText, where: int) -> None:
        line = text[where : where + MAX_LINE].split("\n")[0]
        faults.append(RecordError(source.with_hidden(message, where, line), *source.place(where), code="bad-tag"))

    for found, match in find_tags(text, at):
        at = found
        if match is None and text.startswith("[", at):
            line = text[at : at + 60].split("\n")[0].rstrip()
            fault(ErrorText('%(line)r is not a tag: expected [Name "value"]', line=line), at)
        elif match is not None:
            name, value = match[1], _ESCAPED.sub(r"\1", match[2])
            if not NAME.fullmatch(name):
                fault(
                    ErrorText(
                        "%(name)r is not a tag name: expected a letter, then letters, digits or _", name=name[:60]
                    ),
                    at,
                )
            elif name in tags:
                fault(ErrorText("the tag %(name)s is given twice: remove one", name=name), at)
            elif (wrong := value_fault(name, value)) is not None:
                fault(wrong, at)
            else:
                tags[name] = value
        if len(faults) == MAX_FAULTS:  # the record is lost: only its movetext is still looked for
            lines = _TAG_LINES.match(text, at)
            at = lines.end() if lines else at
            break
    return tags, at, faults
