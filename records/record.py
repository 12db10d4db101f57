"""What a record holds: tags, plies, variations and comments; its errors, and the text that it was read from."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import attrgetter
from typing import Annotated, NamedTuple, NoReturn, TypeVar

from msgspec import Meta

from .errors import ERROR_CODES, ErrorKind, ErrorText, RecordsError, Severity, joined_texts
from .json_codec import json_fields
from .moves import Move
from .text import hidden_error, hidden_in, is_utf16

MAX_NESTING = 64  # variations within each other
MAX_NAG = 255  # the number of an annotation

_VARIATIONS = attrgetter("variations")


class Ply(NamedTuple):
    """One move of a line with its annotations, its comments and the variations that could replace it.

    It is a tuple because a frozen dataclass takes three times as long to create, and files hold many plies.
    """

    move: Move
    nags: tuple[Annotated[int, Meta(ge=0, le=MAX_NAG)], ...] = ()
    comments: tuple[str, ...] = ()
    variations: tuple[Variation, ...] = ()


@json_fields("comments", "plies")
@dataclass(frozen=True, slots=True)
class Variation:
    """Moves in order, which replace the ply that the variation is attached to. `comments` precede the first move."""

    plies: Annotated[tuple[Ply, ...], Meta(min_length=1)]
    comments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordError:
    """What is wrong with a record, and where.

    `line` and `column` count from 1; 0 if the record was not read from text. `ply` counts from 1; 0 is before the
    first. `legal` are the moves that would be legal there. `code` is one of `ERROR_CODES`, from which `kind` and
    `severity` follow.
    """

    message: str
    line: int = 0
    column: int = 0
    ply: int = 0
    legal: tuple[str, ...] = ()
    code: str = field(kw_only=True)

    @property
    def kind(self) -> ErrorKind:
        return ERROR_CODES[self.code].kind

    @property
    def severity(self) -> Severity:
        return ERROR_CODES[self.code].severity

    @property
    def note(self) -> str:
        """The message of a warning, with the place of what cannot be seen there."""
        return str(self if self.code == "hidden-character" else self.message)

    def __str__(self) -> str:
        place = f"line {self.line}, column {self.column}: " if self.line else ""
        ply = f"ply {self.ply}: " if self.ply else ""
        legal = f" Legal: {' '.join(self.legal)}." if self.legal else ""
        return f"{place}{ply}{self.message}{'' if self.message.endswith('.') else '.'}{legal}"


class Tags(dict[str, str]):
    """The tags of a record, which does not change: what follows from it is remembered."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("a record does not change: game.with_tags(Result='1-0') makes another one")

    __setitem__ = __delitem__ = __ior__ = update = setdefault = pop = popitem = clear = _refuse

    def __reduce__(self) -> tuple[type[Tags], tuple[dict[str, str]]]:
        return Tags, (dict(self),)


@dataclass(frozen=True)
class Source:
    """The text of one record in a file. `first_line` is the number of its first line, `movetext` the offset in the text
    where the moves begin."""

    text: str
    first_line: int
    movetext: int = 0

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def place(self, at: int) -> tuple[int, int]:
        """Line and column, both from 1, of an offset in the text."""
        line = bisect_right(self._starts, at) - 1
        return self.first_line + line, at - self._starts[line] + 1

    def with_hidden(self, message: str, at: int, text: str) -> str:
        """A message about the text at an offset, with the first character in it that nobody sees."""
        if text.isascii() and text.isprintable():
            return message
        if is_utf16(text):
            return joined_texts([message, ErrorText("the file is probably UTF-16: save it as UTF-8")], "; ")
        offset = next(hidden_in(text), None)
        if offset is None:
            return message
        line, column = self.place(at + offset)
        more = line - self.place(at)[0]
        fault = hidden_error(text[offset])
        where = ErrorText("in column %(column)s %(fault)s", column=column, fault=fault)
        if more:
            values = {"more": more, "column": column, "fault": fault}
            where = ErrorText("%(more)s lines below, in column %(column)s, %(fault)s", **values)
        return joined_texts([message, where], "; ")


@dataclass(frozen=True)
class Record:
    """A record as it was read or made. `ended` is the result that closes the movetext, or None."""

    tags: Mapping[str, str]
    plies: tuple[Ply, ...] = ()
    comments: tuple[str, ...] = ()
    ended: str | None = None
    source: Source | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tags", Tags(self.tags))


class BadRecord(RecordsError):
    """A record with errors where a correct one is needed; `errors` lists them."""

    def __init__(self, errors: tuple[RecordError, ...]) -> None:
        self.errors = errors
        super().__init__("; ".join(str(error) for error in errors))


L = TypeVar("L", bound=Record | Variation)


def with_plain_comments(line: L) -> L:
    """The record or variation with its comments as a reader makes them: one space for white space, none empty."""
    plies = tuple(
        ply._replace(
            comments=_collapse_spaces(ply.comments), variations=tuple(map(with_plain_comments, ply.variations))
        )
        if ply.comments or ply.variations
        else ply
        for ply in line.plies
    )
    return replace(line, plies=plies, comments=_collapse_spaces(line.comments))


def _collapse_spaces(comments: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(filter(None, (" ".join(comment.split()) for comment in comments)))


def count_plies(plies: Sequence[Ply]) -> int:
    """How many plies there are, with those of the variations."""
    count = 0
    waiting = [plies]
    while waiting:
        line = waiting.pop()
        count += len(line)
        if any(map(_VARIATIONS, line)):
            waiting += (variation.plies for ply in line for variation in ply.variations)
    return count
