"""The driver in `docs/examples/driver/` is installed like any third-party driver, found, and plays a game."""

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from inkeek.service.games.record_check import DERIVED_TAGS
from tests.e2e.chain import EXAMPLE, read_record
from tests.e2e.processes import Service
from tests.service.waiting import until

SOURCE = Path(__file__).parents[3] / "docs/examples/driver"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the distribution is installed offline."""
    pytest.importorskip("setuptools", reason="builds a wheel")
    folder = tmp_path_factory.mktemp("driver")
    shutil.copytree(SOURCE, folder / "source", ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
    options = ["--no-build-isolation", "--no-deps", "--no-index", "--quiet", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "install", *options, "--target", str(folder / "site"), "."]
    done = subprocess.run(command, cwd=folder / "source", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


@pytest.fixture
def path(site: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Put the driver on the path of new processes."""
    path = os.pathsep.join([str(site), os.getcwd(), os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", path)
    return path


class ClayBoard:
    """Sends its counts after each turn over a socket."""

    def __init__(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.url = f"socket://127.0.0.1:{self._server.getsockname()[1]}"

    def accept(self) -> None:
        self._peer, _ = self._server.accept()

    def send(self, counts: tuple[int, ...], button: int = 0) -> None:
        data = bytes([0xC1, (len(counts) - 2) // 2, *counts, button])
        self._peer.sendall(data + bytes([sum(data) % 256]))

    def close(self) -> None:
        self._peer.close()
        self._server.close()


@pytest.mark.usefixtures("path")
def test_the_drivers_own_tests_pass() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(SOURCE / "test_clay_board.py")]
    environ = {
        name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"
    }  # not the options of this run
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environ)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.usefixtures("path")
def test_the_driver_is_found() -> None:
    command = [sys.executable, "-m", "inkeek.service.cli", "board", "ports", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    found = {"name": "clay", "title": "Clay board with optical counters", "error": None}
    assert {"driver": {**found, "distribution": "inkeek-clay-board", "version": "1.0.0"}} in lines


@pytest.mark.usefixtures("path")
def test_the_driver_plays_a_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INKEEK_RECORDINGS", str(tmp_path / "recordings"))
    record = read_record(EXAMPLE)
    turns = record.replay().turns
    service, board = Service(tmp_path), ClayBoard()
    try:
        service.start()
        api = service.client
        tags = {name: value for name, value in record.tags.items() if name not in DERIVED_TAGS}
        game = api.post("/api/v1/games", {"game": record.rules().id, "options": record.rules().changed, "tags": tags})
        bound = api.post("/api/v1/boards", {"port": board.url, "driver": "clay", "game": game["id"]})
        board.accept()
        before = turns[0].before
        until(
            lambda: (  # a board sends this about once a second
                board.send((*before.pits, *before.stores))
                or api.get(f"/api/v1/boards/{bound['id']}")["status"]["counts"]
            )
        )
        for number, turn in enumerate(turns, 1):
            after = turn.position
            board.send((*after.pits, *after.stores), 1 + turn.before.to_move)
            until(lambda number=number: api.get(f"/api/v1/games/{game['id']}")["ply"] == number)
        replay = api.get(f"/api/v1/games/{game['id']}/replay")
        assert [ply["move"] for ply in replay["plies"]] == [str(turn.move) for turn in turns]
        assert api.get(f"/api/v1/boards/{bound['id']}")["serial"] == "clay"
    finally:
        service.stop()
        board.close()
    (file,) = (tmp_path / "recordings").iterdir()
    command = [sys.executable, "-m", "inkeek.service.cli", "board", "playback", "--json", str(file)]
    environ = {
        name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"
    }  # not the options of this run
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environ)
    assert done.returncode == 0, done.stdout + done.stderr
    *events, end = [json.loads(line) for line in done.stdout.splitlines()]
    assert end["end"]["differences"] == 0
    assert sum(event["event"] == "button" for event in events) == len(turns)
