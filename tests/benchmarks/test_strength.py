"""Who is stronger wins the matches of `benchmarks/analysis/strength.py`."""

from __future__ import annotations

from random import Random

from benchmarks.analysis.playing import Player
from benchmarks.analysis.strength import BALANCED, OPENING, balanced_opening, matches, play
from records import ruleset
from records.analysis import Limits, analyse
from records.analysis.strength import LEAST_PAIRS
from records.analysis.tables import Tables
from records.analysis.tables.building import build_table


def test_openings_are_balanced() -> None:
    rules, rng = ruleset("kalah"), Random(1)
    for _ in range(5):
        moves = balanced_opening(rules, rng)
        assert len(moves) == OPENING
        position = rules.start()
        for move in moves:
            position = rules.play(position, move).position
        assert abs(analyse(rules, position, Limits(nodes=2000), memory=1).lines[0].value) <= BALANCED


def test_more_positions_win_and_the_match_ends_early() -> None:
    rules = ruleset("kalah")
    score = play(rules, Random(1), 100, lambda: Player(rules, 1000), lambda: Player(rules, 5), True)
    assert score.score > 0.7
    assert LEAST_PAIRS <= len(score.pairs) < 100


def test_the_same_seed_plays_the_same_match(tmp_path) -> None:
    build_table(tmp_path / "bof", ruleset("bof"), 3)
    rules = ruleset("bof")
    endgame = Tables(tmp_path).set_for(rules)
    for _, one, other, _ in matches(rules, 50, endgame):
        first, second = (play(rules, Random(2), 3, one, other, False) for _ in range(2))
        assert first == second
        assert first.games == 6


def test_without_tables_there_is_no_match_against_them() -> None:
    names = [name for name, *_ in matches(ruleset("bof"), 50, None)]
    assert len(names) == 2
