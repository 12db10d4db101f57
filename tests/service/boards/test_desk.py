import os
import threading
from types import SimpleNamespace

import pytest

from inkeek.drivers.errors import DriverError
from inkeek.service.boards.bindings import SILENT_AFTER
from inkeek.service.boards.desk import TAKE_OVER_AFTER, Desk
from inkeek.service.boards.identity import Identity
from inkeek.service.boards.status import read_status
from inkeek.service.games.write import Write
from inkeek.service.storage.database.machines import DeskLock
from inkeek.service.storage.rows import FAR
from tests.service.boards.desk_thread import DeskThread
from tests.service.boards_double import SMALL, FakeConnection, commit, connected, snapshot
from tests.service.waiting import until


class FakeDriver:
    """Hands out connections; `failures` times it cannot."""

    name, title = "inkeek", "A board"

    def __init__(self, failures=0):
        self.failures = failures
        self.opened = []

    def open(self, url, resume=None):
        if self.failures:
            self.failures -= 1
            raise DriverError(f"cannot open {url}")
        connection = FakeConnection()
        self.opened.append((url, resume, connection))
        return connection


@pytest.fixture
def driver(monkeypatch):
    driver = FakeDriver()
    monkeypatch.setattr("inkeek.drivers.registry.driver", lambda name: driver)
    monkeypatch.setattr("inkeek.service.boards.board_work.REOPEN_AFTER", 0.01)
    monkeypatch.setattr("inkeek.service.boards.board_work.TRY_AGAIN_AFTER", 0.01)
    return driver


@pytest.fixture
def desk(services, driver):
    """A desk at work."""
    with DeskThread(services, lambda name: driver):
        yield
    assert all(connection.closed for _, _, connection in driver.opened)


def bind(services, url="/dev/fake", driver="inkeek"):
    row = services.games.create("enkeshui", SMALL, {}, Write("api"))
    return row, services.boards.bind(url, driver, row.id)


def test_a_board_is_opened_played_on_and_released(services, driver, desk):
    row, board = bind(services)
    until(lambda: driver.opened)
    url, resume, connection = driver.opened[0]
    assert (url, resume) == ("/dev/fake", None)
    loaded = services.games.load(row.id)
    turn = loaded.rules.play(loaded.position, loaded.legal(1)[0])
    connection.say(connected(), snapshot(loaded.position))
    until(lambda: connection.shown)
    connection.say(commit(turn, 1))
    until(lambda: services.games.row(row.id).ply == 1)
    services.boards.release(board.id)
    until(lambda: connection.closed)
    assert services.boards.get(board.id).status["state"] == "closed"


def test_a_new_desk_resumes_where_the_last_one_was(services, driver):
    _, board = bind(services)
    services.boards.identify(board.id, Identity("T-0001"), board.url)
    services.boards.commit_event(board.id, "T-0001", "0000000a", 17, read_status(board.status))
    with DeskThread(services, lambda name: driver):
        until(lambda: driver.opened)
    assert driver.opened[0][1] == ("0000000a", 17)


def test_a_port_that_cannot_be_opened_is_told_and_tried_again(services, driver, desk):
    driver.failures = 3
    _, board = bind(services)
    seen = until(lambda: (s := services.boards.get(board.id).status)["state"] == "failed" and s)
    assert "cannot open /dev/fake" in seen["message"]
    until(lambda: driver.opened)


def test_a_far_board_is_silent_only_if_it_could_have_been_heard(services, monkeypatch):
    """The service has just started, or its machine was stopped for half a minute."""
    now, judged = 0.0, []
    monkeypatch.setattr(services.boards, "note_silent", lambda: judged.append(now))
    tables = SimpleNamespace(seat_idle=lambda: None)
    desk = Desk(services.games, services.boards, services.settings, clock=lambda: now, tables=tables)
    for pause in (0.0, 30.0):
        now, judged[:] = now + pause, []
        began = now
        while not judged:
            desk._look()
            now += 1.0
        assert judged == [began + SILENT_AFTER]


@pytest.mark.parametrize("wait", [0.0, TAKE_OVER_AFTER])
def test_one_of_two_desks_works_and_the_other_takes_over(services, driver, caplog, monkeypatch, wait):
    """At once on the same machine; else the one that worked may be started again."""
    if wait:
        monkeypatch.setattr(DeskLock, "is_here", lambda *_: False)
    now = 0.0

    def new_desk():
        return DeskThread(services, lambda name: driver, lambda: now, None, services.store.desk_lock())

    first, second = new_desk(), new_desk()
    bind(services)
    with first:
        until(lambda: driver.opened)
        second.start()
        until(lambda: any(str(os.getpid()) in message for message in caplog.messages))
    assert driver.opened[0][2].closed
    assert len(driver.opened) == 1 or not wait
    now = wait
    until(lambda: len(driver.opened) == 2)
    second.end()


def test_a_driver_that_breaks_does_not_stop_the_others(services, driver, desk):
    bind(services, "/dev/one")
    _, second = bind(services, "/dev/two")
    until(lambda: len(driver.opened) == 2)
    broken = next(connection for url, _, connection in driver.opened if url == "/dev/one")
    working = next(connection for url, _, connection in driver.opened if url == "/dev/two")
    broken.error = ZeroDivisionError("oh")
    until(lambda: sum(url == "/dev/one" for url, _, _ in driver.opened) > 1)
    assert broken.closed
    assert not working.closed
    working.say(connected())
    until(lambda: services.boards.get(second.id).status["state"] == "connected")


def test_a_far_board_is_left_to_its_own_process(services, driver, desk):
    _, far = bind(services, "far:table", FAR)
    before = services.boards.get(far.id).status
    bind(services, "/dev/one")
    until(lambda: driver.opened)
    bind(services, "/dev/two")
    until(lambda: len(driver.opened) == 2)
    assert [url for url, _, _ in driver.opened] == ["/dev/one", "/dev/two"]
    assert services.boards.get(far.id).status == before


def test_a_port_is_opened_for_the_next_game_only_when_it_is_free(services, driver, desk):
    _, first = bind(services)
    until(lambda: driver.opened)
    services.boards.release(first.id)
    bind(services)
    until(lambda: len(driver.opened) == 2)
    assert driver.opened[0][2].closed


def test_a_board_that_breaks_again_and_again_leaves_nothing_behind(services, driver, desk):
    _, board = bind(services)
    held = None
    for number in range(1, 201):
        until(lambda n=number: len(driver.opened) == n)
        connection = driver.opened[-1][2]
        connection.say(connected())
        until(lambda: services.boards.get(board.id).status["state"] == "connected")
        held = held or (threading.active_count(), len(os.listdir("/proc/self/fd")))
        driver.failures = number % 3
        connection.error = DriverError("gone")
        until(lambda c=connection: c.closed)
    until(lambda: len(driver.opened) == 201)
    assert threading.active_count() == held[0]
    assert len(os.listdir("/proc/self/fd")) < held[1] + 20  # the store opens a further connection when threads meet
