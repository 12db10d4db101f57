"""docs/drivers.md: the drivers it tells of are those that are installed."""

from __future__ import annotations

import tomllib

from drivers.registry import GROUP
from tests.docs.pages import ROOT, page, quoted, rows, section


def test_every_driver_is_told_and_no_other() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    told = [quoted(row[0])[0] for row in rows(section(page("drivers.md"), "The drivers that come with it"))]
    assert sorted(told) == sorted(project["entry-points"][GROUP])
