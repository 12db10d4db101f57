"""Reading the movetext of a record into a visitor.

Runs of moves with their comments, which are nearly all of most files, are read by one regular expression. Everything
else is read token by token, without recursion. Both take time in proportion to the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise, repeat
from typing import Generic, TypeVar

from inkeek.records.errors import ErrorText, MoveSyntaxError, message_of
from inkeek.records.moves import Move
from inkeek.records.position import NORTH, SOUTH, Position, Side
from inkeek.records.record import MAX_NAG, MAX_NESTING, Ply, RecordError, Source
from inkeek.records.text import barred_in_note

# The numbers of turns, as in chess: South's turn and North's after it share one.


def first_number(start: Position) -> int:
    """The number of the turn played from `start`: 1 where a game begins, else what its turns so far have come to."""
    north_began = (start.ply + int(start.to_move)) % 2
    return (start.ply + north_began) // 2 + 1


def next_number(number: int, mover: Side, following: Side, turns: int = 1) -> int:
    """The number of the turn of `following` that comes after `mover`'s turn `number`, or after `turns` turns from that
    one on: a new one whenever South follows North."""
    if turns > 1:  # nobody saw them
        return number + (turns + mover) // 2
    return number + (mover is NORTH and following is SOUTH)


def number_turns(positions: Iterable[Position]) -> Iterator[int]:
    """The number of each turn of a game that was played from these positions."""
    number, last = 0, None
    for position in positions:
        if last is None:
            number = first_number(position)
        else:
            number = next_number(number, last.to_move, position.to_move, position.ply - last.ply)
        last = position
        yield number


def cite_moves(start: Position, moves: Sequence[Move]) -> list[str]:
    """Cite the moves played one after the other from `start`, as `cite_turn` does."""
    movers: list[Side] = []
    for move in moves:
        movers.append(move.side or (movers[-1].other if movers else start.to_move))  # a pass names no side
    numbers = [first_number(start)]
    for before, after in pairwise(movers):
        numbers.append(next_number(numbers[-1], before, after))
    numbered = zip(numbers, movers, moves, strict=False)
    return [f"{number}{'.' if mover is SOUTH else '…'} {move}" for number, mover, move in numbered]


def cite_turn(positions: Sequence[Position], move: str = "") -> str:
    """Cite the turn played from the last of `positions`: ``4. d``, ``7… C``, or ``7…`` without a move.

    `positions` are those of the game, from its start.
    """
    *_, number = number_turns(positions)
    return f"{number}{'.' if positions[-1].to_move is SOUTH else '…'} {move}".rstrip()


# Visitors receive a record while it is read, and make something of it.

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


MAX_PLIES = 20_000  # plies in a record, variations included
GLYPHS = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}
_GLYPH_NAGS: dict[str, tuple[int, ...]] = {"": (), **{glyph: (nag,) for glyph, nag in GLYPHS.items()}}

# A move, its glyph, a comment with single spaces, and any other comments.
_PLY = (
    r"(?:[0-9]++\.++\s*+)?GROUP--|[A-Za-z][^\s{};()$!?]*+)GROUP[!?]{0,2}+)(?![^\s{;()$])\s*+"
    r"(?:\{GROUP[^\s}]++(?: [^\s}]++)*+)\}\s*+)?GROUP(?:\{[^}]*+\}\s*+)*+)"
)
_PLIES = re.compile(_PLY.replace("GROUP", "("))
_RUN = re.compile(f"(?:{_PLY.replace('GROUP', '(?:')})++")
_COMMENT = re.compile(r"\{([^}]*)\}")
_ESCAPE = re.compile(r"^%[^\n]*", re.MULTILINE)
_TOKEN = re.compile(  # with the white space after it
    r"""(?:(?P<space>\s+)
      | (?P<escape>^%[^\n]*)
      | (?P<comment>\{[^}]*\})
      | ;(?P<line>[^\n]*)
      | (?P<result>1-0|0-1|1/2-1/2|\*)(?![^\s{;()])
      | (?P<number>[0-9]+\.*)(?![^\s{;()~A-Za-z-])
      | \$(?P<nag>[0-9]{1,4})(?![^\s{;()$])
      | (?P<paren>[()])
      | (?P<move>--|~~(?:[1-9][0-9]{0,3})?|(?:~\?|~?[A-Za-z])[^\s{};()$!?]*)(?P<glyph>[!?]{0,2})(?![^\s{;()$])
      | (?P<loose>[!?]{1,2})(?![^\s{;()$])
      | (?P<bad>\{[^}]*|[^\s{};()$]+|.))\s*+
    """,
    re.VERBOSE | re.MULTILINE,
)


def read_movetext(source: Source, visitor: Visitor[object], is_cut: bool = False) -> RecordError | None:
    """Pass the movetext to the visitor. Returns the fault that ended the reading early, if any. Where the movetext
    `is_cut`, what its end lacks is no fault."""
    return _Tokenizer(source, visitor, is_cut).read()


class PlyPlaces:
    """Where the plies of a record stand in its text. A ply is given by its number in the text, from 0, variations
    included. Errors are few, so the text is searched when the first place is wanted."""

    def __init__(self, source: Source | None) -> None:
        self._source = source

    @cached_property
    def _offsets(self) -> list[int]:
        if self._source is None:
            return []
        tokens = _TOKEN.finditer(self._source.text, self._source.movetext)
        return [token.start() for token in tokens if token["move"]]

    def offset(self, number: int) -> int | None:
        """The offset of a ply in the text; None if it was not read from there."""
        return self._offsets[number] if number < len(self._offsets) else None

    def place(self, number: int) -> tuple[int, int]:
        """The line and column of a ply; (0, 0) if it was not read from the text."""
        at = self.offset(number)
        return (0, 0) if at is None or self._source is None else self._source.place(at)


def escape_lines(source: Source) -> Iterator[tuple[int, str]]:
    """The lines of a record that begin with ``%``, which are no part of the game: their numbers and their texts."""
    text = source.text
    if text.startswith("%") or "\n%" in text:
        tokens = (token for token in _TOKEN.finditer(text, source.movetext) if token["escape"] is not None)
        for line in (*_ESCAPE.finditer(text, 0, source.movetext), *tokens):
            yield source.place(line.start())[0], line[0].rstrip()


@lru_cache(8192)  # the moves of all games are much the same
def bare_ply(word: str) -> Ply:
    """The ply with a move and nothing else.

    :raises MoveSyntaxError: the word is not a move.
    """
    return Ply(Move.parse(word))


class _Tokenizer:
    def __init__(self, source: Source, visitor: Visitor[object], is_cut: bool) -> None:
        self._source = source
        self._is_cut = is_cut
        self._visitor = visitor
        self._fault: RecordError | None = None
        self._ended: str | None = None
        self._lines = [False]  # the open lines: whether each has a move yet
        self._numbers = [1]  # of the next ply of each
        self._plies = 0
        self._main_plies = 0

    def read(self) -> RecordError | None:
        text = self._source.text
        at, end = self._source.movetext, len(text)
        # The end of a run with something wrong in it: of all text, if it may be in a comment.
        bad_until = at if barred_in_note(text) is None else end
        while at < end:
            run = _RUN.match(text, at) if self._ended is None and at >= bad_until else None
            if run is not None:
                if self._read_run(run[0]):
                    at = run.end()
                    continue
                bad_until = run.end()
            token = _TOKEN.match(text, at)
            assert token is not None  # its last branch takes any character
            if not self._read_token(str(token.lastgroup), token):
                return None if self._is_cut and token.end() == end else self._fault
            at = token.end()
        if len(self._lines) > 1 and not self._is_cut:
            self._fail(
                ErrorText("%(count)s variations are still open at the end: expected ')'", count=len(self._lines) - 1),
                end,
            )
        return self._fault

    def _read_run(self, run: str) -> bool:
        try:
            plies = _parse_run(run)
        except MoveSyntaxError:
            return False
        if self._plies + len(plies) > MAX_PLIES:
            return False
        self._add(plies)
        return True

    def _add(self, plies: list[Ply]) -> None:
        self._visitor.plies(plies)
        self._plies += len(plies)
        self._lines[-1] = True
        self._numbers[-1] += len(plies)
        if len(self._lines) == 1:
            self._main_plies += len(plies)

    def _read_token(self, kind: str, token: re.Match[str]) -> bool:
        at, text = token.start(), token[0].rstrip()
        if kind in ("space", "escape"):
            return True
        if self._ended is not None:
            return self._fail(
                ErrorText(
                    "%(text)r follows the result %(result)s: nothing may follow it", text=text[:40], result=self._ended
                ),
                at,
            )
        if kind == "number":
            return True
        if kind == "glyph":
            return self._move(token["move"], token["glyph"], at)
        if kind in ("comment", "line"):
            words = " ".join((token["line"] if kind == "line" else text[1:-1]).split())
            bad = barred_in_note(words)
            if bad is not None:
                return self._fail(
                    ErrorText("a comment has %(bad)r: expected text without control characters", bad=bad), at
                )
            if words:
                self._visitor.comment(words)
            return True
        if kind == "paren":
            return self._begin_variation(at) if text == "(" else self._end_variation(at)
        if kind in ("nag", "loose"):
            return self._annotation(text, token["nag"], at)
        if kind == "result":
            if len(self._lines) > 1:
                return self._fail(
                    ErrorText("the result %(result)s stands inside a variation: expected ')' before it", result=text),
                    at,
                )
            self._ended = text
            self._visitor.result(text)
            return True
        if text.startswith("{"):
            return self._fail(ErrorText("a comment is not closed: expected '}'"), at)
        expected = ErrorText(
            "%(text)r is not a token: expected a move, comment, variation, annotation or result", text=text[:40]
        )
        return self._fail(expected, at)

    def _move(self, word: str, glyph: str, at: int) -> bool:
        try:
            move = Move.parse(word)
        except MoveSyntaxError as error:
            place = self._source.place(at)
            legal = self._visitor.legal_moves()
            message = self._source.with_hidden(message_of(error), at, word)
            self._fault = RecordError(message, *place, self._numbers[-1], legal, code="not-a-move")
            return False
        if self._plies == MAX_PLIES:
            return self._fail(
                ErrorText("more than %(most)s plies in one record: split it into several", most=MAX_PLIES),
                at,
                code="too-long",
            )
        self._add([Ply(move, _GLYPH_NAGS[glyph])])
        return True

    def _annotation(self, text: str, number: str | None, at: int) -> bool:
        if not self._lines[-1]:
            return self._fail(
                ErrorText("%(text)r stands before the first move of its line: expected a move", text=text), at
            )
        nag = int(number) if number else GLYPHS[text]
        if nag > MAX_NAG:
            return self._fail(
                ErrorText(
                    "%(text)r is not an annotation: expected $0 to $%(most)s or %(glyphs)s",
                    text=text,
                    most=MAX_NAG,
                    glyphs=" ".join(GLYPHS),
                ),
                at,
            )
        self._visitor.annotation(nag)
        return True

    def _begin_variation(self, at: int) -> bool:
        if not self._lines[-1]:
            return self._fail(
                ErrorText("a variation stands before the first move of its line: expected a move to replace"), at
            )
        if len(self._lines) > MAX_NESTING:
            return self._fail(ErrorText("variations are nested more than %(most)s deep", most=MAX_NESTING), at)
        self._lines.append(False)
        self._numbers.append(self._numbers[-1] - 1)
        self._visitor.begin_variation()
        return True

    def _end_variation(self, at: int) -> bool:
        if len(self._lines) == 1:
            return self._fail(ErrorText("')' closes no variation: expected '(' before it"), at)
        if not self._lines.pop():
            return self._fail(ErrorText("a variation has no move: expected one before ')'"), at)
        self._numbers.pop()
        self._visitor.end_variation()
        return True

    def _fail(self, message: ErrorText, at: int, code: str = "bad-movetext") -> bool:
        """Keep what is wrong; the answer, False, ends the reading."""
        token = _TOKEN.match(self._source.text, at)
        text = self._source.with_hidden(message, at, token[0].rstrip()) if token else message
        self._fault = RecordError(text, *self._source.place(at), ply=self._main_plies, code=code)
        return False


def _parse_run(run: str) -> list[Ply]:
    """The plies of a run, with their glyphs and comments.

    :raises MoveSyntaxError: a word is not a move.
    """
    words, glyphs, firsts, others = zip(*_PLIES.findall(run), strict=True)
    simple = [(first,) if first else () for first in firsts]
    comments = map(_comments, firsts, others) if any(others) else simple
    nags = map(_GLYPH_NAGS.__getitem__, glyphs)
    # As `Ply(…)` does, without a call of a Python function for each.
    return list(map(tuple.__new__, repeat(Ply), zip(map(Move.parse, words), nags, comments, repeat(()))))


def _comments(first: str, others: str) -> tuple[str, ...]:
    texts = [first, *(" ".join(text.split()) for text in _COMMENT.findall(others))]
    return tuple(filter(None, texts))
