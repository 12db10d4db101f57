"""Rows as CSV. No cell is taken for a formula by a spreadsheet."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence

# What a spreadsheet takes for the beginning of a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


class _Echo:
    """A file that hands back what is written, which `csv.writer` returns."""

    def write(self, text: str) -> str:
        return text


def safe_cell(value: object) -> object:
    """A cell; text that a spreadsheet would run as a formula has an apostrophe before it."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def csv_lines(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """The lines of a table, one after another. None is an empty cell."""
    writer = csv.writer(_Echo())
    yield writer.writerow(head)
    for row in rows:
        yield writer.writerow(list(map(safe_cell, row)))
