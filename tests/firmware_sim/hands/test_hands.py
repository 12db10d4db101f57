from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from firmware_sim.errors import GaveUp, SimulatorError
from firmware_sim.firmware.buttons import contact
from firmware_sim.firmware.lights import Lights
from firmware_sim.hands.hands import MAX_TRIES, Hands, Pace
from firmware_sim.hands.plan import Plan
from firmware_sim.world import Physics, World


class Table:
    """Hands, a world and lights that the test switches; time passes in steps of 10 ms."""

    def __init__(self, plan: Plan, **options: Any) -> None:
        self.plan = plan
        self.world = World(plan.row, True, Random(1), Physics(bounce_ms=0))
        self.lights = Lights(2 * plan.row + 2)
        self.told: list[Mapping[str, object]] = []
        self.hands = Hands(plan, self.world, self.lights, Random(1), self.told.append, **options)
        self.now = 0

    def until(self, condition: Callable[[], bool], limit: int = 600_000) -> int:
        """Let time pass until the condition holds; how many milliseconds it took."""
        start = self.now
        while not condition():
            assert self.now - start < limit, f"nothing came of it: {self.told[-3:]}"
            self.now += 10
            self.hands.step(self.now)
        return self.now - start

    def events(self, kind: str) -> list[Mapping[str, object]]:
        return [event for event in self.told if event["event"] == kind]

    def row(self, side: str) -> None:
        self.lights.order(["clear"])
        if side:
            self.lights.order(["row", side, "on"])
        else:
            self.lights.order(["row", "s", "blink"])
            self.lights.order(["row", "n", "blink"])

    def refuse(self, side: str) -> None:
        self.row(side)
        self.lights.order(["error", "1"])

    def pressed(self, side: str) -> Callable[[], bool]:
        return lambda: self.world.contacts(self.now) == contact(side, "commit")

    def committed(self, side: str) -> None:
        """Let time pass until a commit has been pressed and the hands watch the lights."""
        self.until(self.pressed(side))
        self.until(lambda: self.hands.waiting)


def test_they_lay_out_the_start_and_wait_to_be_asked(plan: Plan) -> None:
    table = Table(plan)
    table.until(lambda: table.hands.waiting)
    assert table.world.counts() == plan.counts
    assert table.events("laid-out") == [{"event": "laid-out", "counts": list(plan.counts)}]
    with pytest.raises(AssertionError, match="nothing came"):
        table.until(table.pressed("s"), limit=60_000)
    table.row("s")
    table.committed("s")
    assert table.world.counts() == plan.turns[0].counts


def test_they_play_seed_by_seed_at_human_pace(plan: Plan) -> None:
    table = Table(plan)
    table.until(lambda: table.hands.waiting)
    table.row("s")
    turn = plan.turns[0]
    seeds = sum(step.kind == "drop" for step in turn.steps)
    took = table.until(table.pressed("s"))
    assert seeds * Pace().seed + Pace().think[0] < took < len(turn.steps) * Pace().lift + Pace().think[1] + 1000


def test_a_game_with_every_turn_accepted(plan: Plan) -> None:
    table = Table(plan)
    table.row("s")
    for turn in plan.turns:
        table.committed(turn.side)
        assert table.world.counts() == turn.counts
        table.row(turn.following)
    table.until(lambda: table.hands.done)
    assert [event["tries"] for event in table.events("turn")] == [1] * len(plan.turns)
    moves = [turn.move for turn in plan.turns]
    assert table.told[-1] == {"event": "finished", "moves": moves, "position": str(plan.end)}


def test_the_end_of_a_game_is_both_rows_blinking(whole_game: Plan) -> None:
    table = Table(whole_game)
    table.row("s")
    for turn in whole_game.turns:
        table.committed(turn.side)
        table.row(turn.following)
    table.until(lambda: table.hands.done)
    assert table.events("finished")


@pytest.mark.parametrize("kind", ["skip", "double", "forget-capture"])
def test_a_mistake_is_made_refused_mended_and_committed_again(kind: str, whole_game: Plan) -> None:
    ply = next(
        turn.ply
        for turn in whole_game.turns
        if {step.kind for step in turn.steps} >= {"take"} and sum(s.kind == "drop" for s in turn.steps) > 6
    )
    table = Table(whole_game, mistakes={ply: kind})
    table.row("s")
    for turn in whole_game.turns[:ply]:
        table.committed(turn.side)
        if turn.ply == ply:
            assert table.world.counts() != turn.counts
            assert table.events("mistake") == [{"event": "mistake", "ply": ply, "kind": kind, "move": turn.move}]
            table.refuse(turn.side)
            table.until(lambda: bool(table.events("mended")))
            table.committed(turn.side)
            assert table.world.counts() == turn.counts
        table.row(turn.following)
        table.until(lambda ply=turn.ply: len(table.events("turn")) == ply)  # type: ignore[misc]
    assert table.events("turn")[-1]["tries"] == 2
    assert not table.events("unnoticed")


def test_a_mistake_that_nobody_noticed_is_told(plan: Plan) -> None:
    table = Table(plan, mistakes={1: "skip"})
    table.row("s")
    table.committed("s")
    table.row("n")
    table.until(lambda: bool(table.events("turn")))
    assert table.events("unnoticed")[0]["ply"] == 1


def test_an_error_light_that_is_still_on_is_no_answer(plan: Plan) -> None:
    table = Table(plan, mistakes={1: "skip"})
    table.row("s")
    table.committed("s")
    table.refuse("s")
    table.until(lambda: bool(table.events("mended")))
    table.committed("s")
    table.lights.order(["pit", "3", "error"])  # the last words of the refusal before
    table.until(lambda: table.now % 5000 == 0)
    assert len(table.events("refused")) == 1
    table.refuse("s")
    table.until(lambda: len(table.events("refused")) == 2)


def test_refused_for_ever_they_give_up(plan: Plan) -> None:
    table = Table(plan)
    table.row("s")
    for _ in range(MAX_TRIES):
        table.committed("s")
        table.refuse("s")
    with pytest.raises(GaveUp, match=f"turn 1, .* was refused {MAX_TRIES} times"):
        table.until(lambda: table.hands.done)


def test_a_game_that_is_over_too_early(plan: Plan) -> None:
    table = Table(plan)
    table.row("s")
    table.committed("s")
    table.row("")
    with pytest.raises(GaveUp, match="over after turn 1"):
        table.until(lambda: table.hands.done)


def test_trouble_comes_in_the_middle_of_a_turn(plan: Plan) -> None:
    came: list[tuple[int, str]] = []
    table = Table(plan, troubles={(1, "middle"): [lambda ply, moment: came.append((ply, moment))]})
    table.row("s")
    table.until(lambda: bool(came))
    assert came == [(1, "middle")]
    assert plan.counts != table.world.counts() != plan.turns[0].counts


@pytest.mark.parametrize(
    "options", [{"mistakes": {13: "skip"}}, {"troubles": {(13, "start"): []}}, {"troubles": {(0, "button"): []}}]
)
def test_a_turn_that_the_game_does_not_have(options: dict[str, Any], plan: Plan) -> None:
    with pytest.raises(SimulatorError, match=r"there is no turn (13|0): the game has 12"):
        Table(plan, **options)


def test_a_mistake_that_a_turn_gives_no_occasion_for(plan: Plan) -> None:
    ply = next(turn.ply for turn in plan.turns if all(step.kind != "take" for step in turn.steps))
    with pytest.raises(SimulatorError, match=f"turn {ply}, .*captures nothing"):
        Table(plan, mistakes={ply: "forget-capture"})


def test_a_side_that_moves_again_sees_its_light_go_out_and_come_back(plan: Plan) -> None:
    turns = (replace(plan.turns[0], following=plan.turns[0].side), *plan.turns[1:])
    table = Table(replace(plan, turns=turns))
    table.row("s")
    table.committed("s")
    table.until(lambda: table.now % 5000 == 0)
    assert not table.events("turn")
    table.row("s")
    table.until(lambda: bool(table.events("turn")))
    assert not table.events("refused")


def test_a_button_that_was_forgotten_is_remembered(plan: Plan) -> None:
    table = Table(plan, mistakes={1: "forget-button"})
    table.row("s")
    table.until(lambda: bool(table.events("mistake")))
    assert table.world.counts() == plan.turns[0].counts
    assert table.until(table.pressed("s")) >= Pace().remember
    table.row("n")
    table.until(lambda: bool(table.events("turn")))


def test_a_button_that_was_forgotten_and_not_needed_is_not_pressed(plan: Plan) -> None:
    table = Table(plan, mistakes={1: "forget-button"})
    table.row("s")
    table.until(lambda: bool(table.events("mistake")))
    table.row("n")
    table.until(lambda: table.pressed("s")() or bool(table.events("turn")), limit=1000)
    assert table.events("turn")


def test_who_was_hasty_and_right_goes_on(plan: Plan) -> None:
    table = Table(plan, mistakes={1: "hasty"})
    table.row("s")
    table.committed("s")
    assert sum(table.world.counts()) < sum(plan.counts)
    table.row("n")
    table.committed("n")
    assert table.world.counts() == plan.turns[1].counts
    assert not table.events("unnoticed")


def test_who_was_hasty_and_is_refused_puts_the_seeds_back(plan: Plan) -> None:
    table = Table(plan, mistakes={1: "hasty"})
    table.row("s")
    table.committed("s")
    table.refuse("s")
    table.until(lambda: bool(table.events("mended")))
    table.committed("s")
    assert table.world.counts() == plan.turns[0].counts
    table.row("n")
    table.committed("n")
    assert table.world.counts() == plan.turns[1].counts


@pytest.mark.parametrize("granted", [True, False])
def test_a_turn_is_taken_back_and_played_again_or_stands(granted: bool, plan: Plan) -> None:
    table = Table(plan, mistakes={1: "take-back"})
    table.row("s")
    table.committed("s")
    table.row("n")
    table.until(lambda: table.world.contacts(table.now) == contact("s", "undo"))
    assert table.world.counts() == plan.counts
    if granted:
        table.row("s")
        table.committed("s")
        table.row("n")
    table.until(lambda: bool(table.events("turn")))
    assert table.events("taken-back") == [{"event": "taken-back", "ply": 1, "granted": granted}]
    assert table.world.counts() == plan.turns[0].counts


def test_patience_ends_in_another_press(plan: Plan) -> None:
    table = Table(plan, pace=Pace(patience=3000))
    table.until(table.pressed("s"))  # nobody has lit a light
    table.row("s")
    table.committed("s")
    table.until(table.pressed("s"))
    assert table.events("pressed-again") == [{"event": "pressed-again", "ply": 1}]
    table.row("n")
    table.until(lambda: bool(table.events("turn")))


def test_a_bumped_table_is_laid_right_again(plan: Plan) -> None:
    table = Table(plan, mistakes={1: "bump"})
    table.row("s")
    table.committed("s")
    assert table.world.counts() != plan.turns[0].counts
    table.refuse("s")
    table.committed("s")
    assert table.world.counts() == plan.turns[0].counts
