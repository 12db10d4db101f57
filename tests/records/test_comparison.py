from pathlib import Path

import pytest

from inkeek.records import Game, Move, Ply, RecordsError, read_games
from inkeek.records.comparison import differing_options, differing_plies, find_parting, is_compared, other_rules

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


def example(name):
    return next(read_games(EXAMPLES / f"{name}.pmn"))


def test_the_first_turn_that_is_another_one_is_explained_from_where_it_differs():
    game = example("enkeshui")
    other = other_rules(game, "enkeshui-wikipedia")
    parting = find_parting(game, other)
    assert (parting.ply, str(parting.move), parting.seeds, len(parting.alike)) == (1, "cx4", 3, 1)
    assert parting.before == other.start()
    first, second = parting.after
    assert (first.stores, second.stores) == ((4, 0), (0, 0))
    assert all(parting.explained)
    assert differing_options(game.rules(), other)["capture_after_relay"] == (True, False)


def test_each_turn_is_tried_from_where_it_was_played():
    game = example("enkeshui")
    assert differing_plies(game, other_rules(game, "enkeshui")) == []
    other = other_rules(game, "enkeshui-wikipedia")
    found = differing_plies(game, other)
    assert found[0] == find_parting(game, other).ply
    assert 1 < len(found) < len(game.replay().turns)


def test_a_game_is_compared_after_turns_that_nobody_saw_with_other_seeds():
    after = "0.3.8.0.3.8.1.1/2.0.2.1.4.2.4s.5s 3-0 s 9"  # 47 of 48 seeds
    text = f'[Version "1.1"]\n[Game "enkeshui"]\n[Options "pits=8"]\n\n~~ {{[%after "{after}"]}} b F *'
    (game,) = read_games(text.splitlines(keepends=True))
    other = other_rules(game, "enkeshui-wikipedia")
    assert not game.errors
    assert find_parting(game, other) is None
    assert differing_plies(game, other) == []
    assert "setup" not in differing_options(game.rules(), other)


def test_a_turn_that_is_illegal_by_the_other_rules_has_no_position_there():
    start = "1.0.0.0.0.1/1.0.0.0.0.0 25-20 s 0"
    tags = {"Game": "oware", "Options": "majority_end=false", "Setup": start, "Result": "*"}
    game = Game(tags, (Ply(Move.parse("a")),))
    assert not game.errors
    parting = find_parting(game, other_rules(game, "oware"))
    assert (parting.ply, parting.after[0] is None, parting.after[1]) == (1, False, None)
    assert find_parting(game, other_rules(game, "oware", majority_end=False)) is None


def test_nothing_is_compared_where_seeds_are_not_known():
    game = Game(
        {"Game": "oware", "Version": "1.1", "Result": "*"}, tuple(Ply(Move.parse(move)) for move in ("~~2", "a", "B"))
    )
    assert not game.errors
    assert find_parting(game, other_rules(game, "kalah")) is None
    assert not any(map(is_compared, game))


def test_rules_without_such_a_board_are_refused():
    with pytest.raises(RecordsError):
        other_rules(example("bof"), "enkeshui")


@pytest.mark.parametrize("name", ["enkeshui", "bof", "oware", "kalah", "layli-goobalay", "anywoli"])
def test_a_record_does_not_part_from_its_own_rules(name):
    game = example(name)
    changed = {option: value for option, value in game.rules().changed.items() if option not in ("setup", "seeds")}
    assert find_parting(game, other_rules(game, game.rules().id, **changed)) is None
