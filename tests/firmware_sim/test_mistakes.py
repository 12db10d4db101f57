from __future__ import annotations

import pytest

from firmware_sim.errors import SimulatorError
from firmware_sim.mistakes import MISTAKES, spoil
from firmware_sim.plan import Plan, Step, counts_after

LAP = (Step("lift", 0), *(Step("drop", pit) for pit in (1, 2, 3)))
RELAY = (*LAP, Step("lift", 3), *(Step("drop", pit) for pit in (4, 5, 0, 1)))
CAPTURE = (*LAP, Step("take", 2, 6), Step("take", 3, 6))


def dropped(steps: tuple[Step, ...]) -> list[int]:
    return [step.place for step in steps if step.kind == "drop"]


def test_skip_leaves_one_pit_out_and_ends_one_further() -> None:
    assert dropped(spoil("skip", LAP, 3)) == [1, 3, 4]


def test_skip_goes_round_the_corner_in_either_direction() -> None:
    assert dropped(spoil("skip", (Step("lift", 2), *(Step("drop", pit) for pit in (3, 4, 5))), 3)) == [3, 5, 0]
    clockwise = (Step("lift", 3), *(Step("drop", pit) for pit in (2, 1, 0)))
    assert dropped(spoil("skip", clockwise, 3)) == [2, 0, 5]


def test_double_drops_two_in_one_pit_and_ends_one_early() -> None:
    assert dropped(spoil("double", LAP, 3)) == [1, 2, 2]


def test_a_lap_is_chosen_whose_pits_are_not_emptied_later() -> None:
    assert dropped(spoil("double", RELAY, 3)) == [1, 2, 3, 4, 5, 0, 0]
    assert dropped(spoil("skip", RELAY, 3)) == [1, 2, 3, 4, 5, 1, 2]
    emptied = (*RELAY, Step("take", 0, 6), Step("take", 1, 6))
    assert dropped(spoil("skip", emptied, 3)) == [1, 2, 3, 4, 0, 1, 2]


def test_a_mistake_is_made_even_where_it_grows() -> None:
    assert dropped(spoil("double", CAPTURE, 3)) == [1, 2, 2]


def test_forgetting_a_capture_leaves_it() -> None:
    assert spoil("forget-capture", CAPTURE, 3) == LAP


@pytest.mark.parametrize(("kind", "why"), [("skip", "no lap"), ("double", "no lap"), ("forget-capture", "captures")])
def test_a_turn_without_occasion_is_refused(kind: str, why: str) -> None:
    with pytest.raises(SimulatorError, match=why):
        spoil(kind, (Step("lift", 0), Step("drop", 1), Step("drop", 2)), 3)


@pytest.mark.parametrize("kind", MISTAKES)
def test_a_spoilt_turn_of_a_real_game_differs_and_keeps_its_handfuls(kind: str, whole_game: Plan) -> None:
    spoilt = 0
    for turn in whole_game.turns:
        try:
            steps = spoil(kind, turn.steps, whole_game.row)
        except SimulatorError:
            continue
        spoilt += 1
        before = whole_game.turns[turn.ply - 2].counts if turn.ply > 1 else whole_game.counts
        assert counts_after(before, steps) != turn.counts
        assert len(dropped(steps)) == len(dropped(turn.steps))
    assert spoilt > 3
