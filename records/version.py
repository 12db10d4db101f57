"""The version of the project, as `pyproject.toml` has it."""

from __future__ import annotations

import tomllib
from importlib.metadata import version
from pathlib import Path

_PROJECT = Path(__file__).parents[1] / "pyproject.toml"  # only in a clone, which need not be installed

__version__: str = (
    tomllib.loads(_PROJECT.read_text("utf-8"))["project"]["version"] if _PROJECT.exists() else version("inkeek")
)
