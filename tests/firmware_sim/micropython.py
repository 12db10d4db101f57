"""MicroPython for tests: its build for Node.js, which `.ci/micropython` installs into `build/`."""

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
PACKAGE = "inkeek/__init__.py"  # by which tests import the firmware; a real board has none
SOURCES = ("firmware_sim/__init__.py", "firmware_sim/firmware/*.py", "firmware_sim/pico/*.py")
HEAP = 8 << 20  # bytes; enough for a long script as JSON


class MicroPython:
    """Starts a fresh interpreter for each call."""

    def __init__(self, node: str) -> None:
        self._node = node

    def call(self, entry: Path, argument: Any, *, heap: int = HEAP) -> Any:
        """Run `main` of the file `entry` with `argument` and return its result, both JSON.

        The file can import the firmware and the `fake_*.py` files beside it. `heap` is the memory in bytes.
        """
        files = {path.name: path.read_text("utf-8") for path in (entry, *entry.parent.glob("fake_*.py"))}
        for pattern in (PACKAGE, *SOURCES):
            for path in ROOT.glob(pattern):
                name = path.relative_to(ROOT).as_posix().removeprefix("inkeek/")
                files[f"inkeek/{name}"] = path.read_text("utf-8")
        job = {"files": files, "entry": entry.stem, "argument": argument}
        done = subprocess.run(
            [self._node, LAUNCHER, ENGINE, str(heap)],
            input=json.dumps(job),
            capture_output=True,
            encoding="utf-8",
            timeout=600,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stderr[-4000:]
        return json.loads(done.stdout)


def find_micropython(*, must: bool) -> MicroPython:
    """Return the interpreter. Without one, skip the test, or fail it if `must`."""
    node = shutil.which("node")
    if node is not None and ENGINE.is_file():
        return MicroPython(node)
    missing = "there is no node" if node is None else "MicroPython is not installed"
    reason = f"{missing}: run .ci/micropython, which needs npm"
    if must:
        pytest.fail(reason)
    pytest.skip(reason)
