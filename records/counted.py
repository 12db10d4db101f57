"""A position as people counted it: ``?`` stands where nobody knows how many seeds lie."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .errors import ErrorText, PositionError
from .position import MAX_ROW, ORDINARY, Position

_COUNT = r"(?:[0-9]{1,4}|\?)"
_PIT = f"(?:{_COUNT}[sn]?|x)"
_ROW = rf"{_PIT}(?:\.{_PIT}){{0,{MAX_ROW - 1}}}"
PATTERN = rf"{_ROW}/{_ROW} {_COUNT}-{_COUNT} [sn] [0-9]{{1,9}}(?: (?:sn?|n))?"


@dataclass(frozen=True, slots=True)
class CountedPosition:
    """A position and the places that were not counted: pits by index, then South's and North's store.

    `position` has 0 seeds there.
    """

    position: Position
    unknown: frozenset[int] = frozenset()

    @property
    def counts(self) -> tuple[int | None, ...]:
        """The seeds of every pit, then of South's and North's store; None where nobody counted."""
        known = (*self.position.pits, *self.position.stores)
        return tuple(None if place in self.unknown else seeds for place, seeds in enumerate(known))

    @property
    def marks(self) -> tuple[int | None, ...]:
        """The marks of the pits; None where neither the seeds nor a mark were given."""
        marks = enumerate(self.position.marks)
        return tuple(None if pit in self.unknown and mark == ORDINARY else mark for pit, mark in marks)

    def filled(self, known: Position) -> Position:
        """The position with the seeds and marks of another one where nobody counted."""
        size = len(known.pits)
        others = (*known.pits, *known.stores)
        counts = [others[place] if seeds is None else seeds for place, seeds in enumerate(self.counts)]
        marks = tuple(was if mark is None else mark for mark, was in zip(self.marks, known.marks, strict=True))
        return self.position.replaced(pits=tuple(counts[:size]), stores=tuple(counts[size:]), marks=marks)

    def __str__(self) -> str:
        rows, stores, rest = str(self.position).split(" ", 2)
        words = _words(f"{rows} {stores}")
        for place in self.unknown:
            words[place] = "?" + words[place].lstrip("0")
        row = self.position.row
        return f"{'.'.join(words[:row])}/{'.'.join(words[row:-2])} {words[-2]}-{words[-1]} {rest}"

    @classmethod
    def parse(cls, text: str) -> CountedPosition:
        """Read a position in which ``?`` stands for the seeds that nobody counted, as ``4.?/4.?s 0-? n 1``.

        :raises PositionError: the text is no such position.
        """
        if "?" not in text:
            return cls(Position.parse(text))
        try:
            position = Position.parse(text.replace("?", "0"))
        except PositionError as error:
            raise PositionError(text, error.faults) from None
        if re.fullmatch(PATTERN, text) is None:
            raise PositionError(text, [ErrorText("expected ? alone for a number of seeds, as '4.?/4.?s 0-? s 0'")])
        return cls(position, frozenset(place for place, word in enumerate(_words(text)) if "?" in word))


def _words(text: str) -> list[str]:
    """The words of the pits and stores of a position."""
    rows, stores = text.split(" ")[:2]
    return [*rows.replace("/", ".").split("."), *stores.split("-")]
