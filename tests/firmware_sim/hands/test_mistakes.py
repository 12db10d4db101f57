from __future__ import annotations

from itertools import islice

import pytest

from firmware_sim.errors import SimulatorError
from firmware_sim.hands.mistakes import MAX_WAYS, MISTAKES, Steps, at_button, spoil, ways
from firmware_sim.hands.plan import Plan, PlannedTurn, Step, counts_after
from records import Position

START = (3, 3, 3, 3, 3, 3, 0, 0)  # three pits a row, and two empty stores
LAP = (Step("lift", 0), *(Step("drop", pit) for pit in (1, 2, 3)))
RELAY = (*LAP, Step("lift", 3), *(Step("drop", pit) for pit in (4, 5, 0, 1)))
CAPTURE = (*LAP, Step("take", 2, 6), Step("take", 3, 6))
REPLY = (Step("lift", 4), *(Step("drop", pit) for pit in (5, 0, 1)))


def planned(*turns: Steps) -> Plan:
    """Turns of South and North by turns."""
    made: list[PlannedTurn] = []
    counts: tuple[int, ...] = START
    for ply, steps in enumerate(turns, 1):
        after = counts_after(counts, steps)
        made.append(PlannedTurn(ply, "a", "ns"[ply % 2], steps, after, "sn"[ply % 2], counts))
        counts = after
    return Plan(3, START, "s", tuple(made), Position.parse("0.0.0/0.0.0 0-0 s 0"))


def dropped(steps: Steps) -> list[int]:
    return [step.place for step in steps if step.kind == "drop"]


def made(kind: str, *turns: Steps) -> Steps:
    return spoil(kind, planned(*turns), 1)


def test_skip_leaves_one_pit_out_and_ends_one_further() -> None:
    assert dropped(made("skip", LAP)) == [1, 3, 4]


def test_skip_goes_round_the_corner_in_either_direction() -> None:
    assert dropped(made("skip", (Step("lift", 2), *(Step("drop", pit) for pit in (3, 4, 5))))) == [3, 5, 0]
    clockwise = (Step("lift", 3), *(Step("drop", pit) for pit in (2, 1, 0)))
    assert dropped(made("skip", clockwise)) == [2, 0, 5]


def test_double_drops_two_in_one_pit_and_ends_one_early() -> None:
    assert dropped(made("double", LAP)) == [1, 2, 2]


def test_a_lap_is_chosen_whose_pits_are_not_emptied_later() -> None:
    assert dropped(made("double", RELAY)) == [1, 2, 3, 4, 5, 0, 0]
    assert dropped(made("skip", RELAY)) == [1, 2, 3, 4, 5, 1, 2]
    emptied = (*RELAY, Step("take", 0, 6), Step("take", 1, 6))
    assert dropped(made("skip", emptied)) == [1, 2, 3, 4, 0, 1, 2]


def test_a_mistake_is_made_even_where_it_grows() -> None:
    assert dropped(made("double", (*LAP, Step("take", 3, 6)))) == [1, 2, 2]
    with pytest.raises(SimulatorError, match="no lap"):  # both pits are emptied: nothing is left of it
        made("double", CAPTURE)


def test_a_seed_is_left_behind() -> None:
    steps = made("leave-behind", LAP)
    assert dropped(steps) == [0, 1, 2]
    assert counts_after(START, steps) == (1, 4, 4, 3, 3, 3, 0, 0)


def test_a_wrong_pit_is_the_one_beside_and_is_sown_to_its_end() -> None:
    assert [steps[0].place for steps in ways("wrong-pit", planned(LAP), 1)] == [1]  # 5 is the other side's
    assert dropped(made("wrong-pit", LAP)) == [2, 3, 4]
    late = made("wrong-pit", RELAY)
    assert (late[4], dropped(late)) == (Step("lift", 4), [1, 2, 3, 5, 0, 1])


def test_the_wrong_way_is_the_same_handful_backwards() -> None:
    assert dropped(made("wrong-way", LAP)) == [5, 4, 3]
    assert dropped(made("wrong-way", RELAY)) == [1, 2, 3, 2, 1, 0, 5]


def test_a_turn_is_stopped_between_two_laps() -> None:
    assert dropped(made("stop-early", RELAY)) == [1, 2, 3]


def test_forgetting_a_capture_leaves_it() -> None:
    assert made("forget-capture", CAPTURE) == (*LAP, Step("press"))


def test_captures_go_to_the_wrong_store() -> None:
    assert counts_after(START, made("wrong-store", CAPTURE))[6:] == (0, 8)


def test_a_forgotten_button_is_a_turn_without_it() -> None:
    assert made("forget-button", LAP) == LAP
    assert made("skip", LAP)[-1] == Step("press")


def test_who_is_hasty_has_seeds_in_the_hand_at_the_others_button() -> None:
    first, second, _ = ways("hasty", planned(LAP, REPLY), 1)
    assert first == (*LAP, Step("lift", 4, hand=1), Step("press"))
    assert sum(at_button(START, first)) == sum(START) - 3
    assert second[-2] == Step("drop", 5, hand=1)
    assert sum(at_button(START, second)) == sum(START) - 2


def test_what_is_taken_back_lies_as_before_and_is_played_again() -> None:
    steps = made("take-back", CAPTURE)
    undo = steps.index(Step("undo"))
    assert at_button(START, steps) == counts_after(START, CAPTURE)
    assert counts_after(START, steps[:undo]) == START
    assert counts_after(START, steps) == counts_after(START, CAPTURE)
    assert [step.kind for step in steps if step.kind in ("press", "undo")] == ["press", "undo", "press"]


def test_who_changes_the_mind_plays_right_in_the_end() -> None:
    steps = made("change-mind", LAP)
    assert steps[0] == Step("lift", 1)
    assert at_button(START, steps) == counts_after(START, LAP)


def test_a_bump_moves_stones_to_pits_beside_theirs() -> None:
    found = list(ways("bump", planned(LAP), 1))
    assert {sum(step.kind == "shift" for step in steps) for steps in found} == {1, 2, 3}
    for steps in found:
        assert all((step.to - step.place) % 6 in (1, 5) for step in steps if step.kind == "shift")


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("skip", "no lap"),
        ("double", "no lap"),
        ("leave-behind", "no lap"),
        ("stop-early", "no second lap"),
        ("forget-capture", "captures nothing"),
        ("wrong-store", "captures nothing"),
        ("hasty", "not followed"),
    ],
)
def test_a_turn_without_occasion_is_refused(kind: str, why: str) -> None:
    with pytest.raises(SimulatorError, match=why):
        made(kind, (Step("lift", 1), Step("drop", 2)))


def test_a_turn_that_the_game_does_not_have() -> None:
    with pytest.raises(SimulatorError, match="there is no turn 2: the game has 1"):
        spoil("skip", planned(LAP), 2)


@pytest.mark.parametrize("kind", MISTAKES)
def test_mistakes_of_a_real_game_leave_a_wrong_board_and_lose_no_seed(kind: str, whole_game: Plan) -> None:
    occasions = 0
    for turn in whole_game.turns:
        for steps in islice(ways(kind, whole_game, turn.ply), 20):
            occasions += 1
            lies = at_button(turn.before, steps)
            assert (lies != turn.counts) == MISTAKES[kind].spoils
            assert sum(lies) == sum(turn.before) or kind == "hasty"
    assert occasions > 3


def test_the_ways_of_a_long_turn_are_bounded(whole_game: Plan) -> None:
    assert max(sum(1 for _ in ways("bump", whole_game, turn.ply)) for turn in whole_game.turns) <= MAX_WAYS
