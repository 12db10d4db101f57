from __future__ import annotations

from random import Random

import pytest

from inkeek.records import Position, Rules
from inkeek.records.analysis import Limits, analyse, solve
from inkeek.records.analysis.tables import Tables, table_folders
from inkeek.records.analysis.tables.building import build_table
from inkeek.records.position import CLOSED

from .plain import TooManyPositions, plain_bounds, small_position, small_rules
from .test_search import GAMES

PITS = 3
SEEDS = 5  # that the tables go up to
POSITIONS = 200  # of each game


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Tables]:
    found = {}
    for id in GAMES:
        folder = tmp_path_factory.mktemp(id)
        build_table(folder / id, rules_of(id), SEEDS)
        assert list(table_folders(folder))
        found[id] = Tables(folder)
    return found


def rules_of(id: str) -> Rules:
    return small_rules(id, PITS, majority_end=False)


def positions(id: str, count: int, most: int) -> list[Position]:
    """Positions of which most, but not all, lie outside the tables."""
    rng, rules = Random(id), rules_of(id)
    found: list[Position] = []
    while len(found) < count:
        position = small_position(rng, rules, rng.randint(SEEDS, most))
        if CLOSED not in position.marks:
            found.append(position.replaced(ply=7))
    return found


@pytest.mark.parametrize("id", GAMES)
def test_tables_change_no_value_that_is_exact(id: str, tables: dict[str, Tables]) -> None:
    agreed = exact = nodes = fewer = 0
    for position in positions(id, POSITIONS, SEEDS + 5):
        rules = rules_of(id).starting_from(position)
        assert tables[id].set_for(rules) is not None
        limits = Limits(depth=30, nodes=3000)
        without = analyse(rules, position, limits, memory=1)
        found = analyse(rules, position, limits, memory=1, tables=tables[id])
        if without.exact and found.exact:
            assert found.lines[0].value == without.lines[0].value, position
            agreed += 1
        exact += found.exact - without.exact
        nodes += without.nodes
        fewer += found.nodes
    assert agreed > POSITIONS // 20
    assert exact >= 0
    assert fewer < nodes


@pytest.mark.parametrize("id", GAMES)
def test_bounds_with_tables_hold_under_any_rule_of_repetition(id: str, tables: dict[str, Tables]) -> None:
    checked = 0
    for position in positions(id, 25, SEEDS + 2):
        rules = rules_of(id).starting_from(position)
        try:
            low, high = plain_bounds(rules, position)
        except TooManyPositions:
            continue
        found = solve(rules, position, limits=Limits(nodes=5000), memory=1, tables=tables[id])
        assert found.lower <= low <= high <= found.upper, position
        checked += 1
    assert checked >= 10


def test_a_position_in_a_table_is_exact_at_once(tables: dict[str, Tables]) -> None:
    position = Position.parse("1.0.2/0.1.1 0-0 s 30")
    rules = rules_of("kalah").starting_from(position)
    found = analyse(rules, position, Limits(depth=1), memory=1, tables=tables["kalah"])
    assert found.exact
    assert found.lines[0].value == tables["kalah"].value(rules, position)


def test_tables_do_not_speak_for_positions_that_came_up_before(tables: dict[str, Tables]) -> None:
    position = Position.parse("0.0.1/0.0.1 4-4 s 40")
    rules = rules_of("oware").starting_from(position)
    history = [turn.position for turn in rules.turns(position)] + [position] * 2
    alone = analyse(rules, position, Limits(depth=12), memory=1, history=history)
    found = analyse(rules, position, Limits(depth=12), memory=1, history=history, tables=tables["oware"])
    assert found.lines[0].value == alone.lines[0].value
