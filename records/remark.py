"""The commands in a record's comments, each with its ply, and what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from operator import attrgetter
from typing import Generic, TypeVar, cast

from .moves import Kind
from .notation.commands import MAX_QUOTED, Command, Evaluation, are_certain, commands_in, wrong_commands
from .notation.movetext import PlyPlaces
from .notation.tags import VERSION
from .record import Ply, Record, RecordError, Variation

C = TypeVar("C", bound=Command)

_COMMENTS, _VARIATIONS = attrgetter("comments"), attrgetter("variations")


@dataclass(frozen=True, slots=True)
class Remark(Generic[C]):
    """A command, and the number of the ply that its comment follows, from 1; 0 before the first."""

    ply: int
    command: C


def remarks(record: Record, *kinds: type[C]) -> Iterator[Remark[C]]:
    """The commands of these kinds in the comments of the main line, in order, without wrong ones."""
    for number, comments in enumerate((record.comments, *(ply.comments for ply in record.plies))):
        for command in commands_in(comments, *kinds):
            yield Remark(number, cast(C, command))


def evaluations(record: Record) -> tuple[Evaluation | None, ...]:
    """The evaluation of each position of the main line, None if there is none; the first is of the start."""
    found: list[Evaluation | None] = [None] * (len(record.plies) + 1)
    for remark in remarks(record, Evaluation):
        found[remark.ply] = remark.command
    return tuple(found)


def remark_errors(record: Record, places: PlyPlaces, most: int) -> Iterator[RecordError]:
    """The commands with a known name that are wrong or never closed, at most `most`, variations included. What
    ``after`` says at an irregular turn is checked when that is played."""
    comments = chain(record.comments, chain.from_iterable(map(_COMMENTS, record.plies)))
    if not any(map(_VARIATIONS, record.plies)) and are_certain(comments):
        return iter(())
    return islice(_errors(record, places), max(most, 0))


def _errors(record: Record, places: PlyPlaces) -> Iterator[RecordError]:
    source = record.source
    found: dict[str, int] = {}  # where each wrong command was found last: the next one like it comes later
    for number, in_text, irregular, comment in _comments(record):
        for name, text, message in wrong_commands(comment, record.tags.get("Version", VERSION)):
            if name == "after" and irregular:
                continue
            line = column = 0
            start = places.offset(in_text) if in_text >= 0 else source.movetext if source is not None else 0
            if source is not None and start is not None:
                found[text] = _find(source.text, text, max(start, found.get(text, -1) + 1), start)
                line, column = source.place(found[text])
            yield RecordError(message, line, column, number, code="bad-command")


def _comments(record: Record) -> Iterator[tuple[int, int, bool, str]]:
    """Every comment that may hold a command, with the number of its ply, the number in the text of the last ply before
    it (-1 before the first), and whether it belongs to an irregular turn."""
    in_text = -1
    waiting: list[tuple[int, Record | Ply | Variation]] = [(0, record)]
    while waiting:
        number, item = waiting.pop()
        irregular = False
        inner: list[tuple[int, Record | Ply | Variation]]
        if isinstance(item, Ply):
            in_text += 1
            irregular = item.move.kind in (Kind.IRREGULAR, Kind.GAP)
            inner = [(number, variation) for variation in item.variations]
        else:
            first = number if isinstance(item, Variation) else 1
            inner = [(first + place, ply) for place, ply in enumerate(item.plies)]
        for comment in item.comments:
            if "[%" in comment:
                yield number, in_text, irregular, comment
        waiting += reversed(inner)


def _find(source: str, text: str, start: int, otherwise: int) -> int:
    """The offset of a command in the source, from `start` on. Its spaces may be any white space there."""
    found = re.compile(r"\s+".join(map(re.escape, text[:MAX_QUOTED].split()))).search(source, start)
    return found.start() if found else otherwise
