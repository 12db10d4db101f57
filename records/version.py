"""The version of the project: that of `pyproject.toml`, and the commit it was built from or is a clone of."""

from __future__ import annotations

import subprocess
import tomllib
from importlib.metadata import version
from pathlib import Path

_ROOT = Path(__file__).parents[1]


def _version() -> str:
    project = _ROOT / "pyproject.toml"
    if not project.exists():
        return version("inkeek")  # installed: `setup.py` put the commit into it
    released: str = tomllib.loads(project.read_text("utf-8"))["project"]["version"]
    if not (_ROOT / ".git").exists():  # git would name the commit of a repository around this folder
        return released
    try:
        git = ["git", "-C", str(_ROOT), "rev-parse", "--short=8", "HEAD"]
        commit = subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return released
    return f"{released}+g{commit}"


__version__: str = _version()
