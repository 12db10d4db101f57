from __future__ import annotations

from itertools import islice
from random import Random

import pytest

from inkeek.records import Position, ruleset
from inkeek.records.analysis import Limits, Solution, solve
from tests.records.analysis.small_boards import small_rules as small_board

from .plain import bounded_positions
from .test_search import GAMES

# Seeds a pit, whether a single seed is captured, value: Irving, Donkers and Uiterwijk 2000.
KALAH = [(1, True, 2), (2, True, 10)]
LARGE_KALAH = [(3, True, 2), (3, False, 2)]


@pytest.mark.parametrize("id", GAMES)
def test_what_it_proves_holds_under_any_rule_of_repetition(id: str) -> None:
    met = 0
    for rules, position, low, high in islice(bounded_positions(Random(id), id, (3, 8)), 12):
        found = solve(rules, position, memory=1)
        assert found.lower <= low <= high <= found.upper, f"{rules} {position}"
        met += (found.lower, found.upper) == (low, high)
    assert met >= 8


@pytest.mark.parametrize(("seeds", "empty_capture", "value"), KALAH)
def test_it_proves_what_others_found_of_kalah(seeds: int, empty_capture: bool, value: int) -> None:
    rules = ruleset("kalah", seeds=seeds, empty_capture=empty_capture)
    found = solve(rules, rules.start(), memory=4)
    assert found.exact
    assert found.value == value
    assert found.collisions == 0


@pytest.mark.parametrize(("seeds", "empty_capture", "value"), LARGE_KALAH)
def test_it_proves_larger_games_of_kalah(seeds: int, empty_capture: bool, value: int) -> None:
    rules = ruleset("kalah", seeds=seeds, empty_capture=empty_capture)
    found = solve(rules, rules.start(), memory=256)
    assert found.value == value
    assert found.nodes < 8_000_000


def test_it_proves_the_start_of_bof() -> None:
    rules = ruleset("bof")
    seen: list[Solution] = []
    found = solve(rules, rules.start(), memory=16, on_progress=seen.append)
    assert (found.value, found.collisions) == (6, 0)
    assert all(one.lower <= 6 <= one.upper for one in seen)


@pytest.mark.parametrize(
    ("game", "pits", "seeds", "options", "value"),
    [("enkeshui", 4, 4, {"direction_choice": "none"}, 8), ("enkeshui-wikipedia", 5, 1, {}, 2)],
)
def test_estimates_of_shallower_searches_do_not_go_round_for_ever(
    game: str, pits: int, seeds: int, options: dict[str, str], value: int
) -> None:
    rules = small_board(game, pits, seeds, rearrangement="none", **options)
    found = solve(rules, rules.start(), memory=16)
    assert (found.lower, found.upper) == (value, value)


def test_two_threads_prove_the_same() -> None:
    rules = ruleset("kalah", seeds=2, empty_capture=True)
    found = solve(rules, rules.start(), threads=2, memory=4)
    assert found.value == 10
    assert 0 < found.collisions < 1e-9


def test_a_limit_leaves_bounds() -> None:
    rules = ruleset("kalah", seeds=4)
    found = solve(rules, rules.start(), limits=Limits(nodes=20_000), memory=1)
    assert not found.exact
    assert found.value is None
    assert found.lower <= 8 <= found.upper
    assert found.nodes <= 20_000


@pytest.mark.parametrize("id", GAMES)
def test_bounds_hold_wherever_the_search_stops(id: str) -> None:
    narrowed = 0
    for rules, position, low, high in islice(bounded_positions(Random(id), id, (5, 8)), 6):
        for nodes in (10, 40, 160):
            found = solve(rules, position, limits=Limits(nodes=nodes), memory=1)
            assert found.lower <= low <= high <= found.upper, f"{rules} {position} {nodes}"
            narrowed += found.upper - found.lower < 2 * rules.seeds
    assert narrowed


def test_a_search_that_is_far_from_a_proof_has_bounds_from_outside() -> None:
    rules = ruleset("layli-goobalay", pits=6)
    found = solve(rules, rules.start(), limits=Limits(nodes=20_000), memory=1)
    assert -48 < found.lower < -14 < found.upper < 48


def test_a_finished_game_is_its_own_proof() -> None:
    rules = ruleset("kalah")
    over = Position.parse("0.0.0.0.0.0/0.2.0.0.0.0 20-26 s 40")
    found = solve(rules, over, memory=1)
    assert (found.value, found.move) == (-8, None)
