from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def run_uncompiled(tmp_path: Path) -> Callable[..., str]:
    """Runs a program on a copy of `records` that is not compiled, and returns what it prints."""

    def run(program: str, *arguments: str) -> str:
        source = Path(__file__).parents[3] / "records"
        copy = tmp_path / "inkeek" / "records"
        shutil.copytree(source, copy, ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"))
        copy.with_name("__init__.py").touch()
        command = [sys.executable, "-c", program, *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    return run
