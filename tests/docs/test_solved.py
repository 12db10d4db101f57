"""docs/solved.md: its tables are those of the data."""

from __future__ import annotations

from tests.docs.pages import page
from tests.docs.solved_tables import rewritten

TEXT = page("solved.md")


def test_the_tables_are_those_of_the_data() -> None:
    assert rewritten(TEXT) == TEXT
