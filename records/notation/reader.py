"""The reader: a file of any size as a stream, one game at a time, in memory that does not grow with the file.

`split_records` cuts the lines into records without looking into the moves; `parse_record` reads one. Neither calls
itself, so nothing that is nested can exhaust it, and every record costs time in proportion to its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import IO

from ..errors import MoveSyntaxError
from ..game import MAX_NESTING, Game, Line, Ply, RecordError, Source
from ..moves import Move
from .tags import MAX_VALUE, NAME, is_value

MAX_LINE = 100_000  # characters; the writer makes lines of 80
MAX_RECORD = 4_000_000  # characters in one record
MAX_PLIES = 20_000  # in one record, variations included
TOO_LONG_TAG, TOO_LONG_MOVES = "[", "}"  # stand for a line longer than MAX_LINE: no tag, or the end of any comment

GLYPHS = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}
MAX_NAG = 255

_TAG = re.compile(r'\[[^\S\n]*([^\s"\]]+)[^\S\n]+"((?:[^"\\\n]|\\.)*)"[^\S\n]*\][^\S\n]*')
# What nearly all tags are: alone on their lines, every character meaning itself.
_PLAIN_TAG = re.compile(r'\[([A-Za-z][A-Za-z0-9_]{0,63}) "([^"\\\x00-\x1f\x7f-\x9f\u2028\u2029]*+)"\](?:\n|\Z)')
_ESCAPED = re.compile(r"\\(.)")
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


def read_games(source: IO[str] | IO[bytes] | Iterable[str] | Iterable[bytes]) -> Iterator[Game]:
    """Read games from a file or any lines, each as far as it can be read: `Game.errors` tells what is wrong.

    Bytes are taken as UTF-8. An empty source has no games.
    """
    for index, (first_line, text, fault) in enumerate(split_records(source)):
        yield parse_record(text, first_line, index, fault)


def split_records(source: Iterable[str] | Iterable[bytes]) -> Iterator[tuple[int, str, RecordError | None]]:
    """Cut a source into records: the number of the first line, the text, and what made it too bad to be kept whole.

    A record begins with a tag after movetext or with a second `Event` tag, outside comments. After an empty line an
    `Event` tag begins one inside a comment too: the comment was never closed, and costs no other record.
    """
    cut = _Cut()
    number = 0
    for number, raw in enumerate(_lines(source), 1):
        fault = readable = None
        if isinstance(raw, str):
            line = raw
        else:
            try:
                line = raw.decode()
            except UnicodeDecodeError as error:
                line, fault, readable = _as_far_as_readable(raw, number, error)
        line = line.rstrip("\r\n")
        if number == 1:
            line = line.removeprefix("\ufeff")
        if len(line) > MAX_LINE:
            fault = RecordError(f"longer than {MAX_LINE} characters: {line[:40]!r}…", number, MAX_LINE)
            line = TOO_LONG_TAG if line.startswith("[") else TOO_LONG_MOVES
        if "[" in line and (cut.moves or "Event" in line) and cut.begins(line) and cut.lines:
            yield cut.done()
            cut = _Cut()
        cut.add(number, line, fault, readable)
    if cut.lines:
        yield cut.done()


def _as_far_as_readable(raw: bytes, number: int, error: UnicodeDecodeError) -> tuple[str, RecordError, str]:
    """The text of a line that is not UTF-8, what is wrong with it, and how much of it may be read."""
    line = raw.decode("utf-8", "replace")
    fault = RecordError(f"not UTF-8: {raw[error.start : error.end]!r}", number, error.start + 1)
    return line, fault, line if line.startswith("[") else raw[: error.start].decode("utf-8")


def _lines(source: Iterable[str] | Iterable[bytes]) -> Iterator[str | bytes]:
    """The source's lines, none much longer than `MAX_LINE`; what a file has beyond that in a line is thrown away."""
    readline = getattr(source, "readline", None)
    if readline is None:
        yield from source
        return
    while line := readline(MAX_LINE + 2):
        rest = line
        while rest and len(rest) == MAX_LINE + 2 and rest[-1:] not in ("\n", b"\n"):
            rest = readline(MAX_LINE + 2)
        yield line


@dataclass(slots=True)
class _Cut:
    """The record being cut out."""

    first_line: int = 0
    lines: list[str] = field(default_factory=list)
    size: int = 0
    has_event: bool = False
    moves: bool = False
    in_comment: bool = False
    after_empty: bool = False
    fault: RecordError | None = None

    def begins(self, line: str) -> bool:
        """Whether the line is the first of another record."""
        line = line.lstrip()
        if not line.startswith("["):
            return False
        is_event = line[1:].split(None, 1)[:1] == ["Event"]
        if self.in_comment:
            return self.after_empty and is_event and _TAG.match(line) is not None
        return self.moves or (is_event and self.has_event)

    def add(self, number: int, line: str, fault: RecordError | None, readable: str | None) -> None:
        """Add a line, of which just `readable` is good if that is told. Moves after the first fault are not kept."""
        if not self.lines:
            if not line.strip() and fault is None:
                return
            self.first_line = number
        if fault is None and self.fault is None and self.size + len(line) < MAX_RECORD and self._is_plain(line):
            self.size += len(line) + 1
            self.lines.append(line)
        else:
            self._add(number, line, fault, readable)

    def _is_plain(self, line: str) -> bool:
        """Whether a line is one of those that nearly all are: a tag, or movetext without a comment's beginning."""
        if self.moves:
            return not self.in_comment and "{" not in line
        tag = _PLAIN_TAG.match(line)
        if tag is None:
            return False
        self.has_event = self.has_event or tag[1] == "Event"
        return True

    def _add(self, number: int, line: str, fault: RecordError | None, readable: str | None) -> None:
        self.after_empty = not line.strip()
        self.size += len(line) + 1
        if self.size > MAX_RECORD and self.fault is None:
            fault = RecordError(f"the record is longer than {MAX_RECORD} characters", number, 1)
        if self.size <= MAX_RECORD and not (self.fault and self.moves):
            self.lines.append(line if readable is None else readable)
        self.fault = self.fault or fault
        if line.startswith("%") and not self.in_comment:
            return
        line = line.lstrip()
        if line.startswith("[") and not self.moves:
            at = 0
            while tag := _TAG.match(line, at):
                self.has_event = self.has_event or (tag[1] == "Event" and self.size <= MAX_RECORD)
                at = tag.end()
            line = line[at:] if at else ""  # what is no tag is no movetext either
        if line.strip():
            self.moves = True
            if "{" in line or "}" in line:
                self.in_comment = _open_after(line, self.in_comment)

    def done(self) -> tuple[int, str, RecordError | None]:
        return self.first_line, "\n".join(self.lines), self.fault


def _open_after(line: str, in_comment: bool) -> bool:
    """Whether a brace comment is open at the end of the line."""
    at = 0
    while True:
        if in_comment:
            at = line.find("}", at) + 1
            if at == 0:
                return True
            in_comment = False
        brace, semicolon = line.find("{", at), line.find(";", at)
        if brace < 0 or 0 <= semicolon < brace:
            return False
        at, in_comment = brace + 1, True


def parse_record(text: str, first_line: int = 1, index: int = 0, fault: RecordError | None = None) -> Game:
    """Read one record, whose text has a `fault` of its own if one is given. What cannot be read ends the moves there
    and stands in `Game.faults`; the good part is kept."""
    source = Source(text, first_line)
    tags, at, faults = _parse_tags(source)
    moves = _Moves(source)
    if not faults:
        moves.read(at)
        faults = moves.faults
    if fault is not None:
        faults = [fault, *faults]
    plies, comments = moves.main()
    return Game(tags, plies, comments, moves.ended, tuple(faults), source, index)


def _parse_tags(source: Source) -> tuple[dict[str, str], int, list[RecordError]]:
    """The tag pairs, where the movetext begins, and the faults."""
    tags: dict[str, str] = {}
    faults: list[RecordError] = []
    text, at = source.text, 0

    def fault(message: str, where: int) -> None:
        faults.append(RecordError(message, *source.place(where)))

    while at < len(text):
        plain = _PLAIN_TAG.match(text, at)
        if plain is not None and plain[1] not in tags and len(plain[2]) <= MAX_VALUE:
            tags[plain[1]] = plain[2]
            at = plain.end()
        elif text[at].isspace():
            at += 1
        elif text[at] == "%" and (at == 0 or text[at - 1] == "\n"):
            at = _line_end(text, at)
        elif text[at] != "[":
            break
        else:
            match = _TAG.match(text, at)
            if match is None:
                end = _line_end(text, at)
                fault(f'{text[at : min(end, at + 60)]!r} is not a tag: expected [Name "value"]', at)
                at = end
                continue
            name, value = match[1], _ESCAPED.sub(r"\1", match[2])
            if not NAME.fullmatch(name):
                fault(f"{name[:60]!r} is not a tag's name: expected a letter, then letters, digits or _", at)
            elif name in tags:
                fault(f"the tag {name} is given twice", at)
            elif not is_value(value):
                fault(f"the value of {name} is longer than {MAX_VALUE} characters or a line", at)
            else:
                tags[name] = value
            at = match.end()
    return tags, at, faults


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


@dataclass(slots=True)
class _Open:
    """A line being read: its plies so far, as lists that still grow."""

    plies: list[Ply] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    nags: list[int] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    variations: list[Line] = field(default_factory=list)

    def settle(self) -> None:
        """Give the last ply what was said after it."""
        if self.nags or self.said or self.variations:
            last = self.plies[-1]
            self.plies[-1] = Ply(last.move, tuple(self.nags), tuple(self.said), tuple(self.variations), last.at)
            self.nags, self.said, self.variations = [], [], []

    def line(self) -> Line:
        self.settle()
        return Line(tuple(self.plies), tuple(self.comments))


class _Moves:
    """The movetext of one record, read token by token with a stack of open lines."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.faults: list[RecordError] = []
        self.ended: str | None = None
        self.lines = [_Open()]
        self.count = 0

    def main(self) -> tuple[tuple[Ply, ...], tuple[str, ...]]:
        line = self.lines[0].line()
        return line.plies, line.comments

    def read(self, at: int) -> None:
        text = self.source.text
        end = len(text)
        while at < end:
            if text[at] == "%" and text[at - 1 : at] in ("", "\n"):
                at = _line_end(text, at)
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
                self._fault(f"{token[0][:40]!r} stands after the result {self.ended}", at)
                return
            if kind in ("move", "glyph"):
                if not self._move(token["move"], token["glyph"], at):
                    return
            elif kind not in ("space", "number") and not self._other(str(kind), token, at):
                return
            at = token.end()
        if len(self.lines) > 1:
            self._fault(f"{len(self.lines) - 1} variations are still open at the end: expected ')'", end)

    def _run(self, run: re.Match[str]) -> bool:
        text, at = self.source.text, run.start()
        line = self.lines[-1]
        line.settle()
        plies, count = line.plies, self.count
        try:
            for word in run[0].split():
                if "0" <= word < ":":  # a number
                    continue
                at = text.index(word, at)
                if count == MAX_PLIES:
                    return self._fault(f"more than {MAX_PLIES} plies in one record", at)
                count += 1
                # As `Ply(…)` does, without the call of a Python function.
                plies.append(tuple.__new__(Ply, (Move.parse(word), (), (), (), at)))
                at += len(word)
        except MoveSyntaxError as error:
            return self._fault(str(error), at)
        self.count = count
        return True

    def _move(self, word: str, glyph: str, at: int) -> bool:
        if self.count == MAX_PLIES:
            return self._fault(f"more than {MAX_PLIES} plies in one record", at)
        self.count += 1
        if glyph and glyph not in GLYPHS:
            return self._fault(f"{glyph!r} is not a glyph: expected one of {' '.join(GLYPHS)}", at)
        try:
            move = Move.parse(word)
        except MoveSyntaxError as error:
            return self._fault(str(error), at)
        line = self.lines[-1]
        line.settle()
        line.plies.append(Ply(move, at=at))
        if glyph:
            line.nags.append(GLYPHS[glyph])
        return True

    def _other(self, kind: str, token: re.Match[str], at: int) -> bool:
        line = self.lines[-1]
        if kind in ("comment", "line"):
            words = " ".join((token["line"] if kind == "line" else token[0][1:-1]).split())
            if words:
                (line.said if line.plies else line.comments).append(words)
            return True
        if kind == "paren":
            return self._open(at) if token[0] == "(" else self._close(at)
        if kind in ("nag", "loose"):
            if not line.plies:
                return self._fault(f"{token[0]!r} stands before the first move of its line", at)
            nag = GLYPHS.get(token[0]) if kind == "loose" else int(token["nag"])
            if nag is None or nag > MAX_NAG:
                return self._fault(
                    f"{token[0]!r} is no annotation: expected $0 to ${MAX_NAG} or {' '.join(GLYPHS)}", at
                )
            line.nags.append(nag)
            return True
        if kind == "result":
            if len(self.lines) > 1:
                return self._fault(f"the result {token[0]} stands inside a variation: expected ')'", at)
            self.ended = token[0]
            return True
        if token[0].startswith("{"):
            return self._fault("a comment is never closed: expected '}'", at)
        return self._fault(f"{token[0][:40]!r} is no move, comment, variation, annotation or result", at)

    def _open(self, at: int) -> bool:
        if not self.lines[-1].plies:
            return self._fault(
                "a variation stands before the first move of its line: there is nothing it could replace", at
            )
        if len(self.lines) > MAX_NESTING:
            return self._fault(f"variations are nested more than {MAX_NESTING} deep", at)
        self.lines.append(_Open())
        return True

    def _close(self, at: int) -> bool:
        if len(self.lines) == 1:
            return self._fault("')' closes no variation", at)
        line = self.lines.pop().line()
        if not line.plies:
            return self._fault("a variation without a move", at)
        self.lines[-1].variations.append(line)
        return True

    def _fault(self, message: str, at: int) -> bool:
        """Note what is wrong; the answer, False, ends the reading."""
        self.faults.append(RecordError(message, *self.source.place(at), ply=len(self.lines[0].plies)))
        return False
