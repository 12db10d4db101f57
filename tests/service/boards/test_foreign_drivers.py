"""Drivers of other distributions from the side of the service: lists, bindings and recordings import none of them."""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from inkeek.drivers import registry
from inkeek.drivers.foreign import listing
from inkeek.drivers.foreign.driver import ForeignDriver
from inkeek.drivers.foreign.faults import DriverFault, Plugin
from inkeek.drivers.recording.file import Recording
from inkeek.service.boards.recordings import Recordings
from inkeek.service.boards.turn_recording import Touch, _touches
from inkeek.service.errors import Invalid
from inkeek.service.games.write import Write
from inkeek.service.settings import Settings
from tests.misbehaving.distribution import BAD, NAME, importing, install
from tests.service.waiting import until

RECORDABLE = Plugin("recordable", "tests.misbehaving.recordable:RecordableDriver", NAME, "1.2")


@pytest.fixture
def declare(installed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Declares drivers as another distribution would, beside the project's own."""
    folder = tmp_path / "others"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), os.getcwd(), os.environ.get("PYTHONPATH", "")]))
    yield lambda *plugins: install(folder, *plugins)
    listing.forget()


def by_name(answer: Any) -> dict[str, dict[str, Any]]:
    return {driver["name"]: driver for driver in answer.json["items"]}


def test_one_bad_driver_affects_no_other(client, services, declare, monkeypatch) -> None:
    bad = importing("import", "ends")
    declare(BAD, bad)
    monkeypatch.setattr("inkeek.service.boards.ports.PATIENCE", 60.0)
    listed = by_name(client.get("/api/v1/drivers"))
    assert (listed["bad"]["title"], listed["bad"]["error"], listed["inkeek"]["error"]) == (
        "Board that misbehaves",
        None,
        None,
    )
    assert listed[bad.name]["error"]
    assert (listed[bad.name]["distribution"], listed[bad.name]["version"]) == (NAME, "1.2")
    game = client.post("/api/v1/games", json={"game": "enkeshui"}).json["id"]
    asked = {"game": game, "port": "loop://", "driver": bad.name}
    answer = client.post("/api/v1/boards", json=asked)
    assert answer.status_code == 422
    for name in (bad.name, NAME, "1.2"):
        assert name in answer.json["detail"]
    assert client.post("/api/v1/boards", json={**asked, "driver": "inkeek"}).status_code == 201
    assert "bad_import_ends" not in sys.modules


@pytest.mark.parametrize("act", ["raises", "ends", "exits"])
def test_a_check_of_a_port_that_misbehaves_is_an_answer(services, declare, act: str) -> None:
    declare(BAD)
    game = services.games.create("enkeshui", {}, {}, Write("api")).id
    with pytest.raises(Invalid) as caught:
        services.boards.bind(f"bad:check_url:{act}", "bad", game)
    assert NAME in str(caught.value)


def test_a_driver_that_blocks_at_import_keeps_nobody_waiting(declare, monkeypatch) -> None:
    """The list shows its name until it has said what it is; ports of other drivers are checked meanwhile."""
    bad = importing("import", "blocks")
    declare(BAD, bad)
    asked, release = threading.Event(), threading.Event()
    start = listing.PluginProcess

    def slow(plugin: Plugin, *more: Any) -> Any:
        if plugin.name == bad.name:
            asked.set()
            release.wait(60)
            raise DriverFault(plugin, "blocked", "import", "it gave no answer", "")
        return start(plugin, *more)

    monkeypatch.setattr(listing, "PluginProcess", slow)

    def titles() -> dict[str, str]:
        return {driver.name: driver.title for driver in registry.drivers(patience=0.0)}

    try:
        assert titles()[bad.name] == bad.name
        asked.wait(60)
        assert titles()[bad.name] == bad.name
        until(lambda: titles()["bad"] == "Board that misbehaves")
        registry.check_url(registry.driver("bad"), "bad::")
    finally:
        release.set()


def test_a_session_with_a_foreign_board_is_recorded_and_played_again(declare, tmp_path: Path) -> None:
    declare(RECORDABLE)
    recordings = Recordings(Settings(recordings=str(tmp_path / "tapes")))
    driver = registry.driver("recordable")
    assert isinstance(driver, ForeignDriver)
    with closing(recordings.open(driver, "b1", "recordable:", None)) as connection:
        seen = [event for _ in range(5) for event in connection.poll(0.0)]
    (file,) = (tmp_path / "tapes").iterdir()
    with closing(Recording(file)) as recording:
        assert [event for _, event in registry.playback(recording).events()] == seen
        assert recording.cut is None
    with closing(Recording(file)) as recording:
        touches = list(_touches(recording, False, datetime.max.replace(tzinfo=UTC)))
        assert any(isinstance(touch, Touch) for touch in touches)
    with closing(registry.driver("recorded").open(f"recorded:{file}?speed=max")) as connection:
        again = [event for _ in range(20) for event in connection.poll(0.0)]
    assert again[: len(seen)] == seen
