"""docs/solved.md: its tables are those of the data, and so are the proofs in docs/benchmarks.md."""

from __future__ import annotations

from records.analysis.solved import solved_starts
from tests.docs.pages import page, rows, section
from tests.docs.solved_tables import rewritten

TEXT = page("solved.md")


def test_the_tables_are_those_of_the_data() -> None:
    assert rewritten(TEXT) == TEXT


def test_the_proofs_among_the_benchmarks_are_those_of_the_data() -> None:
    known = {(f"{start.lower:+d}", f"{start.nodes:,}") for start in solved_starts() if start.exact}
    shown = {(value, positions) for _, value, positions in rows(section(page("benchmarks.md"), "Search"))}
    assert len(shown) >= 6
    assert shown <= known
