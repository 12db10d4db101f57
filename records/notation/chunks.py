"""Dividing a file into chunks that several processes can read at the same time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from .splitter import MAX_LINE
from .tag_pairs import TAG


def chunk_starts(file: IO[bytes], size: int, step: int) -> Iterator[int]:
    """Offsets in a file of `size` bytes where a record begins for certain, about `step` bytes apart; the first is 0.
    Read separately, the chunks between them give the records of the whole file.

    A record begins for certain at an `Event` tag after an empty line, if the line before that is neither a tag nor an
    escape.
    """
    yield 0
    for target in range(step, size, step):
        start = _next_start(file, target, min(target + step, size))
        if start is not None:
            yield start


def _next_start(file: IO[bytes], at: int, end: int) -> int | None:
    """The first such offset from `at` on, before `end`."""
    file.seek(at)
    at += len(file.readline(MAX_LINE))  # the rest of a line: what it is depends on its beginning
    after_moves = after_empty = False
    while at < end:
        line = file.readline(MAX_LINE)
        words = line.lstrip()
        if not words:
            after_empty = True
        elif after_moves and after_empty and line.startswith(b"[Event") and TAG.match(line.decode("utf-8", "replace")):
            return at
        else:
            after_moves, after_empty = line.endswith(b"\n") and not words.startswith((b"[", b"%")), False
        at += len(line)
    return None
