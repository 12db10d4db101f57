"""docs/board.md agrees with the firmware: pins, figures and commands."""

from __future__ import annotations

import re

import pytest

from firmware_sim.firmware import board, sensor
from firmware_sim.firmware.ring import RING_SIZE
from firmware_sim.pico import wiring
from tests.docs.pages import ROOT, page, quoted, rows, section

TEXT = page("board.md")


def test_the_pins_are_those_of_the_wiring() -> None:
    pins_of: dict[str, list[int]] = {}
    for name, pins, _ in rows(section(TEXT, "Pins of the Pico")):
        pins_of.setdefault(quoted(name)[0], []).extend(int(pin) for pin in pins.split(","))
    buttons = pins_of.pop("BUTTONS")
    assert tuple(buttons) == wiring.BUTTONS
    assert pins_of == {name: [getattr(wiring, name)] for name in pins_of}
    assert set(pins_of) == {"CLOCK", "LATCH", "SPI_CLOCK", "SPI_UNUSED", "SPI_DATA", "PIXELS"}


def test_scales_are_numbered_along_the_registers() -> None:
    """The first input is lost before the Pico reads."""
    cells = [cell for row in rows(section(TEXT, "The registers")) for cell in row[1:]]
    assert cells[0] == ""
    assert [int(cell) for cell in cells if cell] == [*range(18), *range(23, 26)]
    assert all(int(cell) == place - 1 for place, cell in enumerate(cells) if cell)


def test_readings_of_a_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    for grams, unit, *_ in rows(section(TEXT, "Design figures")):
        monkeypatch.setattr(wiring, "SEED_GRAMS", float(grams.removesuffix(" g")))
        assert wiring.unit() == int(unit.replace(",", ""))


def test_the_settings_of_the_wiring_exist() -> None:
    (line,) = re.findall(r"^2\. .*$", section(TEXT, "Installing the software"), re.MULTILINE)
    names = re.findall(r"`([A-Z_]+)`", line)
    assert len(names) == 6
    assert [name for name in names if not hasattr(wiring, name)] == []


def test_figures_are_those_of_the_firmware() -> None:
    figures = section(TEXT, "Design figures")
    assert f"{sensor.JUMP / 100} seeds for {sensor.SETTLE_MS} ms" in figures
    assert f"{RING_SIZE} events" in figures
    assert f"{board.LOW_SUPPLY / 1000} V" in figures
    assert f"{board.MAX_WARMING // 10} °C" in figures
    assert f"{wiring.WATCHDOG_MS // 1000} seconds" in section(TEXT, "Installing the software")
    assert (sensor.ZERO_MS, sensor.ZERO_MOST) == (1000, 300)  # a hundredth a second, three seeds in all


def test_all_folders_that_the_board_needs_are_copied() -> None:
    copied = section(TEXT, "Installing the software")
    for folder in ("firmware_sim/firmware", "firmware_sim/pico", "firmware_sim/__init__.py"):
        assert folder in copied
        assert (ROOT / folder).exists()
