"""Movetext, read token by token.

It calls itself nowhere, so nothing that is nested can exhaust it, and takes time in proportion to the text.
"""

from __future__ import annotations

import re

from records.errors import MoveSyntaxError
from records.game import MAX_NAG, MAX_NESTING, RecordError, Source
from records.moves import Move

from .visitors import Visitor

MAX_PLIES = 20_000  # in one record, variations included
GLYPHS = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}

# Nothing but moves and their numbers, each followed by space: most of what there is to read.
_RUN = re.compile(r"(?:(?:[0-9]++\.++|--|[A-Za-z][^\s{};()$!?]*+)(?:\s++|\Z))++")
_TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<comment>\{[^}]*\})
      | ;(?P<line>[^\n]*)
      | (?P<result>1-0|0-1|1/2-1/2|\*)(?![^\s{;()])
      | (?P<number>[0-9]+\.*)(?![^\s{;()~A-Za-z-])
      | \$(?P<nag>[0-9]{1,4})(?![^\s{;()$])
      | (?P<paren>[()])
      | (?P<move>--|(?:~\?|~?[A-Za-z])[^\s{};()$!?]*)(?P<glyph>[!?]{0,2})(?![^\s{;()$])
      | (?P<loose>[!?]{1,2})(?![^\s{;()$])
      | (?P<bad>\{[^}]*|[^\s{};()$]+|.)
    """,
    re.VERBOSE,
)


def read_movetext(source: Source, at: int, visitor: Visitor[object]) -> RecordError | None:
    """Tell the visitor what stands in the text from `at` on; what ends the reading before the end of the text."""
    scanner = _Scanner(source, visitor)
    scanner.read(at)
    return scanner.fault


class _Scanner:
    """The movetext of one record."""

    def __init__(self, source: Source, visitor: Visitor[object]) -> None:
        self.source = source
        self.visitor = visitor
        self.fault: RecordError | None = None
        self.ended: str | None = None
        self.open = [False]  # of every line that is open: whether it has a move yet
        self.count = 0
        self.in_main = 0  # plies of the main line

    def read(self, at: int) -> None:
        text = self.source.text
        end = len(text)
        while at < end:
            if text[at] == "%" and text[at - 1 : at] in ("", "\n"):
                at = line_end(text, at)
                continue
            run = _RUN.match(text, at) if self.ended is None else None
            if run is not None:
                if not self._run(run):
                    return
                at = run.end()
                continue
            token = _TOKEN.match(text, at)
            assert token is not None  # its last branch takes any character
            kind = token.lastgroup
            if kind != "space" and self.ended is not None:
                self._fail(f"{token[0][:40]!r} stands after the result {self.ended}", at)
                return
            if kind in ("move", "glyph"):
                if not self._move(token["move"], token["glyph"], at):
                    return
            elif kind not in ("space", "number") and not self._other(str(kind), token, at):
                return
            at = token.end()
        if len(self.open) > 1:
            self._fail(f"{len(self.open) - 1} variations are still open at the end: expected ')'", end)

    def _run(self, run: re.Match[str]) -> bool:
        text, at = self.source.text, run.start()
        moves: list[Move] = []
        places: list[int] = []
        for word in run[0].split():
            if "0" <= word < ":":  # a number
                continue
            at = text.index(word, at)
            try:
                moves.append(Move.parse(word))
            except MoveSyntaxError as error:
                self._played(moves, places)
                return self._fail(str(error), at)
            places.append(at)
            at += len(word)
        return self._played(moves, places)

    def _move(self, word: str, glyph: str, at: int) -> bool:
        if glyph and glyph not in GLYPHS:
            return self._fail(f"{glyph!r} is not a glyph: expected one of {' '.join(GLYPHS)}", at)
        try:
            move = Move.parse(word)
        except MoveSyntaxError as error:
            return self._fail(str(error), at)
        if not self._played([move], [at]):
            return False
        if glyph:
            self.visitor.annotation(GLYPHS[glyph])
        return True

    def _played(self, moves: list[Move], places: list[int]) -> bool:
        """Tell of moves that follow each other."""
        room = MAX_PLIES - self.count
        if not moves:
            return True
        self.visitor.moves(moves[:room], places[:room])
        told = min(len(moves), room)
        self.count += told
        self.open[-1] = self.open[-1] or told > 0
        if len(self.open) == 1:
            self.in_main += told
        if len(moves) > room:
            return self._fail(f"more than {MAX_PLIES} plies in one record", places[room])
        return True

    def _other(self, kind: str, token: re.Match[str], at: int) -> bool:
        if kind in ("comment", "line"):
            words = " ".join((token["line"] if kind == "line" else token[0][1:-1]).split())
            if words:
                self.visitor.comment(words)
            return True
        if kind == "paren":
            return self._begin(at) if token[0] == "(" else self._end(at)
        if kind in ("nag", "loose"):
            if not self.open[-1]:
                return self._fail(f"{token[0]!r} stands before the first move of its line", at)
            nag = GLYPHS.get(token[0]) if kind == "loose" else int(token["nag"])
            if nag is None or nag > MAX_NAG:
                return self._fail(f"{token[0]!r} is no annotation: expected $0 to ${MAX_NAG} or {' '.join(GLYPHS)}", at)
            self.visitor.annotation(nag)
            return True
        if kind == "result":
            if len(self.open) > 1:
                return self._fail(f"the result {token[0]} stands inside a variation: expected ')'", at)
            self.ended = token[0]
            self.visitor.result(token[0])
            return True
        if token[0].startswith("{"):
            return self._fail("a comment is never closed: expected '}'", at)
        return self._fail(f"{token[0][:40]!r} is no move, comment, variation, annotation or result", at)

    def _begin(self, at: int) -> bool:
        if not self.open[-1]:
            return self._fail(
                "a variation stands before the first move of its line: there is nothing it could replace", at
            )
        if len(self.open) > MAX_NESTING:
            return self._fail(f"variations are nested more than {MAX_NESTING} deep", at)
        self.open.append(False)
        self.visitor.begin_variation()
        return True

    def _end(self, at: int) -> bool:
        if len(self.open) == 1:
            return self._fail("')' closes no variation", at)
        if not self.open.pop():
            return self._fail("a variation without a move", at)
        self.visitor.end_variation()
        return True

    def _fail(self, message: str, at: int) -> bool:
        """Note what is wrong; the answer, False, ends the reading."""
        self.fault = RecordError(message, *self.source.place(at), ply=self.in_main)
        return False


def line_end(text: str, at: int) -> int:
    """The beginning of the next line."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1
