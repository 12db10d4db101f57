"""Cutting a file into records, line by line, without looking into the moves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from records.game import RecordError

MAX_LINE = 100_000  # characters; the writer makes lines of 80
MAX_RECORD = 4_000_000  # characters in one record
TOO_LONG_TAG, TOO_LONG_MOVES = "[", "}"  # stand for a line longer than MAX_LINE: no tag, or the end of any comment

TAG = re.compile(r'\[[^\S\n]*([^\s"\]]+)[^\S\n]+"((?:[^"\\\n]|\\.)*)"[^\S\n]*\][^\S\n]*')
# What nearly all tags are: alone on their lines, every character meaning itself.
PLAIN_TAG = re.compile(r'\[([A-Za-z][A-Za-z0-9_]{0,63}) "([^"\\\x00-\x1f\x7f-\x9f\u2028\u2029]*+)"\](?:\n|\Z)')


class RecordText(NamedTuple):
    """A record as it was cut out.

    `text` is what of it can be read, its first line is `first_line` of the file (from 1), `fault` what made it too bad
    to be kept whole. It stands `offset` from the beginning of the source and is `length` long with the empty lines
    after it: in bytes if the source gives bytes, else in characters.
    """

    first_line: int
    text: str
    fault: RecordError | None
    offset: int
    length: int


def split_records(source: Iterable[str] | Iterable[bytes], first_line: int = 1) -> Iterator[RecordText]:
    """Cut a source, whose first line has the number `first_line`, into records.

    A record begins with a tag after movetext or with a second `Event` tag, outside comments. After an empty line an
    `Event` tag begins one inside a comment too: the comment was never closed, and costs no other record.
    """
    cut = _Cut()
    at = 0
    for number, (raw, length) in enumerate(_lines(source), first_line):
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
            yield cut.done(at)
            cut = _Cut()
        cut.add(number, at, line, fault, readable)
        at += length
    if cut.lines:
        yield cut.done(at)


def _as_far_as_readable(raw: bytes, number: int, error: UnicodeDecodeError) -> tuple[str, RecordError, str]:
    """The text of a line that is not UTF-8, what is wrong with it, and how much of it may be read."""
    line = raw.decode("utf-8", "replace")
    fault = RecordError(f"not UTF-8: {raw[error.start : error.end]!r}", number, error.start + 1)
    return line, fault, line if line.startswith("[") else raw[: error.start].decode("utf-8")


def _lines(source: Iterable[str] | Iterable[bytes]) -> Iterator[tuple[str | bytes, int]]:
    """The source's lines and their lengths; what a file has in a line beyond `MAX_LINE` is not among them."""
    readline = getattr(source, "readline", None)
    if readline is None:
        for line in source:
            yield line, len(line)
        return
    while line := readline(MAX_LINE + 2):
        length = len(line)
        rest = line
        while rest and len(rest) == MAX_LINE + 2 and rest[-1:] not in ("\n", b"\n"):
            rest = readline(MAX_LINE + 2)
            length += len(rest)
        yield line, length


@dataclass(slots=True)
class _Cut:
    """The record being cut out."""

    first_line: int = 0
    offset: int = 0
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
            return self.after_empty and is_event and TAG.match(line) is not None
        return self.moves or (is_event and self.has_event)

    def add(self, number: int, at: int, line: str, fault: RecordError | None, readable: str | None) -> None:
        """Add the line that stands at `at`, of which just `readable` is good if that is told. Moves after the first
        fault are not kept."""
        if not self.lines:
            if not line.strip() and fault is None:
                return
            self.first_line, self.offset = number, at
        if fault is None and self.fault is None and self.size + len(line) < MAX_RECORD and self._is_plain(line):
            self.size += len(line) + 1
            self.lines.append(line)
        else:
            self._add(number, line, fault, readable)

    def _is_plain(self, line: str) -> bool:
        """Whether a line is one of those that nearly all are: a tag, or movetext without a comment's beginning."""
        if self.moves:
            return not self.in_comment and "{" not in line
        tag = PLAIN_TAG.match(line)
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
            while tag := TAG.match(line, at):
                self.has_event = self.has_event or (tag[1] == "Event" and self.size <= MAX_RECORD)
                at = tag.end()
            line = line[at:] if at else ""  # what is no tag is no movetext either
        if line.strip():
            self.moves = True
            if "{" in line or "}" in line:
                self.in_comment = _open_after(line, self.in_comment)

    def done(self, end: int) -> RecordText:
        return RecordText(self.first_line, "\n".join(self.lines), self.fault, self.offset, end - self.offset)


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
