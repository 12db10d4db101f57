"""Drivers of other distributions from the side of the service: lists, bindings and recordings import none of them."""

import sys
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from inkeek.drivers import registry
from inkeek.drivers.recording.file import Recording
from inkeek.drivers.registry import Plugin
from inkeek.service.boards.board_work import Recordings
from inkeek.service.boards.turn_recording import recorded_touches
from inkeek.service.settings import Settings
from tests.conftest import app
from tests.misbehaving.distribution import BAD, NAME, SUMMARY, importing, install

__all__ = ["app"]  # whose answers are not held against its document: that has no drivers that come later

RECORDABLE = Plugin("recordable", "tests.misbehaving.recordable:RecordableDriver", NAME, "1.2")


@pytest.fixture
def declare(installed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Declares drivers as another distribution would, beside the project's own."""
    folder = tmp_path / "others"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    return lambda *plugins: install(folder, *plugins)


def by_name(answer: Any) -> dict[str, dict[str, Any]]:
    return {driver["name"]: driver for driver in answer.json["items"]}


def test_a_driver_of_another_distribution_is_listed_and_bound_and_not_imported(client, declare) -> None:
    bad = importing("import", "ends")
    declare(BAD, bad)
    listed = by_name(client.get("/api/v1/drivers"))
    for name in ("bad", bad.name):
        found = listed[name]
        assert (found["title"], found["distribution"], found["version"], found["error"]) == (SUMMARY, NAME, "1.2", None)
    game = client.post("/api/v1/games", json={"game": "enkeshui"}).json["id"]
    asked = {"game": game, "driver": bad.name}
    for port in ("", "x" * 5000, "a\nb"):
        assert client.post("/api/v1/boards", json={**asked, "port": port}).status_code == 422
    assert client.post("/api/v1/boards", json={**asked, "port": "any:thing"}).status_code == 201
    assert "bad_import_ends" not in sys.modules


def test_a_session_with_such_a_board_is_recorded_and_played_again(declare, tmp_path: Path) -> None:
    declare(RECORDABLE)
    settings = Settings(recordings=str(tmp_path / "tapes"))
    with closing(Recordings(settings).open(registry.driver("recordable"), "b1", "recordable:", None)) as connection:
        seen = [event for _ in range(5) for event in connection.poll(0.0)]
    (file,) = (tmp_path / "tapes").iterdir()
    with closing(Recording(file)) as recording:
        assert [event for _, event in registry.playback(recording).events()] == seen
        assert recording.cut is None
        begun = datetime.fromisoformat(recording.header.started)
    found = recorded_touches(settings, [("b1", False)], begun, begun + timedelta(minutes=1))
    assert found.complete
    assert found.touches
    with closing(registry.driver("recorded").open(f"recorded:{file}?speed=max")) as connection:
        again = [event for _ in range(20) for event in connection.poll(0.0)]
    assert again[: len(seen)] == seen


def test_a_recording_whose_driver_misbehaves_is_left_out(declare, tmp_path: Path) -> None:
    """The sheet of a dispute does without it."""
    declare(bad := importing("import", "ends"))
    begun = datetime(2026, 11, 21, 11, tzinfo=UTC)
    head = f'{{"inkeek-recording":1,"driver":"{bad.name}","port":"x","started":"2026-11-21T11:00:00.000000Z",'
    (tmp_path / "20261121T110000.000000Z-b1.jsonl").write_text(head + '"host":"inkeek","resume":null}\n')
    found = recorded_touches(Settings(recordings=str(tmp_path)), [("b1", False)], begun, begun + timedelta(minutes=1))
    assert (found.touches, found.complete) == ((), False)
