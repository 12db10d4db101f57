"""docs/faults.md tells of every kind of `python -m tests.faults`."""

from __future__ import annotations

from tests.docs.pages import page, quoted, rows
from tests.faults.sessions import KINDS


def test_every_kind_has_a_line() -> None:
    assert set(KINDS) <= {name for row in rows(page("faults.md")) for name in quoted(row[0])}
