"""docs/drivers.md lists the drivers that are installed."""

from __future__ import annotations

import tomllib
from typing import Any

from drivers.events import Connected, PitChanged, Snapshot
from drivers.registry import GROUP
from tests.docs.pages import ROOT, blocks, page, quoted, rows, section


def test_every_driver_is_documented() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    documented = [quoted(row[0])[0] for row in rows(section(page("drivers.md"), "Included drivers"))]
    assert sorted(documented) == sorted(project["entry-points"][GROUP])


def test_the_example_driver_reports_counts() -> None:
    (block,) = (block for block in blocks(page("drivers.md")) if block.kind == "python")
    names: dict[str, Any] = {}
    exec(block.text, names)
    board = names["ClayBoard"]().session(lambda: "0000000a", None)
    board.port_opened(0.0)
    events = board.receive(b"4 4 4 4\n0 5 5 5\n", 1.0)
    assert [type(event) for event in events] == [Connected, Snapshot, *[PitChanged] * 4]
