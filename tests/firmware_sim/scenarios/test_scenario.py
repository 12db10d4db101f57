from __future__ import annotations

from math import inf
from pathlib import Path

import pytest

from inkeek.firmware_sim.errors import BadScenario
from inkeek.firmware_sim.scenarios.scenario import (
    GameSetup,
    Scenario,
    ScheduledTrouble,
    parse_scenario,
    read_scenario,
)

EXAMPLES = sorted((Path(__file__).parents[3] / "docs/examples/scenarios").glob("*.toml"))


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
