"""The version."""

from __future__ import annotations

import re
import shutil
import tomllib
from pathlib import Path
from runpy import run_path

from inkeek import records

ROOT = Path(__file__).parents[2]


def test_the_version_is_the_project_s(tmp_path: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    commit = re.fullmatch(re.escape(project["version"]) + r"(?:\+g([0-9a-f]{8,}))?", records.__version__)
    assert commit
    assert bool(commit[1]) == (ROOT / ".git").exists()
    for path in ("pyproject.toml", "records/version.py"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        shutil.copyfile(ROOT / path, tmp_path / path)
    assert run_path(str(tmp_path / "records/version.py"))["__version__"] == project["version"]
