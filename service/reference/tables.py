"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[int] = ()) -> str:
    """Return a table; the columns in `right` are aligned to the right. A `|` in a cell must be escaped."""
    to_right = set(right)
    rule = "|".join("--:" if column in to_right else "---" for column in range(len(headings)))
    lines = [f"| {' | '.join(headings)} |", f"|{rule}|"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(lines) + "\n"


def sentence(text: str) -> str:
    """Return a text of one line that begins with a capital and ends with a full stop."""
    words = " ".join(text.split())
    if not words:
        return ""
    return words[0].upper() + words[1:] + ("" if words[-1] in ".!?" else ".")
