from __future__ import annotations

import re
from dataclasses import replace

import pytest

from inkeek.firmware_sim.errors import SimulatorError
from inkeek.firmware_sim.hands.plan import GamePlan, Step, counts_after, places_of, plan_game, plan_turns
from inkeek.records import Game, Move, Ply, Position, read_games
from tests.firmware_sim.conftest import middle_turns, rules_8


def test_a_plan_holds_the_counts_after_every_turn() -> None:
    rules = rules_8()
    moves = middle_turns(rules, 12)
    plan = plan_turns(rules, rules.start(), moves)
    position = rules.start()
    assert (plan.row, plan.first_side, plan.counts) == (8, "s", (*position.pits, 0, 0))
    for ply, (move, turn) in enumerate(zip(moves, plan.turns, strict=True), 1):
        played = rules.play(position, move)
        position = played.position
        assert (turn.ply, turn.move, turn.after) == (ply, str(played.move), (*position.pits, *position.stores))
        assert (turn.side, turn.next_side) == ("sn"[(ply + 1) % 2], "sn"[ply % 2])
    assert plan.end == position


def test_steps_sow_the_turn_seed_by_seed() -> None:
    rules = rules_8()
    turn = plan_turns(rules, rules.start(), [Move.parse("c")]).turns[0]
    assert turn.steps[:5] == (Step("lift", 2), *(Step("drop", pit) for pit in (3, 4, 5, 6)))


def test_only_the_last_turn_of_a_finished_game_has_no_next_side(whole_game: GamePlan) -> None:
    assert whole_game.turns[-1].next_side == ""
    assert all(turn.next_side for turn in whole_game.turns[:-1])


def test_counts_after_follows_every_kind_of_step() -> None:
    steps = (Step("lift", 0), Step("drop", 1), Step("take", -1, 4), Step("shift", 2, 3), Step("take", 3, 5))
    assert counts_after([3, 1, 2, 1, 0, 0], steps) == (0, 2, 1, 0, 2, 2)


def test_places_of_includes_the_stores() -> None:
    assert places_of(Position.parse("1.2/3.4s 5-6 n 7")) == (1, 2, 3, 4, 5, 6)


def test_a_record_is_planned_with_its_options() -> None:
    game = Game({"Game": "enkeshui", "Options": "pits=8 setup=fours-left", "First": "North"})
    plan = plan_game(replace(game, plies=(Ply(Move.parse("D")),)))
    assert (plan.row, plan.counts[:3], plan.first_side) == (8, (4, 4, 4), "n")
    assert plan.turns[0].side == "n"


@pytest.mark.parametrize("move", ["~?", "ab@c8"])
def test_a_move_that_hands_cannot_sow_is_quoted(move: str) -> None:
    rules = rules_8()
    with pytest.raises(SimulatorError, match=rf"turn 1\b.*{re.escape(move)}"):
        plan_turns(rules, rules.start(), [Move.parse(move)])


def test_an_illegal_turn_is_named() -> None:
    rules = rules_8()
    with pytest.raises(SimulatorError, match=r"turn 1\b.*\ba\b"):
        plan_turns(rules, rules.start(), [Move.parse("a")])


def test_a_record_with_errors_is_refused() -> None:
    (game,) = read_games(['[Game "enkeshui"]\n', "\n", "1. a what? *\n"])
    with pytest.raises(SimulatorError, match="line 3"):
        plan_game(game)
    with pytest.raises(SimulatorError, match="ludo"):
        plan_game(Game({"Game": "ludo"}))
