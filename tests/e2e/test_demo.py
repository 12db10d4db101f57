"""`inkeek demo`: it exits with 0 after a correct game, and reports a wrong one."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from inkeek.service.demo.client import ServiceClient
from tests.service.clients import token_in

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    started: list[subprocess.Popen[str]] = []

    def begin(**environ: str) -> subprocess.Popen[str]:
        started.append(
            subprocess.Popen(
                [sys.executable, "-u", "-m", "inkeek.service.cli", "demo", "--port", "0", "--data", str(tmp_path)],
                env={**os.environ, **environ},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
        return started[-1]

    yield begin
    for demo in started:
        if demo.poll() is None:
            demo.kill()
        demo.communicate(timeout=30)


class Unwatched:
    """A service whose process the test does not own."""

    def ended(self, wait: float) -> bool:
        return False

    def errors(self) -> str:
        return ""


def test_a_game_that_ends_otherwise_than_played_is_an_error(start: Start, tmp_path: Path) -> None:
    """A visitor resigns the demonstration's game while the hands play on."""
    demo = start(DEMO_SPEED="10", DEMO_EXIT="1")
    assert demo.stdout is not None
    page = urlsplit(next(line for line in demo.stdout if "/live" in line).split()[-1])
    next(line for line in demo.stdout if line.startswith("1. "))
    client = ServiceClient(f"{page.scheme}://{page.netloc}", Unwatched(), token_in(tmp_path))
    game_id = page.path.split("/")[2]
    client.post(f"/api/v1/games/{game_id}/end", {"termination": "resignation", "winner": "North", "by": "a visitor"})
    out, errors = demo.communicate(timeout=60)
    assert demo.returncode == 1, out
    assert re.search(r"turn \d+, \S+", errors)
