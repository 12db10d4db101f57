"""The service without Unix, as on Windows: `no_unix/sitecustomize.py` takes away what there is not.

It cannot show what libraries do there, nor what Windows itself does.
"""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from inkeek.records import Position, ruleset
from tests.service.waiting import alive, until

from .processes import Service

SITE = Path(__file__).with_name("no_unix")
EVENT = {
    "name": "Saturday Cup",
    "games": [{"game": "oware"}],
    "format": "swiss",
    "players": [{"name": "Nasieku"}, {"name": "Koinet"}],
}


@pytest.fixture(autouse=True)
def _no_unix(_installed: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Without locks of folders, a service beside these would remove their metrics as those of one that was killed.
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", f"{SITE}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    code = "from inkeek.service.processes.system import IS_UNIX; exit(IS_UNIX)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_evening_is_played(tmp_path: Path) -> None:
    backups = tmp_path / "stick"
    backups.mkdir()
    service = Service(tmp_path, backup_folder=str(backups))
    try:
        service.start()
        pids = until(lambda: all((found := service.pids()).values()) and found)
        client = service.client
        event = client.post("/api/v1/events", EVENT)
        (pairing,) = client.post(f"/api/v1/events/{event['id']}/rounds", {})["rounds"][0]["pairings"]
        game = f"/api/v1/games/{pairing['game']}"
        stream = client.events(f"{game}/events")
        assert next(data for kind, data in stream if kind == "created")

        rules = ruleset("oware")
        position = rules.start()
        for ply in range(1, 9):
            move = rules.legal_moves(position)[0]
            position = rules.play(position, move).position
            client.post(f"{game}/turns", {"move": str(move), "ply": ply})
            turn: Any = next(data for kind, data in stream if kind == "turn")
            assert Position.parse(turn["position"]) == position
        job = client.post(f"{game}/analysis", {"nodes": 100})
        until(lambda: client.get(f"/api/v1/jobs/{job['id']}")["state"] == "done")
        client.post(f"{game}/end", {"termination": "resignation", "winner": "South"})
        assert next(data for kind, data in stream if kind == "ended")
        stream.close()
        assert client.text(f"/games/{pairing['game']}/card.png?ply=8")
        standings = client.get(f"/api/v1/events/{event['id']}/standings")["items"]
        assert standings[0]["player"]["name"] == client.get(game)["tags"]["South"]
        copy = until(lambda: next(backups.glob("inkeek-*.sqlite3"), None))
        with closing(sqlite3.connect(copy)) as database:
            assert database.execute("SELECT count(*) FROM games").fetchone() == (1,)

        os.kill(pids["parent"][0], signal.SIGINT)
        until(lambda: not any(alive(pid) for found in pids.values() for pid in found))
    finally:
        service.stop()
    assert service._child._process.returncode == 0
    assert "Traceback" not in service._child.errors()


@pytest.mark.parametrize("part", ["web", "desk"])
def test_what_is_killed_is_started_again_and_nothing_is_lost(tmp_path: Path, part: str) -> None:
    service = Service(tmp_path)
    try:
        service.start()
        game = service.client.post("/api/v1/games", {"game": "oware"})
        service.kill(part)
        assert service.client.get(f"/api/v1/games/{game['id']}")["id"] == game["id"]
    finally:
        service.stop()


def test_a_board_plays_over_the_network() -> None:
    arguments = ["-m", "inkeek.service.cli", "demo", "--exit", "--speed", "max", "--port", "0"]
    demo = subprocess.run([sys.executable, *arguments], check=False, timeout=300, capture_output=True, text=True)
    assert demo.returncode == 0, demo.stdout + demo.stderr
