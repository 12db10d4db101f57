"""What is made of a record while it is read: one reader, many makers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from records.game import Game, Ply, RecordError, Source, Variation
from records.moves import Move

T_co = TypeVar("T_co", covariant=True)


class Visitor(Generic[T_co]):
    """Is told of a record as it is read, from top to bottom, and makes something of it. One visitor sees one record.

    A subclass overrides what it cares for. Nothing has been held to the rules of the game yet.
    """

    def __init__(self, source: Source, index: int) -> None:
        """`source` is the text of the record, `index` says which of the file it is, from 0."""
        self.source = source
        self.index = index

    def tags(self, tags: Mapping[str, str]) -> bool:
        """The tags; whether the visitor wants to be told the moves."""
        return True

    def moves(self, moves: Sequence[Move], places: Sequence[int]) -> None:
        """Moves of the line that is open, and where in the text each of them stands."""

    def annotation(self, nag: int) -> None:
        """What `$n` or a glyph says of the last move."""

    def comment(self, text: str) -> None:
        """A comment on the last move, or on the line that is open if it has none yet."""

    def begin_variation(self) -> None:
        """A line that replaces the last move begins."""

    def end_variation(self) -> None:
        """It is at its end."""

    def result(self, text: str) -> None:
        """What the movetext closes with."""

    def fault(self, error: RecordError) -> None:
        """Something could not be read: in the tags, before they are told, or in what follows, of which nothing more is
        told then."""

    def done(self) -> T_co:
        """What was made of the record."""
        raise NotImplementedError


class TagsBuilder(Visitor[Mapping[str, str]]):
    """Just the tags."""

    def tags(self, tags: Mapping[str, str]) -> bool:
        self._tags = tags
        return False

    def done(self) -> Mapping[str, str]:
        return self._tags


@dataclass(frozen=True, slots=True)
class Counts:
    """How much there is in a record; `plies` of the main line, `others` in variations."""

    plies: int = 0
    others: int = 0
    variations: int = 0
    comments: int = 0
    faults: int = 0


class CountsBuilder(Visitor[Counts]):
    """Counts, and keeps nothing."""

    def __init__(self, source: Source, index: int) -> None:
        super().__init__(source, index)
        self._depth = 0
        self._counts: Counter[str] = Counter()

    def moves(self, moves: Sequence[Move], places: Sequence[int]) -> None:
        self._counts["others" if self._depth else "plies"] += len(moves)

    def comment(self, text: str) -> None:
        self._counts["comments"] += 1

    def begin_variation(self) -> None:
        self._depth += 1
        self._counts["variations"] += 1

    def end_variation(self) -> None:
        self._depth -= 1

    def fault(self, error: RecordError) -> None:
        self._counts["faults"] += 1

    def done(self) -> Counts:
        return Counts(**self._counts)


class GameBuilder(Visitor[Game]):
    """Makes the `Game`. What could not be read stands in its `faults`; the good part is kept."""

    def __init__(self, source: Source, index: int) -> None:
        super().__init__(source, index)
        self._lines = [_Open()]
        self._ended: str | None = None
        self._faults: list[RecordError] = []

    def tags(self, tags: Mapping[str, str]) -> bool:
        self._tags = tags
        return not self._faults  # with a wrong tag, who knows what the moves are

    def moves(self, moves: Sequence[Move], places: Sequence[int]) -> None:
        line = self._lines[-1]
        line.settle()
        # As `Ply(…)` does, without the call of a Python function for each.
        line.plies += [tuple.__new__(Ply, (move, (), (), (), at)) for move, at in zip(moves, places, strict=True)]

    def annotation(self, nag: int) -> None:
        self._lines[-1].nags.append(nag)

    def comment(self, text: str) -> None:
        line = self._lines[-1]
        (line.said if line.plies else line.comments).append(text)

    def begin_variation(self) -> None:
        self._lines.append(_Open())

    def end_variation(self) -> None:
        line = self._lines.pop().line()
        self._lines[-1].variations.append(line)

    def result(self, text: str) -> None:
        self._ended = text

    def fault(self, error: RecordError) -> None:
        self._faults.append(error)

    def done(self) -> Game:
        main = self._lines[0].line()
        faults = tuple(self._faults)
        return Game(self._tags, main.plies, main.comments, self._ended, faults, self.source, self.index)


@dataclass(slots=True)
class _Open:
    """A line being read: its plies so far, as lists that still grow."""

    plies: list[Ply] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    nags: list[int] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    variations: list[Variation] = field(default_factory=list)

    def settle(self) -> None:
        """Give the last ply what was said after it."""
        if self.nags or self.said or self.variations:
            last = self.plies[-1]
            self.plies[-1] = Ply(last.move, tuple(self.nags), tuple(self.said), tuple(self.variations), last.at)
            self.nags, self.said, self.variations = [], [], []

    def line(self) -> Variation:
        self.settle()
        return Variation(tuple(self.plies), tuple(self.comments))
