from __future__ import annotations

from dataclasses import replace
from math import inf
from pathlib import Path
from random import Random

import pytest

from inkeek.firmware_sim.errors import BadScenario, SimulatorError
from inkeek.firmware_sim.hands.plan import GamePlan
from inkeek.firmware_sim.scenarios import (
    GameSetup,
    Scenario,
    ScheduledTrouble,
    plan_of,
    scheduled_troubles,
)
from tests.firmware_sim.host import Staged

GAME = GameSetup("", 1, "enkeshui", {"pits": 8, "setup": "fours-right"}, 6)
BASE = Scenario(seed=5, speed=inf, game=GAME)


def played(scenario: Scenario, limit: float = 120) -> Staged:
    """A scenario played to its end against a host that knows the plan."""
    staged = Staged(scenario)
    staged.play(limit)
    return staged


def test_the_same_seed_gives_the_same_run_byte_for_byte() -> None:
    scenario = replace(
        BASE,
        speed=20.0,
        scales=replace(BASE.scales, drift=50),
        at=tuple(ScheduledTrouble(ply, "mistake", kind=kind) for ply, kind in ((1, "skip"), (3, "bump"), (5, "shake"))),
    )
    runs = [played(scenario) for _ in range(2)]
    other = played(replace(scenario, seed=6))
    assert runs[0].received == runs[1].received != other.received
    assert runs[0].reported == runs[1].reported != other.reported
    assert not runs[0].stage.device.playing


def test_scheduled_troubles_happen() -> None:
    at = (
        ScheduledTrouble(1, "brown-out", "button", 0.5, dip=0.2),
        ScheduledTrouble(2, "unplug", "start", 0.2),
        ScheduledTrouble(3, "open", "middle", 0.3, sensor=2),
        ScheduledTrouble(3, "stuck", "start", 0.1, sensor=3),
        ScheduledTrouble(4, "restart", "middle"),
        ScheduledTrouble(5, "mistake", kind="change-mind"),
    )
    found = played(replace(BASE, at=at))
    assert {event["event"] for event in found.reported} >= {
        "brown-out",
        "unplugged",
        "plugged",
        "sensor",
        "restarted",
        "mistake",
    }
    faults = [event[3:] for event in found.host.events if event[2] == "FAULT"]
    assert ["2", "open"] in faults
    assert ["2", "ok"] in faults


def test_a_scenario_without_turns_lays_out_the_start() -> None:
    staged = played(replace(BASE, game=replace(GAME, turns=0))).stage
    assert staged.world.counts() == staged.plan.counts
    assert not staged.device.playing


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (GameSetup(ruleset="ludo"), "ludo"),
        (GameSetup(ruleset="bof", options={"pits": 99}), "pits"),
        (GameSetup(record="nowhere.pmn"), "nowhere.pmn"),
        (GameSetup(record=str(Path(__file__).parents[2] / "docs/examples/enkeshui.pmn"), number=9), "9"),
    ],
)
def test_a_game_that_does_not_exist_is_named(game: GameSetup, message: str) -> None:
    with pytest.raises(BadScenario, match=message):
        plan_of(replace(BASE, game=game), Random(1))


def test_a_trouble_in_a_turn_that_does_not_exist_is_refused() -> None:
    plan: GamePlan = plan_of(BASE, Random(1))
    for at in (ScheduledTrouble(7, "unplug"), ScheduledTrouble(7, "mistake", kind="skip")):
        with pytest.raises(SimulatorError, match=r"7.*6"):
            scheduled_troubles(replace(BASE, at=(at,)), plan, Random(1))
