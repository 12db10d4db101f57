"""MicroPython for tests: its build for node, which `.ci/micropython` installs into `build/`."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
ENGINE = ROOT / "build/micropython/node_modules/@micropython/micropython-webassembly-pyscript/micropython.mjs"
LAUNCHER = Path(__file__).with_suffix(".mjs")
SOURCES = ("firmware_sim/__init__.py", "firmware_sim/firmware/*.py", "firmware_sim/pico/*.py")
HEAP = 8 << 20  # bytes; enough for a long script as JSON


class MicroPython:
    """An interpreter that is started anew for each call."""

    def __init__(self, node: str) -> None:
        self._node = node

    def call(self, entry: Path, argument: Any, *, heap: int = HEAP) -> Any:
        """What `main` of the file `entry` answers to `argument`, both of them JSON.

        It can import the firmware, unchanged and by its name, as well as what lies beside it, and has `heap` bytes.
        """
        files = {path.name: path.read_text("utf-8") for path in (entry, *entry.parent.glob("fake_*.py"))}
        for pattern in SOURCES:
            files |= {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in ROOT.glob(pattern)}
        job = {"files": files, "entry": entry.stem, "argument": argument}
        done = subprocess.run(
            [self._node, LAUNCHER, ENGINE, str(heap)],
            input=json.dumps(job),
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stderr[-4000:]
        return json.loads(done.stdout)


def find_micropython(*, must: bool) -> MicroPython:
    """The interpreter. Where there is none the test is skipped, or fails if it `must` be there."""
    node = shutil.which("node")
    if node is not None and ENGINE.is_file():
        return MicroPython(node)
    missing = "there is no node" if node is None else "MicroPython is not installed"
    reason = f"{missing}: .ci/micropython installs it, where npm is"
    if must:
        pytest.fail(reason)
    pytest.skip(reason)
