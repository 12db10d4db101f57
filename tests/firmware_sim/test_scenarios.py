from __future__ import annotations

from dataclasses import replace
from math import inf
from pathlib import Path
from random import Random

import pytest

from inkeek.firmware_sim.cable import CableFaults
from inkeek.firmware_sim.errors import BadScenario, SimulatorError
from inkeek.firmware_sim.hands.plan import GamePlan
from inkeek.firmware_sim.scenarios import (
    GameSetup,
    Scenario,
    ScheduledTrouble,
    TroubleRates,
    draw_troubles,
    parse_scenario,
    plan_of,
    read_scenario,
)
from tests.firmware_sim.host import Staged

EXAMPLES = sorted((Path(__file__).parents[2] / "docs/examples/scenarios").glob("*.toml"))


def test_an_empty_file_gives_the_defaults() -> None:
    assert parse_scenario("") == Scenario()


def test_all_sections_are_read() -> None:
    scenario = parse_scenario(
        'seed = 3\nspeed = "max"\ngive_up = 5\n[game]\nruleset = "bof"\nturns = 9\noptions = { direction = "ccw" }\n'
        "[board]\nstores = false\n[scales]\nnoise_sd = 2\n[pace]\nthink = [10, 20]\n[cable]\ndrop = 0.5\n"
        '[rates]\nmistake = 1\nkinds = ["skip"]\n[[at]]\nturn = 2\nwhat = "mistake"\nkind = "bump"\n'
        '[[at]]\nturn = 2\nwhat = "unplug"\nmoment = "button"\nseconds = 0.5\n'
    )
    assert (scenario.seed, scenario.speed, scenario.give_up) == (3, inf, 5.0)
    assert scenario.game == GameSetup("", 1, "bof", {"direction": "ccw"}, 9)
    assert not scenario.board.stores
    assert (scenario.scales.noise_sd, scenario.pace.think, scenario.cable.drop) == (2.0, (10, 20), 0.5)
    assert (scenario.rates.mistake, scenario.rates.kinds) == (1.0, ("skip",))
    assert scenario.at == (ScheduledTrouble(2, "mistake", kind="bump"), ScheduledTrouble(2, "unplug", "button", 0.5))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sed = 1", r"\bsed\b.*seed, speed, give_up, game, board"),
        ("[sceles]\nnoise_sd = 1", r"\bsceles\b.*scales"),
        ("[scales]\nnoise = 1", r"scales\.noise\b.*stone_sd, noise_sd"),
        ("[cable]\nloss = 1", r"cable\.loss\b.*drop"),
        ("[[at]]\nturn = 1\nwhat = 'unplug'\nwhen = 1", r"at\[0\]\.when\b.*turn"),
        ("[[at]]\nturn = 1", r"at\[0\]\.what\b"),
        ("[[at]]\nturn = 1\nwhat = 'rain'", "what.*unplug.restart.*'rain'"),
        ("[[at]]\nturn = 1\nwhat = 'mistake'", "turn 1.*'mistake'.*kind"),
        ("[[at]]\nturn = 1\nwhat = 'unplug'\nkind = 'skip'", "turn 1.*'mistake'.*kind"),
        (2 * "[[at]]\nturn = 1\nwhat = 'mistake'\nkind = 'skip'\n", "turn 1"),
        ("[at]\nturn = 1", r"\bat\b.*'turn': 1"),
        ("scales = 3", "scales.*3"),
        ("seed = 'x'", "seed.*'x'"),
        ("seed = true", "seed.*True"),
        ("speed = 0", "speed.*> 0.0.*0"),
        ("speed = 'fast'", "speed.*'fast'"),
        ("[scales]\nstone_sd = 2", r"scales\.stone_sd.*<= 0\.3.*2"),
        ("[scales]\nstone_sd = nan", r"scales\.stone_sd.*nan"),
        ("[rates]\nunplug = 1.5", r"rates\.unplug.*<= 1\.0.*1\.5"),
        ("[rates]\nkinds = ['oops']", r"rates\.kinds.*skip.double.*'oops'"),
        ("[pace]\nthink = [5]", r"pace\.think.*\[5\]"),
        ("[pace]\nthink = [5, 2]", r"pace\.think.*\[5, 2\]"),
        ("[pace]\nseed = 1.5", r"pace\.seed.*1\.5"),
        ("[board]\nstores = 1", r"board\.stores.*1"),
        ("[board]\nserial = 1", r"board\.serial.*1"),
        ("[game]\noptions = 3", r"game\.options.*3"),
        ("[game]\nrecord = 'x.pmn'\nturns = 3", "record.*turns"),
        ("seed = ", "TOML"),
    ],
)
def test_an_unknown_key_or_invalid_value_is_quoted(text: str, message: str) -> None:
    with pytest.raises(BadScenario, match=message):
        parse_scenario(text)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_are_valid(path: Path) -> None:
    scenario = read_scenario(path)
    assert scenario.seed is not None
    assert not scenario.game.record or Path(scenario.game.record).is_file()


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadScenario, match=r"nothing\.toml"):
        read_scenario(tmp_path / "nothing.toml")
    long = tmp_path / "long.toml"
    long.write_text("#" * 200_000)
    with pytest.raises(BadScenario, match=r"long\.toml"):
        read_scenario(long)
    bad = tmp_path / "bad.toml"
    for content in (b"\xff", b"x = " + b"[" * 10_000):
        bad.write_bytes(content)
        with pytest.raises(BadScenario, match=r"bad\.toml"):
            read_scenario(bad)


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
        scales=replace(BASE.scales, drift=50, swing=10),
        rates=TroubleRates(mistake=0.5, kinds=("skip", "bump", "shake")),
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


def test_rates_of_one_cause_trouble_in_every_turn() -> None:
    rates = TroubleRates(mistake=1, kinds=("forget-button",), unplug=1, restart=1, brown_out=1, open=1, stuck=1)
    scenario = replace(BASE, rates=rates)
    plan = plan_of(scenario, Random(1))
    troubles = draw_troubles(scenario, plan, Random(1))
    assert set(troubles.mistakes) == set(range(1, 7))
    assert len(troubles.at) == 5 * 6


def test_a_faulty_cable_has_faults() -> None:
    staged = played(replace(BASE, speed=20.0, cable=CableFaults(duplicate=20.0)), limit=3).stage
    assert staged.wires[0].fault_counts["duplicate"] > 0


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
            draw_troubles(replace(BASE, at=(at,)), plan, Random(1))
