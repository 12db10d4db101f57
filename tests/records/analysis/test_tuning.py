from dataclasses import astuple
from itertools import islice
from random import Random

import pytest

from benchmarks.analysis.tune import OPENING_TURNS, PRIOR_POSITIONS, compare, fit, self_play
from inkeek.records import ruleset
from inkeek.records.analysis.search import Weights, load_weights
from inkeek.records.position import ORDINARY, OWNED


def test_the_same_games_give_the_same_weights():
    rules, old = ruleset("kalah"), load_weights("kalah")
    first, second = (fit(rules, islice(self_play(rules, old, Random(3), 100), 8)) for _ in range(2))
    assert first == second != old
    assert first.special == 0


@pytest.mark.parametrize(("family", "expected"), [("oware", load_weights("oware")), ("other", Weights(0, 0, 0, 0))])
def test_a_game_without_weights_has_those_of_its_family_or_none(family, expected):
    assert load_weights("new", family) == expected


def counts(position):
    """What the estimate counts, worked out from the position alone: for the side to move less the other's."""
    found = [0.0, 0.0, 0.0, 1.0]
    for pit, (seeds, mark) in enumerate(zip(position.pits, position.marks, strict=True)):
        mine = 1 if pit in position.pits_of(position.to_move) else -1
        if mark == ORDINARY:
            found[0] += mine * seeds
            found[1] += mine * (seeds > 0)
        elif mark in OWNED:
            found[2] += 1 if OWNED.index(mark) == position.to_move else -1
    return found


@pytest.mark.parametrize("id", ["oware", "enkeshui", "layli-goobalay"])
def test_no_other_weights_come_nearer_to_how_games_ended(id):
    rules = ruleset(id)
    games = list(islice(self_play(rules, load_weights(id), Random(1), 50), 15))
    seen = []
    for game in games:
        position = rules.start()
        for number, move in enumerate(game.moves):
            if number >= OPENING_TURNS:
                sure, mover = rules.score(position), position.to_move
                gained = game.outcome.score[mover] - game.outcome.score[1 - mover] - sure[mover] + sure[1 - mover]
                seen.append((counts(position), gained))
            position = rules.play(position, move).position

    def error(weights):
        misses = sum((sum(w * c for w, c in zip(weights, one, strict=True)) - gained) ** 2 for one, gained in seen)
        return misses + PRIOR_POSITIONS * sum(weight**2 for weight in weights)

    found = astuple(fit(rules, games))
    for number in range(len(found)):
        for step in (-0.01, 0.01):
            other = [weight + step * (number == index) for index, weight in enumerate(found)]
            assert error(found) < error(other)


def test_two_sets_of_weights_are_compared_from_both_sides():
    rules, usual = ruleset("bof"), load_weights("bof")
    for pair in islice(compare(rules, usual, usual, Random(1), 50), 3):
        assert sum(pair) == 1
    upside_down = Weights(-3, -3, 0, 0)
    pairs = list(islice(compare(rules, usual, upside_down, Random(1), 50), 10))
    assert sum(map(sum, pairs)) > 12
