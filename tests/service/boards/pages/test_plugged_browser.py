import time
from contextlib import ExitStack

import pytest

from inkeek.drivers import registry
from inkeek.drivers.ports.transport import Port
from inkeek.service.boards.plugged import PluggedPorts
from inkeek.service.http.access.caller import SESSION
from inkeek.service.storage import GameFilter
from tests.foreign_board import ForeignBoard, PtyPort
from tests.service.boards.desk_thread import DeskThread
from tests.service.waiting import until

pytestmark = pytest.mark.browser


def test_a_board_that_is_plugged_in_appears_begins_a_game_with_one_tap_and_goes(watch, services, tmp_path, monkeypatch):
    listed: list[Port] = []
    monkeypatch.setattr(registry, "ports", lambda: list(listed))
    plugged = PluggedPorts(services.boards, services.settings.plug_poll)
    desk = DeskThread(services, lock=services.store.desk_lock(), plugged=plugged)
    with ExitStack() as stack:
        stack.enter_context(desk)
        until(services.boards.desk)
        page = watch.open("/boards", ready="[data-following]")
        (cookie,) = page.context.cookies()
        session = services.keys.create(SESSION, "Naisula", ("board", "record"), None)[1]
        page.context.add_cookies([{**cookie, "value": session}])
        page.reload()
        page.wait_for_selector("[data-following]")
        page.wait_for_selector("[data-no-boards]")
        for serial in ("B-1", "B-2"):
            board = ForeignBoard(row=8, stores=True, serial=serial, clock=time.monotonic)
            port = stack.enter_context(PtyPort(board, link=tmp_path / serial))
            listed.append(Port(port.url, "A cable", None))
            page.wait_for_selector(f"text=Board {serial}")
        listed.pop()
        page.wait_for_selector("text=Board B-2", state="detached")
        page.click('.free-board button[value="enkeshui"]')
        page.wait_for_url("**/live?names=new")
        (game,) = services.games.page(9, None, GameFilter())[0]
        (bound,) = services.boards.open()
        assert (bound.game, bound.serial) == (game.id, "B-1")
        until(lambda: services.boards.get(bound.id).status["state"] == "connected")
