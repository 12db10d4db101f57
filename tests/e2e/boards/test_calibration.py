"""A new board is calibrated pit by pit on its page, in a browser, with simulated sensors."""

from __future__ import annotations

import secrets
import select
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from firmware_sim.cable.ports import TcpCable
from firmware_sim.device import SimulatedDevice
from firmware_sim.firmware.board import BoardFirmware
from firmware_sim.world import World
from tests.e2e.processes import Service
from tests.service.clients import session_in
from tests.service.http.web.browsing import Watch, drawn

pytestmark = pytest.mark.browser

ROW = 6
SEEDS = 10  # counted out for each pit
PATIENCE = 60_000  # milliseconds that a step may take on a busy machine


@pytest.fixture
def watch(browser: Any, service: Service, tmp_path: Path) -> Iterator[Watch]:
    watching = Watch(browser, f"http://127.0.0.1:{service.port}", session_in(tmp_path, "Naisula", "record", "board"))
    yield watching
    watching.close()
    assert watching.complaints == []


@pytest.fixture
def world() -> World:
    """What lies in the pits and stores of a board."""
    return World(ROW, True, Random(5))


@pytest.fixture
def board_id(service: Service, world: World) -> Iterator[str]:
    """A board that was never calibrated, bound to a game."""
    firmware = BoardFirmware(ROW, True, "SIM-0001", secrets.token_hex(4), calibrated=False)
    cable = TcpCable("127.0.0.1", 0)
    device = SimulatedDevice(firmware, world, cable, time.monotonic, _wait, speed=20.0)
    stop = threading.Event()
    thread = threading.Thread(target=device.run, args=(stop.is_set,), name="board")
    cable.plug()
    thread.start()
    try:
        game = service.client.post("/api/v1/games", {"game": "oware", "options": {}, "tags": {}})["id"]
        yield str(service.client.post("/api/v1/boards", {"port": cable.url, "driver": "inkeek", "game": game})["id"])
    finally:
        stop.set()
        thread.join(PATIENCE / 1000)
        cable.unplug()


def _wait(files: list[int], seconds: float) -> None:
    select.select(files, [], [], seconds)


def test_a_board_is_calibrated_pit_by_pit(watch: Watch, world: World, board_id: str) -> None:
    page = watch.open(f"/boards/{board_id}", ready="[data-follow][data-following]")
    page.set_default_timeout(PATIENCE)

    def wait_for(state: str, pit: int) -> None:
        page.wait_for_selector(f".sensor.{state}:has([value='{pit}'])")

    def chosen() -> str:
        return str(page.input_value("[name=pit]:checked"))

    page.click("button[value=tare]")
    page.wait_for_selector(".steps li.done")
    assert page.get_attribute(".drawn-board .pit.start", "data-pit") == "0"
    for pit in range(3):
        assert chosen() == str(pit)
        world.add(pit, SEEDS)
        page.fill("#seeds", str(SEEDS))
        page.click("button[value=seeds]")
        wait_for("done", pit)
        world.lift(pit)
    assert page.input_value("#seeds") == str(SEEDS)
    page.click("button[value=seeds]")  # nobody put seeds in
    wait_for("failed", 3)
    assert chosen() == "3"
    world.add(3, SEEDS)
    page.click("button[value=seeds]")
    wait_for("done", 3)
    assert page.get_attribute(".drawn-board .pit.start", "data-pit") == "4"
    world.add(1, 7)
    page.wait_for_selector(".drawn-board .pit[data-pit='1'][data-count='7']")
    assert drawn(page)[0][:5] == [0, 7, 0, SEEDS, 0]
