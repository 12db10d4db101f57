from __future__ import annotations

import pytest

from inkeek.records import ruleset
from inkeek.records.analysis.search import new_searcher, table_memory
from inkeek.records.kernel.searcher import TranspositionTable


def test_the_table_stays_within_its_memory() -> None:
    for mebibytes in (0.01, 0.5, 1, 3, 8, 2048, 4096):  # memory that nobody touches costs nothing
        assert 0.5 < TranspositionTable(mebibytes).entries() * 16 / (mebibytes * (1 << 20)) <= 1


@pytest.mark.parametrize("nodes", [1, 500, 20_000])
def test_a_short_search_has_a_table_that_it_cannot_fill(nodes: int) -> None:
    memory = table_memory(64, 1, nodes)
    assert 4 * nodes <= TranspositionTable(memory).entries() <= 16 * nodes
    assert table_memory(64, 2, nodes) == 64  # threads that search on until all of them are stopped
    assert table_memory(64, 1, None) == 64
    assert table_memory(64, 1, 1_000_000_000) == 64


def test_the_table_says_how_full_it_is() -> None:
    table = TranspositionTable(1)
    assert table.used() == 0
    table_of_a_search = TranspositionTable(1)
    rules = ruleset("oware")
    searcher = new_searcher(rules, table_of_a_search)
    searcher.set_root(rules.start(), [])
    searcher.search(7, -100, 100)
    assert 0 < table_of_a_search.used(1 << 20) < 1
