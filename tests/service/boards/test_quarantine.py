"""A driver that misbehaves harms its own board alone, and is named."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from inkeek.drivers.base import Driver
from inkeek.drivers.foreign.driver import ForeignDriver
from inkeek.drivers.foreign.faults import DriverFault, Plugin
from inkeek.drivers.foreign.limits import DriverLimits
from inkeek.service.boards.quarantine import FORGOTTEN_AFTER, LAST_TIME, QUARANTINED, with_fault
from inkeek.service.boards.status import BoardStatus
from inkeek.service.games.write import Write
from tests.misbehaving.acts import KINDS
from tests.misbehaving.distribution import BAD
from tests.service.boards.desk_thread import DeskThread
from tests.service.boards_double import SMALL, FakeConnection, commit, connected, set_status, snapshot
from tests.service.waiting import until

LONG = DriverLimits(load=60.0, open=60.0, poll=60.0, call=60.0, close=60.0, memory=256 << 20)
SHORT = DriverLimits(load=60.0, open=0.5, poll=0.5, call=0.5, close=0.5)
NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Healthy:
    """A driver of the project itself."""

    name, title = "inkeek", "A board"

    def __init__(self) -> None:
        self.connection = FakeConnection()

    def check_url(self, url: str) -> None: ...

    def open(self, url: str, resume: object = None) -> FakeConnection:
        return self.connection


class Room:
    """A desk with boards of foreign drivers and a healthy board beside them."""

    def __init__(self, services) -> None:
        self.services = services
        self.healthy = Healthy()
        self.limits = LONG
        self.desk = DeskThread(services, self.find)

    def find(self, name: str) -> Driver:
        return self.healthy if name == "inkeek" else ForeignDriver(BAD, self.limits)

    def bind(self, url: str, driver: str) -> tuple[str, str]:
        game = self.services.games.create("enkeshui", SMALL, {}, Write("api")).id
        return game, self.services.boards.bind(url, driver, game).id

    def status(self, board: str) -> dict[str, Any]:
        status: dict[str, Any] = self.services.boards.get(board).status
        return status

    def play(self, game: str, seq: int) -> None:
        """A turn on the healthy board, which the game must have at the end."""
        loaded = self.services.games.load(game)
        turn = loaded.rules.play(loaded.position, loaded.legal(1)[0])
        self.healthy.connection.say(commit(turn, seq))
        until(lambda: self.services.games.row(game).ply == seq)


@pytest.fixture
def room(services, monkeypatch: pytest.MonkeyPatch) -> Iterator[Room]:
    monkeypatch.setattr("inkeek.service.boards.desk.REOPEN_AFTER", 0.01)
    monkeypatch.setattr("inkeek.service.boards.desk.TRY_AGAIN_AFTER", 0.01)
    monkeypatch.setattr("inkeek.drivers.registry.driver", lambda name: Healthy())  # any URL will do
    room = Room(services)
    yield room
    room.desk.end()


# Every misbehaviour is a fault, whatever it is (tests/drivers/foreign), and every fault is stored in the same way.
# So here are one that ends a process and two that burden the machine, and one shows that PostgreSQL stores it.
@pytest.mark.parametrize(
    ("database_kind", "place", "act"),
    [
        *(("sqlite", "poll", act) for act in ("ends", "spins", "grows")),
        *(("sqlite", place, "ends") for place in ("open", "acknowledge", "show", "close")),
        ("postgresql", "poll", "ends"),
    ],
)
def test_a_driver_that_misbehaves_is_named_and_left_alone_and_others_play_on(room: Room, place: str, act: str) -> None:
    room.limits = SHORT if KINDS[act] in ("blocked", "spun") else LONG
    game, healthy = room.bind("/dev/one", "inkeek")
    _, bad = room.bind(f"bad:{place}:{act}", "bad")
    room.desk.start()
    room.healthy.connection.say(connected(), snapshot(room.services.games.load(game).position))
    for seq in range(1, 4):
        room.play(game, seq)
    if place == "close":  # it is closed when it must be opened again
        until(lambda: room.status(bad)["state"] == "connected")
        for _ in range(LAST_TIME):
            room.services.boards.add_request(bad, "reopen", {})
            before = len(faults(room, bad))
            until(lambda count=before: len(faults(room, bad)) > count)
    status = until(lambda: (found := room.status(bad))["state"] == QUARANTINED and found)
    fault = status["fault"]
    assert {name: fault[name] for name in ("driver", "distribution", "version", "kind", "place", "times", "next")} == {
        "driver": "bad",
        "distribution": BAD.distribution,
        "version": BAD.version,
        "kind": KINDS[act],
        "place": place,
        "times": LAST_TIME,
        "next": None,
    }
    assert [entry.data["times"] for entry in faults(room, bad)] == [1, 2, 3, 4, 5]
    room.play(game, 4)
    assert room.status(healthy)["state"] == "connected"


def faults(room: Room, board: str) -> list[Any]:
    return [entry for entry in room.services.boards.log(board) if entry.kind == "driver-fault"]


def test_a_board_that_is_left_alone_is_tried_again_when_a_person_says_so(room: Room) -> None:
    _, bad = room.bind("bad:open:raises", "bad")
    room.desk.start()
    until(lambda: room.status(bad)["state"] == QUARANTINED)
    room.services.boards.add_request(bad, "retry", {})
    until(lambda: len(faults(room, bad)) == 2 * LAST_TIME)
    assert [entry.data["times"] for entry in faults(room, bad)] == [1, 2, 3, 4, 5] * 2


def test_a_board_that_is_left_alone_stays_so_in_the_next_desk(room: Room) -> None:
    _, bad = room.bind("bad:open:raises", "bad")
    set_status(room.services.boards, bad, state=QUARANTINED)
    game, _ = room.bind("/dev/one", "inkeek")
    room.desk.start()
    room.healthy.connection.say(connected(), snapshot(room.services.games.load(game).position))
    room.play(game, 1)
    assert (room.status(bad)["state"], faults(room, bad)) == (QUARANTINED, [])
    room.services.boards.add_request(bad, "retry", {})
    until(lambda: faults(room, bad))


def test_a_release_ends_a_call_that_blocks(room: Room) -> None:
    room.limits = DriverLimits(load=60.0, open=1000.0, close=0.1)
    _, bad = room.bind("bad:open:blocks", "bad")
    room.desk.start()
    until(lambda: room.status(bad)["message"] != BoardStatus().message)
    room.services.boards.release(bad)
    until(lambda: not any(thread.name == "bad:open:blocks" for thread in threading.enumerate()))
    assert faults(room, bad) == []


@pytest.mark.parametrize("moment", ["before it was opened", "after the desk has ended"])
def test_no_status_says_that_all_is_well_while_nothing_is_heard(room: Room, moment: str) -> None:
    """The last desk had said that the board agrees with the record."""
    room.limits = DriverLimits(load=60.0, open=1000.0, close=0.1)
    _, bad = room.bind("bad:open:blocks" if "before" in moment else "bad::", "bad")
    agrees = set_status(room.services.boards, bad, state="connected", message="All is well.").status["message"]
    room.desk.start()
    if "after" in moment:
        until(lambda: room.status(bad)["state"] == "connected")
        room.desk.end()
    until(lambda: room.status(bad)["state"] == "waiting")
    assert room.status(bad)["message"] != agrees


def test_faults_are_counted_in_a_row() -> None:
    fault = DriverFault(Plugin("clay", "clay:Board", "clay-boards", "1.2"), "ended", "poll", "its process ended")
    status, (kind, data) = with_fault(BoardStatus(), fault, NOW, 1.0)
    assert (status.state, kind, data["times"], status.fault and status.fault.times) == ("failed", "driver-fault", 1, 1)
    status, _ = with_fault(status, fault, NOW + timedelta(seconds=1), 1.0)
    assert status.fault is not None
    assert status.fault.times == 2
    status, _ = with_fault(status, fault, NOW + 2 * FORGOTTEN_AFTER, 1.0)
    assert status.fault is not None
    assert status.fault.times == 1
