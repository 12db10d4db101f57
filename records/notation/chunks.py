"""Cutting a file into parts that can be read at the same time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from .splitter import MAX_LINE, TAG


def chunk_starts(file: IO[bytes], size: int, step: int) -> Iterator[int]:
    """Offsets in a file of `size` bytes at which a record begins whatever stands before, some `step` bytes apart; the
    first is 0. Read from one to the next, and the records are those of the whole file.

    That is so where an `Event` tag follows an empty line, and before that a line that is neither a tag nor dropped.
    """
    yield 0
    for target in range(step, size, step):
        start = _next_start(file, target, min(target + step, size))
        if start is not None:
            yield start


def _next_start(file: IO[bytes], at: int, end: int) -> int | None:
    """The first such offset from `at` on, before `end`."""
    file.seek(at)
    at += len(file.readline(MAX_LINE))  # a line begun somewhere: what it is cannot be told
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
