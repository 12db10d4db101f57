"""docs/findings.md: its table of kinds is that of the code."""

from __future__ import annotations

from tests.docs.findings_table import kinds_table
from tests.docs.pages import page


def test_the_page_has_the_table_of_kinds() -> None:
    assert kinds_table() in page("findings.md")
