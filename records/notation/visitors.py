"""Visitors receive a record while it is read, and make something of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from inkeek.records.record import Ply, RecordError, Source

T_co = TypeVar("T_co", covariant=True)


class Visitor(Generic[T_co]):
    """Receives one record from top to bottom, as it is read, and makes something of it.

    A subclass overrides what it needs. The rules of the game have not been checked yet.
    """

    def __init__(self, source: Source, index: int) -> None:
        """`source` is the text of the record, `index` its number in the file, from 0."""
        self.source = source
        self.index = index

    def tags(self, tags: Mapping[str, str]) -> bool:
        """The tags. Return whether you want the movetext."""
        return True

    def plies(self, plies: Sequence[Ply]) -> None:
        """The next plies of the open line, with the glyphs and comments that directly follow each."""

    def annotation(self, nag: int) -> None:
        """An annotation of the last ply."""

    def comment(self, text: str) -> None:
        """A comment on the last ply, or on the open line if it has none yet."""

    def begin_variation(self) -> None:
        """A variation, which replaces the last ply, is the open line from here."""

    def end_variation(self) -> None:
        """The open variation ends."""

    def legal_moves(self) -> tuple[str, ...]:
        """The moves that are legal next on the open line, to be told with a word there that is no move; none if that is
        not known."""
        return ()

    def result(self, text: str) -> None:
        """The result that closes the movetext."""

    def fault(self, error: RecordError) -> None:
        """Something could not be read. Faults of tags come before the tags; any other fault ends the record."""

    def done(self) -> T_co:
        """Return what was made of the record."""
        raise NotImplementedError


class TagsBuilder(Visitor[Mapping[str, str]]):
    """Returns the tags; the movetext is not read."""

    def tags(self, tags: Mapping[str, str]) -> bool:
        self._tags = tags
        return False

    def done(self) -> Mapping[str, str]:
        return self._tags


@dataclass(frozen=True, slots=True)
class Counts:
    """How much a record contains: `plies` in the main line, `others` in variations."""

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

    def plies(self, plies: Sequence[Ply]) -> None:
        self._counts["others" if self._depth else "plies"] += len(plies)
        self._counts["comments"] += sum(len(ply.comments) for ply in plies)

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
