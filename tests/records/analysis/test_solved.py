"""The starts that are solved: the quickest are proven again, and all are held against the rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from inkeek.records import Move
from inkeek.records.analysis import solve
from inkeek.records.analysis.solved import CHECKS, SolvedStart, solved_starts, write_solved
from inkeek.records.rules.ruleset import load_ruleset

STARTS = solved_starts()
QUICK = sorted((one for one in STARTS if one.exact and not one.tables), key=lambda one: one.nodes)[:50]
MOST_TURNS = 24  # that are searched alone
SMALLER = 6  # pits in a row of the largest small board


def name(start: SolvedStart) -> str:
    return " ".join([start.game, *map(str, start.options.values()), start.start])


def test_forty_small_boards_of_the_traditional_games_are_solved_and_checked_twice() -> None:
    traditional = {start.game for start in STARTS if load_ruleset(start.game).text}
    solved = [one for one in STARTS if one.game in traditional and one.pits <= SMALLER and one.exact]
    checked = [one for one in solved if len(one.checks) >= 2]
    assert len(checked) >= 40
    assert {one.game for one in checked} == traditional
    assert sum("table" in one.checks for one in checked) >= 25


@pytest.mark.parametrize("start", STARTS, ids=name)
def test_what_is_said_of_a_start_fits_the_rules(start: SolvedStart) -> None:
    rules = start.rules()
    turns = rules.turns(rules.start())
    assert -rules.seeds <= start.lower <= start.upper <= rules.seeds
    assert all(rules.is_legal(rules.start(), Move.parse(turn)) for turn in [start.move, *start.turns])
    assert set(start.checks) <= CHECKS.keys()
    assert 0 <= start.collisions < 1e-6
    assert start.in_force is None or start.lower <= start.in_force <= start.upper
    if start.turns:
        positions = len({turn.position for turn in turns})
        assert len(start.turns) == min(positions, MOST_TURNS)
        assert max(low for low, _ in start.turns.values()) <= start.upper
        assert max(high for _, high in start.turns.values()) >= start.lower or positions > MOST_TURNS


@pytest.mark.parametrize("start", QUICK, ids=name)
def test_a_quick_one_is_proven_again(start: SolvedStart) -> None:
    rules = start.rules()
    found = solve(rules, rules.start(), memory=2)
    assert (found.lower, found.upper) == (start.lower, start.upper)
    assert found.collisions <= 1e-6


@pytest.mark.parametrize("start", QUICK, ids=name)
def test_every_first_turn_of_a_quick_one_has_its_value(start: SolvedStart) -> None:
    rules = start.rules()
    position = rules.start()
    for turn in rules.turns(position):
        if turn.move.choice_text in start.turns:
            after = solve(rules, turn.position, memory=2)
            bounds = (after.lower, after.upper)
            if turn.position.to_move is not position.to_move:
                bounds = -after.upper, -after.lower
            assert bounds == start.turns[turn.move.choice_text], turn.move


def test_a_file_that_is_written_is_read_as_it_was(tmp_path: Path) -> None:
    write_solved(tmp_path / "solved.json", list(reversed(STARTS)))
    assert solved_starts(tmp_path / "solved.json") == STARTS
