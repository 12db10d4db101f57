"""The same firmware files under CPython and under MicroPython: equal input gives equal output."""

from __future__ import annotations

from typing import Any

import pytest

from inkeek.firmware_sim.firmware.codec import LineDecoder
from inkeek.firmware_sim.firmware.sensor import ZERO_BAND
from tests.firmware_sim.alike import alike
from tests.firmware_sim.micropython import MicroPython

from . import scripts


def lines(out: list[Any]) -> list[list[str]]:
    """Decode the lines in a script's output."""
    return LineDecoder().feed(b"".join(bytes.fromhex(item) for item in out if isinstance(item, str)))


def test_everything_a_board_does(micropython: MicroPython) -> None:
    sent = lines(alike(micropython, scripts.everything()))
    assert {line[0] for line in sent} == {"HELLO", "EVT", "SNAP", "STAT", "ERR", "LIT", "TEST"}
    assert {line[4] for line in sent if line[0] == "EVT"} == {"PIT", "LIFT", "BTN", "FAULT", "CAL"}
    assert {tuple(line[5:7]) for line in sent if line[0] == "EVT" and line[4] == "BTN"} == {
        ("n", "accept"),
        *((side, action) for side in "sn" for action in ("commit", "undo", "dispute", "trial")),
    }
    assert {line[1] for line in sent if line[0] == "ERR"} == {"version", "unknown", "range", "damaged"}
    assert "low-supply+temperature" in {line[5] for line in sent if line[0] == "STAT"}


def test_drift_in_the_units_of_a_real_amplifier(micropython: MicroPython) -> None:
    sent = lines(alike(micropython, scripts.drifting()))
    steps = {line[2]: line[6] for line in sent if line[4:5] == ["CAL"]}
    assert list(steps.values()) == ["ok"] * 16  # a tare and ten seeds for each of eight scales
    snaps = [line[4] for line in sent if line[0] == "SNAP"]
    assert max(int(count) for count in snaps[-1].split(".")) <= ZERO_BAND + 3  # the drift is more than half a seed
    assert "stuck0" in [line for line in sent if line[0] == "STAT"][-1][5]


def test_a_ring_that_overflows(micropython: MicroPython) -> None:
    sent = lines(alike(micropython, scripts.overflowing()))
    assert ["ERR", "overflow"] in [line[:2] for line in sent]


@pytest.mark.parametrize("seed", range(4))
def test_a_random_script(micropython: MicroPython, seed: int) -> None:
    assert len(alike(micropython, scripts.random_script(seed, 1500))) > 150
