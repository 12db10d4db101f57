"""The perft tables: the kernel counts what they say, and the reference too."""

from __future__ import annotations

import pytest

from inkeek.records import Position, Rules
from inkeek.records.kernel.loader import MODES
from tests.records import perft_tables, reference
from tests.records.perft_tables import Table

TABLES = perft_tables.load()
COMPILED, INTERPRETED, REFERENCE = 100_000, 2500, 1000  # sequences counted again of each table
MOST_LAPS = 3_000_000  # of the reference in one position: where the kernel gives a turn up, it must see that too
OWARE = (6, 36, 190, 1014, 5219, 27332, 139157)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_the_kernel_counts_what_the_table_says(table: Table, mode: str) -> None:
    rules, position = table.start(mode)
    depth = table.depth_within(COMPILED if mode == "compiled" else INTERPRETED)
    assert [rules.perft(position, deep) for deep in range(1, depth + 1)] == list(table.counts[:depth])


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_the_reference_counts_what_the_table_says(table: Table) -> None:
    rules, position = table.start()
    depth = table.depth_within(REFERENCE)
    reached = [position]
    counts = []
    for _ in range(depth):
        reached = [after for before in reached for after in next_ones(rules, before)]
        counts.append(len(reached))
    assert counts == list(table.counts[:depth])


def next_ones(rules: Rules, position: Position) -> list[Position]:
    """The positions after every turn that the reference finds."""
    turns = [
        turn
        for turn in reference.all_turns(rules.info.family, rules.options, position, MOST_LAPS)
        if isinstance(turn, reference.Done)
    ]
    other = position.replaced(to_move=position.to_move.other, ply=position.ply + 1)
    passes = rules.options.get("no_move") == "pass"
    if not turns and passes and reference.all_turns(rules.info.family, rules.options, other):
        return [other]
    return [
        Position(
            turn.pits,
            turn.marks,
            turn.stores,
            position.to_move if turn.again else position.to_move.other,
            position.ply + 1,
        )
        for turn in turns
    ]


def test_oware_has_the_published_numbers() -> None:
    (table,) = (table for table in TABLES if table.game == "oware" and not table.options and not table.laid_out)
    assert table.counts[: len(OWARE)] == OWARE
