from __future__ import annotations

import math
import threading
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from inkeek.records import PASS, Position, Rules, ruleset, ruleset_ids
from inkeek.records.analysis import Analysis, Limits, analyse, solve
from inkeek.records.analysis.search import SearchTable
from inkeek.records.analysis.tables import Tables, build_table, table_folders
from inkeek.records.position import CLOSED

from .plain import TooManyPositions, bounded_positions, plain_bounds, small_position, small_rules

GAMES = ("anywoli", "bof", "enkeshui", "kalah", "layli-goobalay", "oware")


@pytest.mark.parametrize("id", ruleset_ids())
def test_it_finds_legal_lines_in_every_game(id: str) -> None:
    rules = ruleset(id)
    found = analyse(rules, rules.start(), Limits(depth=5), lines=2, memory=4)
    assert 1 <= found.depth <= 5
    assert len(found.lines) == min(2, len(rules.legal_moves(rules.start())))
    for line in found.lines:
        position = rules.start()
        for move in line.moves:
            turn = rules.play(position, move)
            assert turn.move == move
            position = turn.position


@pytest.mark.parametrize("id", GAMES)
def test_what_it_calls_exact_is_the_value(id: str) -> None:
    exact = 0
    positions = bounded_positions(Random(id), id, (3, 7))
    while exact < 4:
        rules, position, low, high = next(positions)
        found = analyse(rules, position, Limits(depth=60, nodes=30_000), memory=1)
        if found.exact or low == high:
            exact += 1
        if found.exact:
            assert low <= found.lines[0].value <= high


def test_it_finds_the_same_again_on_one_thread() -> None:
    rules = ruleset("enkeshui", pits=8)
    first, second = (analyse(rules, rules.start(), Limits(nodes=30_000), memory=2, lines=2) for _ in range(2))
    assert (first.lines, first.depth, first.nodes) == (second.lines, second.depth, second.nodes)
    assert first.nodes <= 30_000


def test_lines_differ_in_their_first_turn_and_the_best_comes_first() -> None:
    rules = ruleset("oware")
    found = analyse(rules, rules.start(), Limits(depth=6), lines=9, memory=2)
    assert len({line.moves[0] for line in found.lines}) == 6
    assert all(one.value >= other.value for one, other in pairwise(found.lines))
    best = analyse(rules, rules.start(), Limits(depth=6), memory=2).lines[0]
    assert found.lines[0].value == best.value


def test_two_threads_share_the_work() -> None:
    rules = ruleset("kalah", seeds=2, empty_capture=True)
    found = analyse(rules, rules.start(), Limits(depth=100), threads=2, memory=8)
    assert found.exact
    assert found.lines[0].value == 10


def test_each_depth_is_reported() -> None:
    rules = ruleset("oware")
    seen: list[Analysis] = []
    found = analyse(rules, rules.start(), Limits(depth=4), memory=1, on_progress=seen.append)
    assert [each.depth for each in seen] == [1, 2, 3, 4]
    assert seen[-1].lines == found.lines


def test_a_request_to_stop_ends_the_search() -> None:
    rules = ruleset("enkeshui", pits=8)
    stop = threading.Event()

    def stop_at_once(found: Analysis) -> None:
        stop.set()

    found = analyse(rules, rules.start(), Limits(seconds=600), stop=stop, on_progress=stop_at_once, memory=2)
    assert found.lines
    assert found.seconds < 60


def test_the_deadline_is_kept_by_the_clock_that_is_given() -> None:
    times = iter(range(1000))
    rules = ruleset("oware")
    found = analyse(rules, rules.start(), Limits(seconds=50), memory=1, clock=lambda: float(next(times)))
    assert 50 <= found.seconds < 70


def test_an_error_in_the_report_of_progress_reaches_the_caller() -> None:
    def fail(found: Analysis) -> None:
        raise RuntimeError("no paper")

    rules = ruleset("oware")
    with pytest.raises(RuntimeError, match="no paper"):
        analyse(rules, rules.start(), Limits(depth=30), memory=1, on_progress=fail)


@pytest.mark.parametrize("threads", [1, 2])
def test_exact_lines_go_to_the_end_of_the_game(threads: int) -> None:
    rules = ruleset("kalah")
    position = Position.parse("1.2.0.1.0.3/0.2.1.0.2.1 17-18 s 40")
    found = analyse(rules, position, Limits(depth=60), lines=3, threads=threads, memory=1)
    for line in found.lines:
        assert line.exact
        last = position
        for move in line.moves:
            last = rules.play(last, move).position
        outcome = rules.outcome(last)
        assert outcome is not None
        assert outcome.score[0] - outcome.score[1] == line.value


@pytest.mark.parametrize("id", ["bof", "enkeshui", "oware"])
def test_a_table_that_is_kept_changes_no_value_that_is_exact(id: str) -> None:
    """Of positions of many games in turn: other seeds, closed pits and stores."""
    exact, table = 0, SearchTable(1)
    positions = bounded_positions(Random(id), id, (3, 7))
    while exact < 6:
        rules, position, low, high = next(positions)
        found = analyse(rules, position, Limits(depth=60, nodes=9000), table=table)
        if found.exact:
            exact += 1
            assert low <= found.lines[0].value <= high


@pytest.mark.parametrize("change", ["rules", "table", "closed", "unsown", "repeated", "tables"])
def test_a_table_is_cleared_for_what_its_keys_leave_out(change: str, tmp_path: Path) -> None:
    rules, other, history, tables = ruleset("bof"), ruleset("bof"), (), None
    position = rules.start()
    table = SearchTable(1)
    analyse(rules, position, Limits(depth=5), table=table)
    table.prepare(rules, position, [position])
    assert table.entries.used() > 0
    if change == "rules":
        other = ruleset("bof", repetition=2)
    elif change == "table":  # of one id, as local games may be
        rows = {**(rules.info.table or {}), "end": {**(rules.info.table or {})["end"], "rest": "nobody"}}
        other = ruleset(replace(rules.info, table=rows))
    elif change == "closed":
        position = position.replaced(marks=(CLOSED, *position.marks[1:]))
    elif change == "unsown":
        position = position.replaced(unsown=1)
    elif change == "repeated":
        history = (position, position)
    else:
        build_table(tmp_path / "bof", rules, 1)
        tables = Tables(tmp_path)
    table.prepare(other, position, history, tables=tables)
    assert table.entries.used() == 0


def test_a_finished_game_has_its_value_and_no_moves() -> None:
    rules = ruleset("kalah")
    over = Position.parse("0.0.0.0.0.0/0.2.0.0.0.0 20-26 s 40")
    (line,) = analyse(rules, over, Limits(depth=3), memory=1).lines
    assert (line.value, line.moves, line.exact) == (-8, (), True)


def test_it_passes_where_that_is_the_only_move() -> None:
    rules = ruleset("anywoli", pits=7)
    position = Position.parse("0.0.0.0.0.0.0/5.0.1.0.0.2.0 24-24 s 41")
    assert analyse(rules, position, Limits(depth=4), memory=1).lines[0].moves[0] == PASS


def test_a_value_that_hangs_on_a_repetition_is_not_exact() -> None:
    rules = ruleset("oware", majority_end=False)
    circling = Position.parse("0.0.0.0.0.1/0.0.0.0.0.1 23-23 s 40")
    rules.verify_position(circling)
    found = analyse(rules, circling, Limits(depth=40), memory=1)
    assert found.lines[0].exact or "repetition" in found.lines[0].depends_on


def test_positions_before_count_for_repetition() -> None:
    rules = ruleset("anywoli", pits=7)
    position = Position.parse("0.0.0.0.0.0.0/1.0.0.1.0.0.0 27-27 n 40")
    alone = analyse(rules, position, Limits(depth=8), memory=1)
    history = [turn.position for turn in rules.turns(position)] * 2
    after = analyse(rules, position, Limits(depth=8), memory=1, history=history)
    assert after.nodes < alone.nodes


def test_moves_that_no_search_tries_are_named() -> None:
    rules = ruleset("enkeshui", pits=8)
    assert analyse(rules, rules.start(), Limits(depth=1), memory=1).left_out == ("rearrangement",)
    later = rules.start().replaced(ply=2)
    assert analyse(rules, later, Limits(depth=1), memory=1).left_out == ()


@pytest.mark.parametrize(
    "limits",
    [
        {},
        {"depth": 0},
        {"nodes": 0, "depth": 3},
        {"depth": 2.5},
        *({"seconds": seconds} for seconds in (-1.0, 0, math.nan, math.inf, 1e300, True, "1")),
        *({name: number} for name in ("depth", "nodes") for number in (math.nan, 2**63, True, "1")),
    ],
)
def test_limits_must_limit(limits: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"limit|whole number"):
        Limits(**limits)


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
