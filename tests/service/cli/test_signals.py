"""Commands that are ended by a signal leave no process behind."""

import contextlib
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.waiting import alive, until

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "bof.pmn"


def family(pid: int) -> set[int]:
    """The process and all that it has started."""
    children: list[str] = []
    with contextlib.suppress(OSError):  # it has just ended
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return {pid}.union(*(family(int(child)) for child in children))


@pytest.fixture
def start() -> Iterator[object]:
    """Starts a command; its process."""
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: object) -> subprocess.Popen[bytes]:
        words = [sys.executable, "-m", "inkeek.service.cli", *map(str, arguments)]
        started.append(subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"])
def test_a_signal_ends_the_simulated_board(start, name, tmp_path):
    command = start("board", "sim", "--pty", "--json", "--link", tmp_path / "port")
    assert json.loads(command.stdout.readline())["event"] == "listening"
    pids = family(command.pid)
    command.send_signal(getattr(signal, name))
    command.wait(60)
    until(lambda: not any(map(alive, pids)))
    assert name == "SIGKILL" or not (tmp_path / "port").is_symlink()
