from __future__ import annotations

from itertools import islice
from random import Random

from records import ruleset
from records.analysis.tuning import play_game, tune
from records.analysis.weights import Weights, load_weights


def test_it_finds_the_same_weights_again() -> None:
    rules = ruleset("kalah")
    weights = load_weights("kalah")
    first, second = (list(islice(tune(rules, weights, Random(3), nodes=100), 4)) for _ in range(2))
    assert first == second
    assert first[-1] != weights
    assert first[-1].special == weights.special


def test_weights_that_are_upside_down_lose() -> None:
    rules = ruleset("kalah")
    good, bad = Weights(0.1, 0.1, 0, 0.3), Weights(-3, -3, 0, 0)
    start = rules.start()
    assert play_game(rules, start, (good, bad), 400) - play_game(rules, start, (bad, good), 400) > 0
