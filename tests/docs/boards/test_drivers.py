"""docs/drivers.md lists the drivers that are installed."""

from __future__ import annotations

import sys
import tomllib
from types import SimpleNamespace
from typing import Any
from unittest import SkipTest

import pytest

from inkeek.drivers.conformance import driver_kit
from inkeek.drivers.events import Connected, PitChanged, Snapshot
from inkeek.drivers.registry import GROUP
from inkeek.service.boards.board_process import MEMORY, SHARE, SILENT_FOR, WINDOW
from inkeek.service.boards.board_work import TRY_AGAIN_AFTER
from tests.docs.pages import ROOT, blocks, page, quoted, rows, section


def test_every_driver_is_documented() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    documented = [quoted(row[0])[0] for row in rows(section(page("drivers.md"), "Included drivers"))]
    assert sorted(documented) == sorted(project["entry-points"][GROUP])


@pytest.fixture
def example() -> dict[str, Any]:
    """The names of the example driver."""
    names: dict[str, Any] = {}
    exec(next(block for block in blocks(page("drivers.md")) if block.kind == "python").text, names)
    return names


def test_the_example_driver_reports_counts(example: dict[str, Any]) -> None:
    board = example["ClayBoard"]().session(lambda: "0000000a", None)
    board.port_opened(0.0)
    events = board.receive(b"4 4 4 4\n4 4 .. 4\n0 5 5 5\n", 1.0)  # a garbled line stops nothing
    assert [type(event) for event in events] == [Connected, Snapshot, *[PitChanged] * 4]


def test_the_example_harness_runs_the_kit(example: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "clay_board", SimpleNamespace(ClayBoard=example["ClayBoard"]))
    _, block = (block for block in blocks(page("drivers.md")) if block.kind == "python")
    names: dict[str, Any] = {}
    exec(block.text, names)
    skipped = set()
    for name in driver_kit.__all__:
        try:
            names[name](names["ClayHarness"]())
        except SkipTest:
            skipped.add(name)
    assert skipped == {"test_a_press_is_reported_with_all_counts"}


def test_the_limits_of_other_drivers_are_documented() -> None:
    text = section(page("drivers.md"), "Limits of other drivers")
    figures = (SILENT_FOR, 100 * SHARE, WINDOW, MEMORY >> 20, TRY_AGAIN_AFTER)
    for figure in figures:
        assert f" {figure:g} " in text, figure
