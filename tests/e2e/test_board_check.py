"""`inkeek board check` as a process, against the simulated board and the foreign board on a pseudo-terminal."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.e2e.chain import EXAMPLE
from tests.e2e.processes import SimulatedBoard
from tests.foreign_board import ForeignBoard, PtyPort


def check(url: str, *options: str) -> dict[str, dict[str, Any]]:
    """Run the check and return its steps by name."""
    command = [sys.executable, "-m", "service.cli", "board", "check", url, "--alone", "--json", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    steps = [value["step"] for value in map(json.loads, done.stdout.splitlines()) if "step" in value]
    failed = [step for step in steps if step["outcome"] == "failed"]
    assert (done.returncode, failed) == (0, []), done.stderr
    return {step["name"]: step for step in steps}


def test_the_simulated_board_passes(tmp_path: Path) -> None:
    line = ["--pty", "--link", str(tmp_path / "board")]
    with SimulatedBoard(tmp_path, *line, "--play", str(EXAMPLE)) as board:
        steps = check(board.url, "--calibrate")
    assert steps["replay"]["outcome"] == steps["reconnect"]["outcome"] == steps["overflow"]["outcome"] == "passed"


def test_the_foreign_board_passes(tmp_path: Path) -> None:
    board = ForeignBoard(12)
    for _ in range(3):
        board.press("s")
    with PtyPort(board, tmp_path / "board") as port:
        steps = check(port.url, "--calibrate")
    assert steps["replay"]["outcome"] == steps["reconnect"]["outcome"] == steps["overflow"]["outcome"] == "passed"
