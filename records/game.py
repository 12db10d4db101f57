"""The record of a game: tags, the line that was played, comments and variations. `docs/notation.md` tells the tags."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from msgspec import Meta

from .errors import RecordsError
from .json_codec import JsonError, from_json, json_fields, to_json
from .moves import Move
from .play import Rules
from .position import Position

if TYPE_CHECKING:
    from .people import People
    from .replay import Replay

MAX_NESTING = 64  # variations within variations
MAX_NAG = 255


@json_fields("move", "nags", "comments", "variations")
class Ply(NamedTuple):
    """One move of a line with what was said of it. `at` is where it stands in the text it was read from, or -1: that
    makes no two plies different.

    A tuple, because a file has very many of them and a frozen dataclass takes three times as long to make.
    """

    move: Move
    nags: tuple[Annotated[int, Meta(ge=0, le=MAX_NAG)], ...] = ()
    comments: tuple[str, ...] = ()
    variations: tuple[Variation, ...] = ()
    at: int = -1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ply) and self[:4] == other[:4]

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self[:4])


@json_fields("comments", "plies")
@dataclass(frozen=True, slots=True)
class Variation:
    """Moves in order; `comments` stand before the first. A variation replaces the ply it hangs on."""

    plies: Annotated[tuple[Ply, ...], Meta(min_length=1)]
    comments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordError:
    """What is wrong with a record: where (line and column from 1, 0 if it was not read from text), at which ply (from
    1; 0 before the first), what, and what would be legal there."""

    message: str
    line: int = 0
    column: int = 0
    ply: int = 0
    legal: tuple[str, ...] = ()

    def __str__(self) -> str:
        place = f"line {self.line}, column {self.column}: " if self.line else ""
        ply = f"ply {self.ply}: " if self.ply else ""
        legal = f" Legal: {' '.join(self.legal)}." if self.legal else ""
        return f"{place}{ply}{self.message}{'' if self.message.endswith('.') else '.'}{legal}"


@dataclass(frozen=True, slots=True)
class Source:
    """The text a game was read from and the number of its first line in the file."""

    text: str
    first_line: int

    def place(self, at: int) -> tuple[int, int]:
        """Variation and column, both from 1, of an offset in the text."""
        start = self.text.rfind("\n", 0, at) + 1
        return self.first_line + self.text.count("\n", 0, at), at - start + 1


@json_fields("tags", "comments", "plies", "ended")
@dataclass(frozen=True)
class Game:
    """A record. It may be wrong: `errors` tells; `replay` goes as far as it is right.

    `ended` is the result that the movetext closes with, None if it does not close. `faults` are what the reader could
    not read.
    """

    tags: Mapping[str, str]
    plies: tuple[Ply, ...] = ()
    comments: tuple[str, ...] = ()
    ended: str | None = None
    faults: tuple[RecordError, ...] = ()
    source: Source | None = field(default=None, compare=False, repr=False)
    index: int = field(default=0, compare=False)

    @cached_property
    def _replayed(self) -> Replay:
        from .replay import replay

        return replay(self)

    def replay(self) -> Replay:
        """Every position and turn of the main line, as far as it is right."""
        return self._replayed

    @property
    def errors(self) -> tuple[RecordError, ...]:
        """Everything that is wrong: what could not be read, and what the rules or the tags forbid."""
        return self.faults or self.replay().errors

    def rules(self) -> Rules:
        """The rules it was played under.

        :raises RecordsError: the tags name no game, or options that cannot be.
        """
        from .notation.tags import rules_of

        return rules_of(self.tags)

    def start(self) -> Position:
        """The position before the first turn.

        :raises RecordsError: the tags do not give one.
        """
        return self.rules().start()

    def with_tags(self, **tags: str) -> Game:
        """The same record with some tags changed or added."""
        return replace(self, tags={**self.tags, **tags})

    def with_plies(self, *plies: Ply) -> Game:
        """The same record with turns added to the main line."""
        return replace(self, plies=self.plies + plies)

    def to_json(self) -> dict[str, Any]:
        """The record as plain values, without loss; `from_json` reads it back."""
        data: dict[str, Any] = to_json(self)
        return data

    @classmethod
    def from_json(cls, data: object) -> Game:
        """:raises JsonError: the values are not a record; says where."""
        game = from_json(data, cls)
        branching = [ply for ply in game.plies if ply.variations]
        for _ in range(MAX_NESTING):
            branching = [
                inner for ply in branching for line in ply.variations for inner in line.plies if inner.variations
            ]
        if branching:
            raise JsonError("plies", f"variations are nested more than {MAX_NESTING} deep")
        return game

    def people(self) -> People:
        """Who was in which team when, who made the moves, and what was tried, retracted and disputed.

        :raises RecordsError: the teams that the tags tell cannot be.
        """
        from .people import people

        return people(self)


class BadRecord(RecordsError):
    """A record that cannot be what it is used as; `errors` tells why."""

    def __init__(self, errors: tuple[RecordError, ...]) -> None:
        self.errors = errors
        super().__init__("; ".join(str(error) for error in errors))
