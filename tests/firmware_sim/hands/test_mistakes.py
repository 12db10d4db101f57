from __future__ import annotations

from itertools import islice

import pytest

from inkeek.firmware_sim.errors import SimulatorError
from inkeek.firmware_sim.hands.mistakes import MAX_VARIANTS, MISTAKES, Steps, counts_at_button, make_mistake, variants
from inkeek.firmware_sim.hands.plan import GamePlan, PlannedTurn, Step, counts_after
from inkeek.records import Position

START = (3, 3, 3, 3, 3, 3, 0, 0)  # three pits per row, and two empty stores
LAP = (Step("lift", 0), *(Step("drop", pit) for pit in (1, 2, 3)))
RELAY = (*LAP, Step("lift", 3), *(Step("drop", pit) for pit in (4, 5, 0, 1)))
CAPTURE = (*LAP, Step("take", 2, 6), Step("take", 3, 6))
REPLY = (Step("lift", 4), *(Step("drop", pit) for pit in (5, 0, 1)))


def planned(*turns: Steps) -> GamePlan:
    """A game of these turns, South first."""
    made: list[PlannedTurn] = []
    counts: tuple[int, ...] = START
    for ply, steps in enumerate(turns, 1):
        after = counts_after(counts, steps)
        made.append(PlannedTurn(ply, "a", "ns"[ply % 2], "sn"[ply % 2], steps, counts, after))
        counts = after
    return GamePlan(3, START, "s", tuple(made), Position.parse("0.0.0/0.0.0 0-0 s 0"))


def dropped(steps: Steps) -> list[int]:
    return [step.place for step in steps if step.kind == "drop"]


def made(kind: str, *turns: Steps) -> Steps:
    return make_mistake(kind, planned(*turns), 1)


@pytest.mark.parametrize(
    ("kind", "turn", "pits"),
    [
        ("skip", LAP, [1, 3, 4]),  # it omits a pit and ends one pit farther,
        ("skip", (Step("lift", 2), *(Step("drop", pit) for pit in (3, 4, 5))), [3, 5, 0]),  # also round the corner
        ("skip", (Step("lift", 3), *(Step("drop", pit) for pit in (2, 1, 0))), [2, 0, 5]),
        ("skip", RELAY, [1, 2, 3, 4, 5, 1, 2]),  # laps whose pits are not emptied later come first
        ("skip", (*RELAY, Step("take", 0, 6), Step("take", 1, 6)), [1, 2, 3, 4, 0, 1, 2]),
    ],
)
def test_seeds_fall_in_the_pits_of_the_mistake(kind: str, turn: Steps, pits: list[int]) -> None:
    assert dropped(made(kind, turn)) == pits


def test_wrong_pit_sows_an_adjacent_pit_of_the_same_row() -> None:
    assert [steps[0].place for steps in variants("wrong-pit", planned(LAP), 1)] == [1]  # 5 is the other side's
    assert dropped(made("wrong-pit", LAP)) == [2, 3, 4]
    late = made("wrong-pit", RELAY)
    assert (late[4], dropped(late)) == (Step("lift", 4), [1, 2, 3, 5, 0, 1])


def test_forget_capture_leaves_the_captured_seeds() -> None:
    assert made("forget-capture", CAPTURE) == (*LAP, Step("press"))


def test_forget_button_is_the_turn_without_a_press() -> None:
    assert made("forget-button", LAP) == LAP
    assert made("skip", LAP)[-1] == Step("press")


def test_a_hasty_hand_holds_seeds_at_the_other_sides_button() -> None:
    first, second, _ = variants("hasty", planned(LAP, REPLY), 1)
    assert first == (*LAP, Step("lift", 4, hand=1), Step("press"))
    assert sum(counts_at_button(START, first)) == sum(START) - 3
    assert second[-2] == Step("drop", 5, hand=1)
    assert sum(counts_at_button(START, second)) == sum(START) - 2


def test_take_back_restores_the_board_and_plays_again() -> None:
    steps = made("take-back", CAPTURE)
    undo = steps.index(Step("undo"))
    assert counts_at_button(START, steps) == counts_after(START, CAPTURE)
    assert counts_after(START, steps[:undo]) == START
    assert counts_after(START, steps) == counts_after(START, CAPTURE)
    assert [step.kind for step in steps if step.kind in ("press", "undo")] == ["press", "undo", "press"]


def test_change_mind_plays_right_in_the_end() -> None:
    steps = made("change-mind", LAP)
    assert steps[0] == Step("lift", 1)
    assert counts_at_button(START, steps) == counts_after(START, LAP)


def test_bump_moves_stones_to_adjacent_pits() -> None:
    found = list(variants("bump", planned(LAP), 1))
    assert {sum(step.kind == "shift" for step in steps) for steps in found} == {1, 2, 3}
    for steps in found:
        assert all((step.to - step.place) % 6 in (1, 5) for step in steps if step.kind == "shift")


@pytest.mark.parametrize("kind", ["skip", "forget-capture", "hasty"])
def test_an_impossible_mistake_is_refused(kind: str) -> None:
    with pytest.raises(SimulatorError, match=f"turn 1, a: .*{kind}"):
        made(kind, (Step("lift", 1), Step("drop", 2)))


def test_a_turn_that_does_not_exist_is_refused() -> None:
    with pytest.raises(SimulatorError, match=r"2.*1"):
        make_mistake("skip", planned(LAP), 2)


@pytest.mark.parametrize("kind", MISTAKES)
def test_mistakes_in_a_real_game_change_the_board_but_lose_no_seed(kind: str, whole_game: GamePlan) -> None:
    possible = 0
    for turn in whole_game.turns:
        for steps in islice(variants(kind, whole_game, turn.ply), 20):
            possible += 1
            counts = counts_at_button(turn.before, steps)
            assert (counts != turn.after) == MISTAKES[kind].changes_board
            assert sum(counts) == sum(turn.before) or kind == "hasty"
    assert possible > 3


def test_the_variants_of_a_long_turn_are_bounded(whole_game: GamePlan) -> None:
    assert max(sum(1 for _ in variants("bump", whole_game, turn.ply)) for turn in whole_game.turns) <= MAX_VARIANTS
