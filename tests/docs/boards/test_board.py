"""docs/board.md agrees with the firmware: pins, figures and commands."""

from __future__ import annotations

import re

import pytest

from inkeek.firmware_sim.firmware import board, sensor
from inkeek.firmware_sim.firmware.board import RING_SIZE
from inkeek.firmware_sim.pico import hx711, wiring
from inkeek.service.cli.boards.board import board as cli_board
from tests.docs.pages import page, quoted, rows, section

TEXT = page("board.md")


def test_the_pins_are_those_of_the_wiring() -> None:
    pins_of: dict[str, list[int]] = {}
    for name, pins, _ in rows(section(TEXT, "Pins of the Pico")):
        pins_of.setdefault(quoted(name)[0], []).extend(int(pin) for pin in pins.split(","))
    assert pins_of == {
        "CLOCK": [wiring.CLOCK, wiring.CLOCK + 1, wiring.CLOCK + 2],
        "DATA": [wiring.DATA],
        "PIXELS": [wiring.PIXELS],
        "BUTTONS": list(wiring.BUTTONS),
    }


def test_scales_are_numbered_along_the_registers() -> None:
    cells = [cell for row in rows(section(TEXT, "The registers")) for cell in row[1:]]
    assert [int(cell) for cell in cells if cell] == list(range(2 * board.MAX_ROW + 2))
    assert all(int(cell) == place for place, cell in enumerate(cells) if cell)


def test_readings_of_a_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    for grams, unit, *_ in rows(section(TEXT, "Design figures")):
        monkeypatch.setattr(wiring, "SEED_GRAMS", float(grams.removesuffix(" g")))
        assert wiring.unit() == int(unit.replace(",", ""))


def test_commands_exist() -> None:
    for words in re.findall(r"^ +inkeek board (\w+)", TEXT, re.MULTILINE):
        assert words in cli_board.commands
    assert "python -m inkeek.firmware_sim.flash" in TEXT


def test_figures_are_those_of_the_firmware() -> None:
    figures = section(TEXT, "Design figures")
    assert f"{sensor.JUMP / 100} seeds for {sensor.SETTLE_MS} ms" in figures
    assert f"{RING_SIZE} events" in figures
    assert f"{board.LOW_SUPPLY / 1000} V" in figures
    assert f"{board.MAX_WARMING // 10} °C" in figures
    assert f"high for {1_000_000 / hx711.FREQUENCY} µs" in figures
    assert f"{wiring.WATCHDOG_MS // 1000} seconds" in section(TEXT, "Installing the software")
    assert (sensor.ZERO_MS, sensor.ZERO_MOST) == (1000, 300)  # a hundredth a second, three seeds in all
