"""docs/faults.md tells of every kind and option of `python -m tests.faults`."""

from __future__ import annotations

import re
from pathlib import Path

from tests.faults.__main__ import COLUMNS, main
from tests.faults.sessions import KINDS

PAGE = (Path(__file__).parents[3] / "docs/faults.md").read_text(encoding="utf-8")


def test_every_option_and_kind_has_a_line() -> None:
    for name in (*(option.opts[0] for option in main.params), *KINDS):
        assert re.search(rf"^\| `{name}[ `]", PAGE, re.MULTILINE), name


def test_the_figures_are_of_every_kind_and_nothing_is_wrong_or_lost() -> None:
    start = PAGE.index("\n| fault |")
    head, _, *rows = PAGE[start:].strip().split("\n\n")[0].splitlines()
    headings = [cell.strip() for cell in head.strip("|").split("|")]
    assert headings == ["fault", "sessions", "turns", "recorded", "wrong", "lost"]
    assert set(headings[1:]) <= {heading for heading, _ in COLUMNS}
    figures = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert [row[0] for row in figures] == [*KINDS, "all"]
    assert {tuple(row[-2:]) for row in figures} == {("0", "0")}
    assert sum(int(row[1]) for row in figures[:-1]) == int(figures[-1][1])
    assert int(figures[-1][1]) > 4000
