"""The same firmware files under CPython and under MicroPython: equal input gives equal output."""

from __future__ import annotations

from typing import Any

from inkeek.firmware_sim.firmware.codec import LineDecoder
from inkeek.firmware_sim.firmware.sensor import ZERO_BAND
from tests.firmware_sim.alike import alike
from tests.firmware_sim.micropython import MicroPython

from . import scripts


def lines(out: list[Any]) -> list[list[str]]:
    """Decode the lines in a script's output."""
    return LineDecoder().feed(b"".join(bytes.fromhex(item) for item in out if isinstance(item, str)))


def test_drift_in_the_units_of_a_real_amplifier(micropython: MicroPython) -> None:
    sent = lines(alike(micropython, scripts.drifting()))
    steps = {line[2]: line[6] for line in sent if line[4:5] == ["CAL"]}
    assert list(steps.values()) == ["ok"] * 16  # a tare and ten seeds for each of eight scales
    snaps = [line[4] for line in sent if line[0] == "SNAP"]
    assert max(int(count) for count in snaps[-1].split(".")) <= ZERO_BAND + 3  # the drift is more than half a seed
    assert "stuck0" in [line for line in sent if line[0] == "STAT"][-1][5]


def test_random_scripts_in_which_a_board_does_everything(micropython: MicroPython) -> None:
    sent = [line for seed in range(6) for line in lines(alike(micropython, scripts.random_script(seed, 1500)))]
    assert {line[0] for line in sent} == {"HELLO", "EVT", "SNAP", "STAT", "ERR", "LIT", "TEST"}
    assert {line[4] for line in sent if line[0] == "EVT"} == {"PIT", "LIFT", "BTN", "FAULT", "CAL"}
    actions = {line[6] for line in sent if line[0] == "EVT" and line[4] == "BTN"}
    assert actions == {"commit", "undo", "dispute", "trial", "accept"}
    assert {line[1] for line in sent if line[0] == "ERR"} == {"version", "range", "damaged", "overflow"}
