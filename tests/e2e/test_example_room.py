"""The room in `docs/examples/room/` is installed like any other distribution's, and does all that a room can."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.processes import Service

SOURCE = Path(__file__).parents[2] / "docs/examples/room"
BOOKING = {"event": "Kajiado Open", "tables": 4, "chairs": 8}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the distribution is installed offline."""
    pytest.importorskip("setuptools", reason="builds a wheel")
    folder = tmp_path_factory.mktemp("room")
    shutil.copytree(SOURCE, folder / "source", ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
    options = ["--no-build-isolation", "--no-deps", "--no-index", "--quiet", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "install", *options, "--target", str(folder / "site"), "."]
    done = subprocess.run(command, cwd=folder / "source", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


def inkeek(*arguments: str) -> str:
    command = [sys.executable, "-m", "inkeek.service.cli", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_room_is_used(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(site), os.getcwd(), os.environ.get("PYTHONPATH", "")]))
    data = ("--data", str(tmp_path))
    service = Service(tmp_path)
    try:
        service.start()
        api = service.client
        document = api.get("/api/v1/openapi.json")
        assert document["paths"]["/api/v1/chairs"]["post"]["x-scopes"] == ["record"]
        assert api.post("/api/v1/chairs", BOOKING) == {"number": 1, **BOOKING}
        api.post("/api/v1/games", {"game": "oware", "tags": {"Event": BOOKING["event"]}})
        service.kill("parent")
        api = service.client
        assert api.get("/api/v1/chairs") == {"items": [{"number": 1, **BOOKING}]}
        assert 'href="/chairs"' in api.text("/")
        assert BOOKING["event"] in api.text("/chairs")
        assert '<p class="facts" data-chairs>' in api.text("/events/Kajiado%20Open")
        assert "columns" in api.text("/static/chairs/chairs.css")
        assert json.loads(inkeek("chairs", "--json", *data)) == {"number": 1, **BOOKING}
        assert "  chairs " in inkeek("--help")
    finally:
        service.stop()
    inkeek("db", "verify", *data)
    monkeypatch.setenv("INKEEK_WITHOUT_ROOMS", "chairs")
    assert "  chairs " not in inkeek("--help")
    inkeek("db", "verify", *data)  # the tables stay
    monkeypatch.delenv("INKEEK_WITHOUT_ROOMS")
    assert json.loads(inkeek("chairs", "--json", *data)) == {"number": 1, **BOOKING}
