from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from inkeek.firmware_sim.errors import GaveUp
from inkeek.firmware_sim.firmware.panel import Buttons, LightPanel, contact
from inkeek.firmware_sim.hands.hands import MAX_TRIES, Hands, Pace
from inkeek.firmware_sim.hands.plan import GamePlan
from inkeek.firmware_sim.world import Physics, World
from tests.firmware_sim.conftest import make_mistakes


class Table:
    """Hands, a world, and lights that the test switches. Time passes in steps of 10 ms."""

    def __init__(self, plan: GamePlan, mistakes: Mapping[int, str] | None = None, **options: Any) -> None:
        self.plan = plan
        self.world = World(plan.row, True, Random(1), Physics(bounce_ms=0))
        self.lights = LightPanel(2 * plan.row + 2)
        self.reported: list[Mapping[str, object]] = []
        made = make_mistakes(plan, mistakes or {})
        self.hands = Hands(plan, self.world, self.lights, Random(1), self.reported.append, mistakes=made, **options)
        self.now = 0

    def until(self, condition: Callable[[], bool], limit: int = 600_000) -> int:
        """Let time pass until the condition holds; return the milliseconds it took."""
        start = self.now
        while not condition():
            assert self.now - start < limit, f"condition not reached: {self.reported[-3:]}"
            self.now += 10
            self.hands.step(self.now)
        return self.now - start

    def events(self, kind: str) -> list[Mapping[str, object]]:
        return [event for event in self.reported if event["event"] == kind]

    def row(self, side: str, light: str = "on") -> None:
        self.lights.apply(["clear"])
        if side:
            self.lights.apply(["row", side, light])
        else:
            self.lights.apply(["row", "s", "blink"])
            self.lights.apply(["row", "n", "blink"])

    def refuse(self, side: str) -> None:
        self.row(side)
        self.lights.apply(["error", "1"])

    def show(self, side: str, answers: int, error: bool = False) -> None:
        """Set all lights at once, as a host of protocol 1.1 that has seen the press with this number."""
        pits = "0" * (2 * self.plan.row + 2)
        rows = {"s": "10", "n": "01", "": "bb"}[side]
        assert self.lights.apply_all(["all", "1", "boot", str(answers), pits, rows, str(int(error))], 99)

    def pressed(self, side: str) -> Callable[[], bool]:
        return lambda: self.world.contacts(self.now) == contact(side, "commit")

    def committed(self, side: str) -> None:
        """Let time pass until the hands have pressed commit and watch the lights."""
        self.until(self.pressed(side))
        self.until(lambda: self.hands.waiting)


def test_an_accepted_mistake_is_reported(plan: GamePlan) -> None:
    table = Table(plan, mistakes={1: "skip"})
    table.row("s")
    table.committed("s")
    table.row("n")
    table.until(lambda: bool(table.events("turn")))
    assert table.events("unnoticed")[0]["ply"] == 1


def test_an_error_light_from_before_the_press_is_no_answer(plan: GamePlan) -> None:
    table = Table(plan, mistakes={1: "skip"})
    table.row("s")
    table.committed("s")
    table.refuse("s")
    table.until(lambda: bool(table.events("mended")))
    table.committed("s")
    table.lights.apply(["pit", "3", "error"])  # still part of the first refusal
    table.until(lambda: table.now % 5000 == 0)
    assert len(table.events("refused")) == 1
    table.refuse("s")
    table.until(lambda: len(table.events("refused")) == 2)


def test_hands_give_up_after_too_many_refusals(plan: GamePlan) -> None:
    table = Table(plan)
    table.row("s")
    for _ in range(MAX_TRIES):
        table.committed("s")
        table.refuse("s")
    with pytest.raises(GaveUp, match=rf"turn 1\b.*{MAX_TRIES}"):
        table.until(lambda: table.hands.done)


def test_hands_give_up_if_the_lights_end_the_game_early(plan: GamePlan) -> None:
    table = Table(plan)
    table.row("s")
    table.committed("s")
    table.row("")
    with pytest.raises(GaveUp, match=r"turn 1\b"):
        table.until(lambda: table.hands.done)


@pytest.mark.parametrize("light", ["on", "blink"])
def test_a_side_that_moves_again_waits_until_its_light_is_lit_again(light: str, plan: GamePlan) -> None:
    turns = (replace(plan.turns[0], next_side=plan.turns[0].side), *plan.turns[1:])
    table = Table(replace(plan, turns=turns))
    table.row("s")
    table.committed("s")
    table.until(lambda: table.now % 5000 == 0)
    assert not table.events("turn")
    table.row("s", light)
    table.until(lambda: bool(table.events("turn")))
    assert not table.events("refused")


def test_a_forgotten_button_is_pressed_late(plan: GamePlan) -> None:
    table = Table(plan, mistakes={1: "forget-button"})
    table.row("s")
    table.until(lambda: bool(table.events("mistake")))
    assert table.world.counts() == plan.turns[0].after
    assert table.until(table.pressed("s")) >= Pace().remember
    table.row("n")
    table.until(lambda: bool(table.events("turn")))


def test_a_hasty_hand_goes_on_if_the_turn_is_accepted(plan: GamePlan) -> None:
    table = Table(plan, mistakes={1: "hasty"})
    table.row("s")
    table.committed("s")
    assert sum(table.world.counts()) < sum(plan.counts)
    table.row("n")
    table.committed("n")
    assert table.world.counts() == plan.turns[1].after
    assert not table.events("unnoticed")


@pytest.mark.parametrize("granted", [True, False])
def test_an_undone_turn_is_played_again_and_stands_if_undo_is_refused(granted: bool, plan: GamePlan) -> None:
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
    assert table.world.counts() == plan.turns[0].after


def test_hands_without_patience_press_again(plan: GamePlan) -> None:
    table = Table(plan, pace=Pace(patience=3000))
    table.until(table.pressed("s"))  # no light is lit yet
    table.row("s")
    table.committed("s")
    table.until(table.pressed("s"))
    assert table.events("pressed-again") == [{"event": "pressed-again", "ply": 1}]
    table.row("n")
    table.until(lambda: bool(table.events("turn")))


def test_lights_that_answer_an_earlier_press_are_no_answer(whole_game: GamePlan) -> None:
    """With protocol 1.1 the hands know which press the lights answer, even if the error light is lit again."""
    table = Table(whole_game)
    table.show("s", 0)
    for turn in whole_game.turns[:4]:
        table.committed(turn.side)
        for shown in (turn.side, turn.next_side):  # the board has not noticed the press yet
            table.show(shown, turn.ply - 1, error=shown == turn.side)
        table.lights.press(turn.side, turn.ply)
        table.show(turn.next_side, turn.ply - 1)
        table.until(lambda: table.now % 3000 == 0)
        assert len(table.events("turn")) == turn.ply - 1
        assert not table.events("refused")
        table.show(turn.next_side, turn.ply)
        table.until(lambda ply=turn.ply: len(table.events("turn")) == ply)  # type: ignore[misc]


def test_a_press_that_changed_nothing_is_repeated_a_few_times(plan: GamePlan) -> None:
    """It was answered, no error light is lit, and the side is still to move: the host has passed over the press."""
    table = Table(plan)
    side = plan.turns[0].side
    table.show(side, 0)
    for press in range(1, MAX_TRIES + 1):
        table.committed(side)
        table.lights.press(side, press)
        table.show(side, press)
    with pytest.raises(GaveUp, match=r"turn 1, "):
        table.until(lambda: False)
    assert len(table.events("pressed-again")) == MAX_TRIES - 1


def test_hands_go_on_where_a_press_changes_nothing_because_the_next_turn_is_being_sown(plan: GamePlan) -> None:
    table = Table(plan, mistakes={1: "hasty"})
    side = plan.turns[0].side
    table.show(side, 0)
    table.committed(side)
    table.lights.press(side, 1)
    table.show(side, 1)
    table.committed(plan.turns[1].side)
    assert table.world.counts() == plan.turns[1].after
    assert not table.events("pressed-again")


def test_hands_wait_for_the_answer_to_their_undo(plan: GamePlan) -> None:
    table = Table(plan, mistakes={1: "take-back"}, pace=Pace(remember=1000))
    side = plan.turns[0].side
    other = "n" if side == "s" else "s"
    table.show(side, 0)
    table.committed(side)
    table.lights.press(side, 1)
    table.show(other, 1)
    table.until(lambda: table.world.contacts(table.now) == contact(side, "undo"))
    table.lights.press(side, 2)
    table.until(lambda: table.now % 10_000 == 0)  # far longer than they remember
    assert not table.events("taken-back")
    table.show(side, 2)
    table.until(lambda: bool(table.events("taken-back")))
    assert table.events("taken-back") == [{"event": "taken-back", "ply": 1, "granted": True}]


def test_hands_hold_the_commit_button_to_accept(plan: GamePlan) -> None:
    table = Table(plan)
    buttons = Buttons()
    presses = []
    script = table.hands.accept("n")
    due = 0
    for now in range(0, 5000, 10):
        if now >= due:
            table.hands._now = now
            due = now + next(script, 10_000)
        presses += buttons.read(table.world.contacts(now), now)
    assert presses == [("n", "commit"), ("n", "accept")]
