from __future__ import annotations

from dataclasses import MISSING, fields
from math import inf
from pathlib import Path

import pytest

from firmware_sim.errors import BadScenario
from firmware_sim.scenarios.scenario import (
    CHOICES,
    LIMITS,
    SECTIONS,
    At,
    GamePlayed,
    Scenario,
    parse_scenario,
    read_scenario,
)

EXAMPLES = sorted((Path(__file__).parents[3] / "docs/examples/scenarios").glob("*.toml"))


def test_an_empty_file_is_the_default() -> None:
    assert parse_scenario("") == Scenario()


def test_what_stands_there_is_read() -> None:
    scenario = parse_scenario(
        'seed = 3\nspeed = "max"\ngive_up = 5\n[game]\nruleset = "bof"\nturns = 9\noptions = { direction = "ccw" }\n'
        "[board]\nstores = false\n[scales]\nnoise_sd = 2\n[pace]\nthink = [10, 20]\n[cable]\ndrop = 0.5\n"
        '[rates]\nmistake = 1\nkinds = ["skip"]\n[[at]]\nturn = 2\nwhat = "mistake"\nkind = "bump"\n'
        '[[at]]\nturn = 2\nwhat = "unplug"\nmoment = "button"\nseconds = 0.5\n'
    )
    assert (scenario.seed, scenario.speed, scenario.give_up) == (3, inf, 5.0)
    assert scenario.game == GamePlayed("", 1, "bof", {"direction": "ccw"}, 9)
    assert not scenario.board.stores
    assert (scenario.scales.noise_sd, scenario.pace.think, scenario.cable.drop) == (2.0, (10, 20), 0.5)
    assert (scenario.rates.mistake, scenario.rates.kinds) == (1.0, ("skip",))
    assert scenario.at == (At(2, "mistake", kind="bump"), At(2, "unplug", "button", 0.5))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sed = 1", "sed is not known; known are seed, speed, give_up, game, board"),
        ("[sceles]\nnoise_sd = 1", "sceles is not known"),
        ("[scales]\nnoise = 1", r"\[scales\] noise is not known; known are stone_sd, noise_sd"),
        ("[cable]\nloss = 1", r"\[cable\] loss is not known"),
        ("[[at]]\nturn = 1\nwhat = 'unplug'\nwhen = 1", r"\[at\] when is not known"),
        ("[[at]]\nturn = 1", r"\[at\] lacks what"),
        ("[[at]]\nturn = 1\nwhat = 'rain'", "what = 'rain': expected one of unplug, restart"),
        ("[[at]]\nturn = 1\nwhat = 'mistake'", "a kind goes with what = 'mistake'"),
        ("[[at]]\nturn = 1\nwhat = 'unplug'\nkind = 'skip'", "a kind goes with"),
        (2 * "[[at]]\nturn = 1\nwhat = 'mistake'\nkind = 'skip'\n", "turn = 1 has two mistakes"),
        ("[at]\nturn = 1", r"expected tables, \[\[at\]\]"),
        ("scales = 3", r"scales = 3: expected a table, \[scales\]"),
        ("seed = 'x'", "seed = 'x': expected a whole number from 0"),
        ("seed = true", "seed = True: expected a whole number"),
        ("speed = 0", "speed = 0: expected a factor"),
        ("speed = 'fast'", "speed = 'fast': expected a factor"),
        ("[scales]\nstone_sd = 2", r"\[scales\] stone_sd = 2: expected a number from 0 to 0.3"),
        ("[scales]\nstone_sd = nan", "expected a number from 0 to 0.3"),
        ("[rates]\nunplug = 1.5", "unplug = 1.5: expected a number from 0 to 1"),
        ("[rates]\nkinds = ['oops']", "kinds = .*: expected a list of skip, double"),
        ("[pace]\nthink = [5]", "two whole numbers"),
        ("[pace]\nthink = [5, 2]", "the smaller one first"),
        ("[pace]\nseed = 1.5", "expected a whole number"),
        ("[board]\nstores = 1", "expected true or false"),
        ("[board]\nserial = 1", "expected a text"),
        ("[game]\noptions = 3", "expected a table of texts"),
        ("[game]\nrecord = 'x.pmn'\nturns = 3", "no turns or options beside it"),
        ("seed = ", "this is no TOML"),
    ],
)
def test_what_is_not_known_is_refused_by_name(text: str, message: str) -> None:
    with pytest.raises(BadScenario, match=message):
        parse_scenario(text)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_are_read(path: Path) -> None:
    scenario = read_scenario(path)
    assert scenario.seed is not None
    assert not scenario.game.record or Path(scenario.game.record).is_file()


def test_a_file_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadScenario, match=r"nothing\.toml"):
        read_scenario(tmp_path / "nothing.toml")
    long = tmp_path / "long.toml"
    long.write_text("#" * 200_000)
    with pytest.raises(BadScenario, match="longer than"):
        read_scenario(long)
    bad = tmp_path / "bad.toml"
    bad.write_bytes(b"\xff")
    with pytest.raises(BadScenario, match=r"bad\.toml"):
        read_scenario(bad)


def test_limits_and_choices_are_of_keys_that_there_are() -> None:
    known = {(name, one.name) for name, kind in SECTIONS.items() for one in fields(kind)}
    known |= {("", one.name) for one in fields(Scenario)}
    assert known >= set(LIMITS) | set(CHOICES)


def told(value: object) -> str:
    """A default as the docs tell it."""
    if value is MISSING or value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return str(list(value))
    return f'"{value}"' if isinstance(value, str) else f"{value:g}" if isinstance(value, float) else str(value)


def test_every_key_its_default_and_its_limits_are_in_the_docs() -> None:
    docs = (Path(__file__).parents[3] / "docs/simulator.md").read_text(encoding="utf-8")
    for section, kind in (("", Scenario), *SECTIONS.items()):
        heads = {"": "Above all tables", "at": "`[[at]]`:"}
        head = heads.get(section, f"`[{section}]`")
        start = docs.index(f"\n{head}")
        table = docs[start : docs.index("\n\n", docs.index("| key |", start))]
        rows = {cells[0].strip(" `"): cells[1:] for cells in (row.strip("|").split("|") for row in table.splitlines())}
        keys = [one for one in fields(kind) if section or one.name not in SECTIONS]
        assert set(rows) >= {one.name for one in keys}
        for one in keys:
            default = one.default if one.default_factory is MISSING else one.default_factory()
            limits = LIMITS.get((section, one.name), (0, 1) if str(one.type) == "float" else ("", ""))
            between = "" if one.name == "speed" or limits == ("", "") else f"{limits[0]} … {limits[1]}"
            assert [cell.strip() for cell in rows[one.name][:2]] == [told(default), between], one.name
