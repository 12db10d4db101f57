"""Score and error of a match."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations_with_replacement

import pytest

from inkeek.records.analysis.strength import MatchScore


def test_points_are_counted_by_game():
    standing = MatchScore.of([(1.0, 0.5), (0.0, 0.0), (1.0, 1.0)])
    assert (standing.wins, standing.draws, standing.losses) == (3, 1, 2)
    assert standing.score == pytest.approx(3.5 / 6)


def test_nothing_played_says_nothing():
    standing = MatchScore.of(())
    assert standing.score == 0.5
    assert standing.error > 0.48


def test_an_advantage_of_an_opening_cancels_within_its_pair():
    standing = MatchScore.of([(1.0, 0.0)] * 50)  # who plays South wins
    assert standing.score == 0.5
    assert 0.03 < standing.error < 0.04  # 50 independent pairs of 0 or 2 points: 0.13


@pytest.mark.parametrize("count", [4, 8])
@pytest.mark.parametrize(
    "chances", [(0, 0, 0.9, 0, 0.1), (0, 0, 0.1, 0, 0.9), (0.2,) * 5, (0.5, 0, 0, 0, 0.5)], ids=str
)
def test_the_interval_of_few_pairs_holds_the_truth(count, chances):
    """Over all results of so many pairs that are possible, with their probabilities."""
    points = (0.0, 0.5, 1.0, 1.5, 2.0)
    truth = sum(chance * each / 2 for chance, each in zip(chances, points, strict=True))
    possible = [each for each in range(5) if chances[each]]
    inside = 0.0
    for pairs in combinations_with_replacement(possible, count):
        ways = math.factorial(count) / math.prod(math.factorial(n) for n in Counter(pairs).values())
        low, high = MatchScore(0, 0, 0, tuple(points[each] for each in pairs)).interval
        inside += ways * math.prod(chances[each] for each in pairs) * (low <= truth <= high)
    assert inside > 0.925


@pytest.mark.parametrize(("elo", "score"), [(0, 0.5), (400, 10 / 11), (-400, 1 / 11)])
def test_a_score_is_a_difference_in_elo(elo, score):
    assert MatchScore.of(()).elo(score) == pytest.approx(elo)
