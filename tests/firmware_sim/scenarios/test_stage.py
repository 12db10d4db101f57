from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from math import inf
from pathlib import Path
from random import Random

import pytest

from firmware_sim.cable.faults import CableFaults
from firmware_sim.errors import BadScenario, SimulatorError
from firmware_sim.hands.plan import Plan
from firmware_sim.scenarios.scenario import At, GamePlayed, Rates, Scenario
from firmware_sim.scenarios.stage import Stage, draw_troubles, plan_of, stage
from tests.firmware_sim.conftest import Clock, Wire
from tests.firmware_sim.host import Host

GAME = GamePlayed("", 1, "enkeshui", {"pits": 8, "setup": "fours-right"}, 6)
SOME = Scenario(seed=5, speed=inf, game=GAME)


class Played:
    """A scenario played to its end against a host that is told the plan. `heard` is every byte that it got."""

    def __init__(self, scenario: Scenario, limit: float = 120) -> None:
        self.told: list[Mapping[str, object]] = []
        self.wire, self.clock, self.heard = Wire(), Clock(), b""
        boots = (f"{number:08x}" for number in count(1))
        self.stage: Stage = stage(scenario, self.wire, self.clock, self._wait, self.told.append, boots)
        self.host = Host(self.stage.plan, self.wire.write, scenario.board.stores)
        self.wire.plug()
        self.host.greet()
        self.stage.device.run(lambda: not self.stage.device.playing or self.clock.now > limit)

    def _wait(self, files: list[int], seconds: float) -> None:
        self.clock.now += seconds or 0.001
        data = self.wire.read()
        self.heard += data
        self.host.hear(data)

    def kinds(self) -> set[object]:
        return {event["event"] for event in self.told}


def test_the_same_seed_is_the_same_run_byte_for_byte() -> None:
    scenario = replace(
        SOME,
        speed=20.0,
        scales=replace(SOME.scales, drift=50, swing=10),
        rates=Rates(mistake=0.5, kinds=("skip", "bump", "shake")),
    )
    runs = [Played(scenario) for _ in range(2)]
    other = Played(replace(scenario, seed=6))
    assert runs[0].heard == runs[1].heard != other.heard
    assert runs[0].told == runs[1].told != other.told
    assert not runs[0].stage.device.playing


def test_troubles_come_when_they_are_due() -> None:
    at = (
        At(1, "brown-out", "button", 0.5, dip=0.2),
        At(2, "unplug", "start", 0.2),
        At(3, "open", "middle", 0.3, sensor=2),
        At(3, "stuck", "start", 0.1, sensor=3),
        At(4, "restart", "middle"),
        At(5, "mistake", kind="change-mind"),
    )
    played = Played(replace(SOME, at=at))
    assert played.kinds() >= {"brown-out", "unplugged", "plugged", "sensor", "restarted", "mistake"}
    faults = [event[3:] for event in played.host.events if event[2] == "FAULT"]
    assert ["2", "open"] in faults
    assert ["2", "ok"] in faults


def test_rates_of_one_strike_in_every_turn() -> None:
    rates = Rates(mistake=1, kinds=("forget-button",), unplug=1, restart=1, brown_out=1, open=1, stuck=1)
    scenario = replace(SOME, rates=rates)
    plan = plan_of(scenario, Random(1))
    troubles = draw_troubles(scenario, plan, Random(1))
    assert set(troubles.mistakes) == set(range(1, 7))
    assert len(troubles.at) == 5 * 6


def test_a_bad_cable_strikes() -> None:
    staged = Played(replace(SOME, speed=20.0, cable=CableFaults(duplicate=20.0)), limit=3).stage
    assert staged.wires[0].struck["duplicate"] > 0


def test_a_scenario_without_turns_lays_the_start_out() -> None:
    staged = Played(replace(SOME, game=replace(GAME, turns=0))).stage
    assert staged.world.counts() == staged.plan.counts
    assert not staged.device.playing


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (GamePlayed(ruleset="ludo"), "ludo"),
        (GamePlayed(ruleset="bof", options={"pits": 99}), "pits"),
        (GamePlayed(record="nowhere.pmn"), "nowhere.pmn"),
        (GamePlayed(record=str(Path(__file__).parents[3] / "docs/examples/enkeshui.pmn"), number=9), "fewer than 9"),
    ],
)
def test_a_game_that_is_not_to_be_had(game: GamePlayed, message: str) -> None:
    with pytest.raises(BadScenario, match=message):
        plan_of(replace(SOME, game=game), Random(1))


def test_a_trouble_in_a_turn_that_is_not_there() -> None:
    plan: Plan = plan_of(SOME, Random(1))
    for at in (At(7, "unplug"), At(7, "mistake", kind="skip")):
        with pytest.raises(SimulatorError, match="there is no turn 7: the game has 6"):
            draw_troubles(replace(SOME, at=(at,)), plan, Random(1))
