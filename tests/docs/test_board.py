"""docs/board.md: its pins, figures and commands are those of the firmware."""

from __future__ import annotations

import re

import pytest

from firmware_sim.firmware import board, sensor
from firmware_sim.firmware.ring import RING_SIZE
from firmware_sim.pico import wiring
from tests.docs.pages import ROOT, page, quoted, rows, section

TEXT = page("board.md")


def test_the_pins_are_those_of_the_wiring() -> None:
    told: dict[str, list[int]] = {}
    for name, pins, _ in rows(section(TEXT, "Pins of the Pico")):
        told.setdefault(quoted(name)[0], []).extend(int(pin) for pin in pins.split(","))
    buttons = told.pop("BUTTONS")
    assert tuple(buttons) == wiring.BUTTONS
    assert told == {name: [getattr(wiring, name)] for name in told}
    assert set(told) == {"CLOCK", "LATCH", "SPI_CLOCK", "SPI_UNUSED", "SPI_DATA", "PIXELS"}


def test_scales_are_numbered_along_the_registers() -> None:
    """The first input is gone before the Pico looks; from there on they follow each other."""
    cells = [cell for row in rows(section(TEXT, "The registers")) for cell in row[1:]]
    assert cells[0] == ""
    assert [int(cell) for cell in cells if cell] == [*range(18), *range(23, 26)]
    assert all(int(cell) == place - 1 for place, cell in enumerate(cells) if cell)


def test_what_a_seed_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    for grams, unit, *_ in rows(section(TEXT, "Why these numbers")):
        monkeypatch.setattr(wiring, "SEED_GRAMS", float(grams.removesuffix(" g")))
        assert wiring.unit() == int(unit.replace(",", ""))


def test_names_of_the_wiring_exist() -> None:
    (line,) = re.findall(r"^2\. .*$", section(TEXT, "Putting the software on it"), re.MULTILINE)
    names = re.findall(r"`([A-Z_]+)`", line)
    assert len(names) == 6
    assert [name for name in names if not hasattr(wiring, name)] == []


def test_figures_are_the_firmwares() -> None:
    assert f"more than {sensor.JUMP / 100} seeds\nfor {sensor.SETTLE_MS} ms" in TEXT
    assert f"ring holds {RING_SIZE} events" in TEXT
    assert f"hangs for {wiring.WATCHDOG_MS // 1000} seconds" in TEXT
    assert f"Below {board.LOW_SUPPLY / 1000} V" in TEXT
    assert f"it is {board.MAX_WARMING // 10} °C" in TEXT
    assert (sensor.ZERO_MS, sensor.ZERO_MOST) == (1000, 300)  # a hundredth a second, three seeds in all


def test_the_copied_folders_are_all_that_the_board_imports() -> None:
    copied = section(TEXT, "Putting the software on it")
    for folder in ("firmware_sim/firmware", "firmware_sim/pico", "firmware_sim/__init__.py"):
        assert folder in copied
        assert (ROOT / folder).exists()
