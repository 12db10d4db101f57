from random import Random

import pytest

from benchmarks.analysis.playing import MEMORY, Player, play_game, random_opening
from inkeek.records import Position, ruleset, ruleset_ids
from inkeek.records.analysis import Limits, analyse


@pytest.mark.parametrize("id", ruleset_ids())
def test_a_game_is_played_by_the_rules_to_its_end(id):
    rules = ruleset(id)
    opening, after = random_opening(rules, Random(5), 4)
    game = play_game(rules, opening, (Player(rules, 100), Player(rules, 100)))
    assert game.moves[:4] == tuple(opening)
    positions = [rules.start()]
    for move in game.moves:
        positions.append(rules.play(positions[-1], move).position)
    assert positions[4] == after
    assert all(rules.outcome(position) is None for position in positions[:-1])
    assert len(game.values) == len(game.moves)
    assert game.values[-1] == game.outcome.score[0] - game.outcome.score[1]
    if game.outcome.termination == "normal":
        assert rules.outcome(positions[-1]) == game.outcome


def test_the_same_players_play_the_same_game_again():
    rules = ruleset("enkeshui")
    opening, _ = random_opening(rules, Random(1), 6)
    first, second = (play_game(rules, opening, (Player(rules, 300), Player(rules, 300))) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("id", ["bof", "layli-goobalay", "oware"])
def test_a_player_finds_what_the_search_finds(id):
    rules = ruleset(id)
    position = random_opening(rules, Random(2), 6)[1]
    move, value = Player(rules, 3000).choose(position)
    line = analyse(rules, position, Limits(nodes=3000), memory=MEMORY).lines[0]
    assert (move, value) == (line.moves[0], line.value)


def test_a_player_finds_nothing_where_the_game_is_over():
    rules = ruleset("kalah")
    over = Position.parse("0.0.0.0.0.0/4.0.0.0.0.0 24-20 s 60")
    assert Player(rules, 100).choose(over) == (None, 0.0)
