"""What is said beside the moves: the commands in a record's comments, each with its ply, and what is wrong there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

from .game import Game, Ply, RecordError, Variation
from .moves import Kind
from .notation.commands import MAX_TOLD, Clock, Command, Elapsed, Evaluation, commands_in, wrong_in

C = TypeVar("C", bound=Command)


@dataclass(frozen=True, slots=True)
class Remark(Generic[C]):
    """A command and the ply in whose comments it stands, from 1; 0 before the first."""

    ply: int
    command: C


def remarks(game: Game, *kinds: type[C]) -> Iterator[Remark[C]]:
    """The commands of these kinds in the comments of the main line, in order; those that are wrong are left out."""
    for ply, comments in enumerate((game.comments, *(ply.comments for ply in game.plies))):
        for command in commands_in(comments):
            if isinstance(command, kinds):
                yield Remark(ply, command)


def clocks(game: Game) -> tuple[Clock | None, ...]:
    """What the mover's clock showed after each ply, None where it is not told; the first is before the first ply."""
    return _by_ply(game, Clock)


def times(game: Game) -> tuple[Elapsed | None, ...]:
    """The time each ply took, None where it is not told; the first is before the first ply."""
    return _by_ply(game, Elapsed)


def evaluations(game: Game) -> tuple[Evaluation | None, ...]:
    """The evaluation of each position of the main line, None where there is none; the first is of the start."""
    return _by_ply(game, Evaluation)


def _by_ply(game: Game, kind: type[C]) -> tuple[C | None, ...]:
    told: list[C | None] = [None] * (len(game.plies) + 1)
    for noted in remarks(game, kind):
        told[noted.ply] = noted.command
    return tuple(told)


def remark_errors(game: Game, most: int) -> Iterator[RecordError]:
    """The commands that cannot be, at most `most`, in variations too: of a known name, with arguments that are not
    right, or never closed. What ``after`` says at an irregular turn is the replay's business."""
    return islice(_wrong(game), max(most, 0))


def _wrong(game: Game) -> Iterator[RecordError]:
    found: dict[str, int] = {}  # where a text was found last: the next of its like stands behind it
    for number, at, ply, comment in _comments(game):
        irregular = ply is not None and ply.move.kind is Kind.IRREGULAR
        for name, text, message in wrong_in(comment):
            if name == "after" and irregular:
                continue
            line = column = 0
            if game.source is not None and at >= 0:
                found[text] = _find(game.source.text, text, max(at, found.get(text, -1) + 1), at)
                line, column = game.source.place(found[text])
            yield RecordError(message, line, column, number)


def _comments(game: Game) -> Iterator[tuple[int, int, Ply | None, str]]:
    """Every comment that may hold a command: the number of its ply, an offset in the text that it stands behind (-1:
    not known), the ply it follows, itself."""
    for comment in game.comments:
        if "[%" in comment:
            yield 0, 0 if game.source else -1, None, comment
    for number, ply in enumerate(game.plies, 1):
        if ply.variations:
            yield from _at_ply(number, ply)
            continue
        for comment in ply.comments:
            if "[%" in comment:
                yield number, ply.at, ply, comment


def _at_ply(number: int, ply: Ply) -> Iterator[tuple[int, int, Ply | None, str]]:
    waiting: list[tuple[int, int, Ply | Variation]] = [(number, ply.at, ply)]
    while waiting:
        number, at, item = waiting.pop()
        for comment in item.comments:
            if "[%" in comment:
                yield number, at, item if isinstance(item, Ply) else None, comment
        if isinstance(item, Ply):
            waiting.extend((number, at, line) for line in reversed(item.variations))
        else:
            plies = [(number + place, inner.at, inner) for place, inner in enumerate(item.plies)]
            waiting.extend(reversed(plies))


def _find(source: str, text: str, start: int, otherwise: int) -> int:
    """Where a text stands in the source from `start` on. It is as it was kept: any white space is one space."""
    found = re.compile(r"\s+".join(map(re.escape, text[:MAX_TOLD].split()))).search(source, start)
    return found.start() if found else otherwise
