"""Finding the tag pairs at the beginning of a record."""

from __future__ import annotations

import re
from collections.abc import Iterator

TAG = re.compile(r'\[[^\S\n]*([^\s"\]]+)[^\S\n]+"((?:[^"\\\n]|\\.)*)"[^\S\n]*\][^\S\n]*')
NAME = r"[A-Za-z][A-Za-z0-9_]*+"
OPENING = re.compile(rf'\[[^\S\n]*{NAME}[^\S\n]+"')  # what a tag begins with: its name and a quote
_NEXT = re.compile(r"(?:\s++|(?m:^)%[^\n]*+)*+")  # white space and escapes


def find_tags(text: str, at: int = 0) -> Iterator[tuple[int, re.Match[str] | None]]:
    """Every tag from `at` on with its offset; None for a line that begins as one and is none. At the end comes the
    offset of what follows, with None."""
    while True:
        space = _NEXT.match(text, at)
        at = space.end() if space else at
        if not text.startswith("[", at):
            yield at, None
            return
        tag = TAG.match(text, at)
        yield at, tag
        if tag is not None:
            at = tag.end()
        else:
            end = text.find("\n", at)
            at = len(text) if end < 0 else end + 1
