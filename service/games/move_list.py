"""The turns of a record as the review page lists them: two to a row, with remarks and variations below their row.

Each listed turn has an address, its *node*: ``12`` is the twelfth turn of the main line, ``12v1.3`` the third turn of
the first variation on it, ``12v1.3v2.1`` the first turn of the second variation on that. ``0`` is the start.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from inkeek.records import NORTH, Move, Ply, Position, RecordsError, Rules, Side, Turn, Variation
from inkeek.records.errors import Budget
from inkeek.records.notation.commands import split_comment
from inkeek.records.notation.movetext import number_turns
from inkeek.records.replay import play_ply
from inkeek.service.http.web.labels import (
    Glyph,
    all_command_words,
    command_words,
    comment_view,
    glyph,
    join_ruled_back,
)

from .plies import COMMENT, VARIATION, Annotation

MAX_NODES = 400  # turns of all variations of a game that are listed: more than anyone reads on a page
NODE = re.compile(r"[0-9]{1,9}(v[0-9]{1,4}\.[0-9]{1,5}){0,64}")
# The commands that the list tells: what happened beside the turns.
_LISTED = {
    *("join", "leave", "trial", "retract", "dispute", "claim", "propose", "respond", "ruling", "penalty", "clock"),
    *("appeal", "end", "correction", "reopen"),
}


@dataclass(frozen=True, slots=True)
class ListedRemark:
    """A comment below a turn. `id` is that of its annotation, "" if it is none; `sentences` tell what happened."""

    text: str
    sentences: tuple[str, ...]
    id: str = ""
    written: str = ""
    may_edit: bool = False


@dataclass(frozen=True, slots=True)
class ListedTurn:
    """One turn of the list.

    `number` stands before the turn when it is cited alone, as ``3.`` or ``3…``. `position` is the one after it.
    `commands` are those that the list leaves out: clocks, who played it, on which board.
    """

    node: str
    ply: int
    number: str
    text: str
    turn: Turn
    glyphs: tuple[Glyph, ...] = ()
    commands: tuple[str, ...] = ()
    remarks: tuple[ListedRemark, ...] = ()
    variations: tuple[ListedLine, ...] = ()

    @property
    def cited(self) -> str:
        """The turn alone, with its number."""
        return f"{self.number} {self.text}"

    @property
    def side(self) -> Side:
        return self.turn.before.to_move

    @property
    def position(self) -> Position:
        return self.turn.position


@dataclass(frozen=True, slots=True)
class Token:
    """A part of a variation: a `move`, a `comment`, an `open` or `close` bracket, or `more` where it was cut short.

    A move that cannot be played has no `turn`.
    """

    kind: str
    text: str
    turn: ListedTurn | None = None
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class ListedLine:
    """A variation with those within it; `id` of its annotation, "" if it is none."""

    tokens: tuple[Token, ...]
    id: str = ""
    may_edit: bool = False


@dataclass(slots=True)
class MoveRow:
    """A number with South's and North's turn, either of which may be missing."""

    number: int
    turns: list[ListedTurn | None] = field(default_factory=lambda: [None, None])

    @property
    def noted(self) -> list[ListedTurn]:
        """The turns of the row that have something below them."""
        return [turn for turn in self.turns if turn and (turn.remarks or turn.variations)]


class Annotated:
    """The annotations of a game by turn, and which of them the reader may edit."""

    def __init__(self, annotations: Sequence[Annotation] = (), may_edit: Callable[[str], bool] = lambda _: False):
        self._by_ply: dict[tuple[int, str], list[Annotation]] = {}
        self._may_edit = may_edit
        for one in annotations:
            self._by_ply.setdefault((one.ply, one.kind), []).append(one)

    def remarks(self, ply: int, comments: Sequence[str]) -> tuple[ListedRemark, ...]:
        """The remarks of a turn, without those whose commands the list leaves out."""
        left = list(self._by_ply.get((ply, COMMENT), ()))
        made = []
        for comment in join_ruled_back(comments):
            parts = split_comment(comment)
            sentences = all_command_words([one for one in parts.commands if one.name in _LISTED])
            if not parts.text and not sentences:
                continue
            one = next((each for each in left if each.value == comment), None)
            if one is None or not parts.text:
                made.append(ListedRemark(parts.text, sentences))
            else:
                left.remove(one)
                made.append(ListedRemark(parts.text, sentences, one.id, comment, self._may_edit(one.source)))
        return tuple(made)

    def variation(self, ply: int, index: int) -> tuple[str, bool]:
        """The id of a turn's variation, and whether the reader may edit it."""
        found = self._by_ply.get((ply, VARIATION), ())
        return (found[index].id, self._may_edit(found[index].source)) if index < len(found) else ("", False)


def list_turns(
    plies: Sequence[Ply], turns: Sequence[Turn], rules: Rules | None = None, annotated: Annotated | None = None
) -> list[MoveRow]:
    """The rows for `plies`, as far as they could be replayed as `turns`; their variations only with `rules`.

    A second turn of one side begins a row of its own.
    """
    rows: list[MoveRow] = []
    annotated = annotated or Annotated()
    numbers = number_turns(turn.before for turn in turns)
    lines = _LineReader(rules, annotated)
    for ply, (written, turn, number) in enumerate(zip(plies, turns, numbers, strict=False), 1):
        side = turn.before.to_move
        row = rows[-1] if rows else None
        if row is None or side is Side.SOUTH or row.turns[side] is not None:
            row = MoveRow(number)
            rows.append(row)
        previous = plies[ply - 2].move if ply > 1 else None
        row.turns[side] = ListedTurn(
            str(ply),
            ply,
            _cite(number, side),
            str(written.move),
            turn,
            tuple(map(glyph, written.nags)),
            _unlisted(written.comments),
            annotated.remarks(ply, written.comments),
            lines.of(ply, number, written.variations, turn.before, previous) if written.variations else (),
        )
    return rows


def _cite(number: int, side: Side) -> str:
    return f"{number}{'.' if side is Side.SOUTH else '…'}"


def _unlisted(comments: Sequence[str]) -> tuple[str, ...]:
    raw = (command for comment in comments for command in split_comment(comment).commands)
    return tuple(command_words(command) for command in raw if command.name not in (*_LISTED, "after"))


class _LineReader:
    """Reads variations as tokens: each turn of them is played, so that it can be shown."""

    def __init__(self, rules: Rules | None, annotated: Annotated) -> None:
        self._rules = rules
        self._annotated = annotated
        self._left = MAX_NODES
        self._budget = Budget(MAX_NODES)

    def of(
        self, ply: int, number: int, variations: Sequence[Variation], before: Position, previous: Move | None
    ) -> tuple[ListedLine, ...]:
        """The variations on a turn of the main line. Works for any depth."""
        if self._rules is None:
            return ()
        made = []
        for index, variation in enumerate(variations):
            start = _Start(f"{ply}v{index + 1}", number, before, previous)
            made.append(ListedLine(tuple(self._flat(variation, start)), *self._annotated.variation(ply, index)))
        return tuple(made)

    def _flat(self, variation: Variation, start: _Start) -> Iterator[Token]:
        waiting = [self._tokens(variation, start)]
        while waiting:
            item = next(waiting[-1], None)
            if item is None:
                waiting.pop()
            elif isinstance(item, Token):
                yield item
                if item.kind == "more":
                    return
            else:
                waiting.append(self._tokens(*item))

    def _tokens(self, variation: Variation, start: _Start) -> Iterator[Token | tuple[Variation, _Start]]:
        yield Token("open", "(")
        yield from map(_comment, variation.comments)
        position: Position | None = start.before
        previous, number, last = start.previous, start.number, None
        numbered = True
        for at, ply in enumerate(variation.plies, 1):
            if self._left <= 0:
                yield Token("more", "…")
                return
            self._left -= 1
            signs = tuple(map(glyph, ply.nags))
            turn = None if position is None else self._play(position, ply, previous)
            if turn is None:
                yield Token("move", str(ply.move) + "".join(one.sign for one in signs))
            else:
                side = turn.before.to_move
                number += last is NORTH and side is Side.SOUTH
                node = f"{start.node}.{at}"
                listed = ListedTurn(
                    node, turn.position.ply, _cite(number, side), str(turn.move), turn, signs, _unlisted(ply.comments)
                )
                yield Token("move", listed.text, listed, numbered or side is Side.SOUTH)
                last = side
            yield from map(_comment, ply.comments)
            for index, inner in enumerate(ply.variations):
                if position is not None:
                    yield inner, _Start(f"{start.node}.{at}v{index + 1}", number, position, previous)
            numbered = bool(ply.comments or ply.variations)
            position, previous = None if turn is None else turn.position, ply.move
        yield Token("close", ")")

    def _play(self, position: Position, ply: Ply, previous: Move | None) -> Turn | None:
        assert self._rules is not None
        try:
            return play_ply(self._rules, position, ply, previous, self._budget)
        except RecordsError:
            return None


@dataclass(frozen=True, slots=True)
class _Start:
    """Where a variation starts: the node of its turns up to their number, and the number, position and move before."""

    node: str
    number: int
    before: Position
    previous: Move | None


def _comment(text: str) -> Token:
    comment = comment_view(text)
    return Token("comment", " ".join([comment.text, *(f"[{command}]" for command in comment.commands)]).strip())


def find_node(rows: Sequence[MoveRow], node: str) -> ListedTurn | None:
    """The listed turn with this address."""
    turns = (turn for row in rows for turn in row.turns if turn)
    main = node.partition("v")[0]
    at = next((turn for turn in turns if turn.node == main), None)
    if at is None or main == node:
        return at
    tokens = (token for line in at.variations for token in line.tokens)
    return next((token.turn for token in tokens if token.turn and token.turn.node == node), None)
