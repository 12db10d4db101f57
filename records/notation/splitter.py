"""Splitting a file into the texts of its records, line by line, without reading the moves."""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from typing import IO, AnyStr, NamedTuple, TypeAlias

from inkeek.records.errors import ErrorText, SourceError
from inkeek.records.record import RecordError
from inkeek.records.text import utf8_error

from .tags import OPENING, TAG, TAG_NAME, find_tags

MAX_LINE = 100_000  # characters in a line
MAX_RECORD = 4_000_000  # characters in a record
MAX_UNREAD = 20_000_000  # bytes that are read of a record, which is long wrong: devices and pipes may have no end
LONG_TAG, LONG_MOVES = "[", "}"  # replace a line that is too long: not a tag, or the end of any comment

_NAME = re.compile(TAG_NAME)
_COMMENT = re.compile(r"\{[^}]*+(\}?)|;[^\n]*+")


class RecordText(NamedTuple):
    """The text of one record in a file.

    `first_line` counts from 1. `fault` is what makes the record too bad to be kept whole; `text` is then what can be
    read of it, and `is_cut` says whether its moves end early.
    """

    first_line: int
    text: str
    fault: RecordError | None
    is_cut: bool


def split_records(source: Iterable[str] | Iterable[bytes]) -> Iterator[RecordText]:
    """Split a source into records.

    A record begins with a tag after movetext or with a second `Event` tag, outside comments. After an empty line an
    `Event` tag begins one inside a comment too: so a comment that is not closed costs no other record.
    """
    record = _OpenRecord()
    at = 0
    for number, (raw, length) in enumerate(_lines(source), 1):
        fault = readable = None
        if raw[:1] in ("\ufeff", BOM_UTF8[:1]):
            raw = record.without_marks(raw)
        if isinstance(raw, str):
            line = raw
        else:
            try:
                line = raw.decode()
            except UnicodeDecodeError as error:
                line, fault, readable = _decode_bad_line(raw, number, error)
        line = line.rstrip("\r\n")
        if fault is not None or length > MAX_LINE or not record.add_plain(line):
            if len(line) > MAX_LINE:
                fault = RecordError(
                    ErrorText("longer than %(most)s characters: %(line)r…", most=MAX_LINE, line=line[:40]),
                    number,
                    MAX_LINE,
                    code="too-long",
                )
                opening = OPENING.match(line)
                line, readable = (opening[0] if opening else LONG_TAG, None) if line[0] == "[" else (LONG_MOVES, "")
            if record.lines and record.ends_before(line):
                yield record.text()
                record = _OpenRecord(at)
            record.add(number, at, line, fault, readable)
        at += length
        if at - record.offset > MAX_UNREAD:
            record.give_up(number)
            break
    if record.lines:
        yield record.text()


def _lines(source: Iterable[str] | Iterable[bytes]) -> Iterator[tuple[str | bytes, int]]:
    """The source's lines and their lengths. Of a line in a file, only the first `MAX_LINE` + 2 are in memory, and what
    is longer than `MAX_UNREAD` is read no further."""
    readline = getattr(source, "readline", None)
    if readline is None:
        for line in source:
            if not isinstance(line, str | bytes):
                raise SourceError(f"{line!r:.80} is no line of a record: expected a text or bytes")
            yield line, len(line)
        return
    while line := readline(MAX_LINE + 2):
        length = len(line)
        rest = line
        while len(rest) == MAX_LINE + 2 and rest[-1:] not in ("\n", b"\n") and length <= MAX_UNREAD:
            rest = readline(MAX_LINE + 2)
            length += len(rest)
        yield line, length


def _decode_bad_line(raw: bytes, number: int, error: UnicodeDecodeError) -> tuple[str, RecordError, str]:
    """The text of a line that is not UTF-8, what is wrong with it, and how much of it may be read."""
    line = raw.decode("utf-8", "replace").rstrip("\r\n")
    fault = RecordError(utf8_error(raw, error.start), number, error.start + 1, code="not-utf-8")
    return line, fault, line if line.startswith("[") else raw[: error.start].decode("utf-8")


class _OpenRecord:
    def __init__(self, offset: int = 0) -> None:
        self.lines: list[str] = []
        self.offset = offset
        self._first_line = 0
        self._size = 0
        self._has_event = False
        self._moves = False  # whether the movetext has begun
        self._in_comment = False  # after the first `_scanned` lines
        self._scanned = 0
        self._names: set[str] = set()  # of the tags in the first `_named` lines
        self._named = 0
        self._after_empty = False
        self._fault: RecordError | None = None
        self._is_cut = False

    def ends_before(self, line: str) -> bool:
        """Whether the line is the first of another record."""
        line = line.lstrip()
        if not line.startswith("[") or (self._moves and OPENING.match(line) is None):
            return False
        is_event = line[1:].split(None, 1)[:1] == ["Event"]
        if self._moves and self._scan():
            return self._after_empty and is_event and TAG.match(line) is not None
        return self._moves or (is_event and self._has_event)

    def without_marks(self, line: str | bytes) -> str | bytes:
        """A line without the byte order marks before it, as between files that were put together; a line in a brace
        comment keeps them."""
        bare = _strip(line, "\ufeff") if isinstance(line, str) else _strip(line, BOM_UTF8)
        text = bare if isinstance(bare, str) else bare.decode("utf-8", "replace")
        return line if self._moves and self._scan() and not self.ends_before(text) else bare

    def add_plain(self, line: str) -> bool:
        """Add a line that needs no closer look, as nearly all: an empty one, a simple tag, or movetext that begins
        with neither white space nor `[` nor `%`. False: the line was not added."""
        first = line[:1]
        if self._fault is not None or not self.lines or self._size + len(line) >= MAX_RECORD:
            return False
        if first == "[":
            if self._moves or line[-2:] != '"]' or line.count('"') != 2 or "Event" in line:
                return False
        elif "(" <= first <= "~":
            if not self._moves:
                self._moves, self._scanned = True, len(self.lines)
        elif line:
            return False
        self._after_empty = not line
        self._size += len(line) + 1
        self.lines.append(line)
        return True

    def add(self, number: int, at: int, line: str, fault: RecordError | None, readable: str | None) -> None:
        """Add the line that begins at the offset `at`; only `readable` of it if that is given. Nothing is kept after a
        fault among the moves."""
        if not self.lines:
            if not line.strip() and fault is None:
                return
            self._first_line, self.offset = number, at
        in_comment = self._moves and self._scan()
        self._after_empty = not line.strip()
        self._size += len(line) + 1
        if self._size > MAX_RECORD and self._fault is None:
            too_long = ErrorText("the record is longer than %(most)s characters", most=MAX_RECORD)
            fault = RecordError(too_long, number, 1, code="too-long")
        if self._size <= MAX_RECORD and not self._is_cut:
            self.lines.append(line if readable is None else readable)
        self._scanned = len(self.lines)
        self._fault = self._fault or fault
        is_tag = not self._moves and line.startswith("[")
        self._is_cut = self._is_cut or (fault is not None and not is_tag) or self._size > MAX_RECORD
        if line.startswith("%") and not in_comment:
            return
        line = line.lstrip()
        if line.startswith("[") and not self._moves:
            end = 0
            while (tag := TAG.match(line, end)) and _NAME.fullmatch(tag[1]):
                self._has_event = self._has_event or (tag[1] == "Event" and self._size <= MAX_RECORD)
                end = tag.end()
            rest = line[end:]
            # A wrong tag is no movetext, nor is what follows it in its line.
            line = "" if rest.startswith("[") or (rest.strip() and self._is_given_twice()) else rest
        if line.strip():
            self._moves = True
            self._in_comment = _comment_open_after(line, in_comment)

    def _is_given_twice(self) -> bool:
        is_again = False
        for line in self.lines[self._named :]:
            names = [tag[1] for _, tag in find_tags(line) if tag is not None]
            is_again = len({*names}) < len(names) or not self._names.isdisjoint(names)
            self._names.update(names)
        self._named = len(self.lines)
        return is_again

    def _scan(self) -> bool:
        if self._scanned < len(self.lines):
            self._in_comment = _comment_open_after("\n".join(self.lines[self._scanned :]), self._in_comment)
            self._scanned = len(self.lines)
        return self._in_comment

    def text(self) -> RecordText:
        return RecordText(self._first_line, "\n".join(self.lines), self._fault, self._is_cut)

    def give_up(self, number: int) -> None:
        """End the record at the line `number`, with the fault that nothing more was read."""
        self._first_line, self.lines, self._is_cut = self._first_line or number, self.lines or [""], True
        message = ErrorText("no other record begins in %(most)s bytes: the rest was not read", most=MAX_UNREAD)
        self._fault = RecordError(message, number, 1, code="too-long")


def _strip(line: AnyStr, mark: AnyStr) -> AnyStr:
    while line.startswith(mark):
        line = line.removeprefix(mark)
    return line


def _comment_open_after(text: str, in_comment: bool) -> bool:
    if ";" not in text:
        _, closed, rest = text.rpartition("}")
        return "{" in rest or (in_comment and not closed)
    at = 0
    if in_comment:
        at = text.find("}") + 1
        if at == 0:
            return True
    *_, last = None, *_COMMENT.finditer(text, at)
    return last is not None and last[0].startswith("{") and not last[1]


# Where records are read from: a path, an open file, or lines.

RecordSource: TypeAlias = str | os.PathLike[str] | IO[str] | IO[bytes] | Iterable[str] | Iterable[bytes]


def records_of(source: RecordSource) -> Iterator[RecordText]:
    """The records of a source. A file that is given by its path is open only while it is read.

    :raises FileNotFoundError: there is no file at the path.
    :raises SourceError: the source is no path but a text.
    """
    is_text = isinstance(source, str) and ("\n" in source or source[:1] in ("", "["))
    if is_text or isinstance(source, bytes | bytearray):
        raise SourceError(
            f"{source!r:.40} is a text, not the path of a file: pass io.StringIO(text) or io.BytesIO(text)"
        )
    if isinstance(source, str | os.PathLike):
        os.stat(source)
        return _records_at(source)
    if not (hasattr(source, "readline") or isinstance(source, Iterable)):
        raise SourceError(f"{source!r:.80} holds no records: expected a path, an open file or lines")
    return split_records(source)


def _records_at(path: str | os.PathLike[str]) -> Iterator[RecordText]:
    with open(path, "rb") as file:
        yield from split_records(file)
