"""A driver that misbehaves harms its own board alone, and is named."""

import os
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import repeat
from pathlib import Path
from typing import Any

import psutil
import pytest

from inkeek.service.boards import board_process
from inkeek.service.boards.board_process import SHARE, WINDOW, BoardProcess, StrictGate, TooMuch
from inkeek.service.boards.quarantine import FORGOTTEN_AFTER, LAST_TIME, QUARANTINED, with_fault
from inkeek.service.boards.status import BoardStatus, status_json
from inkeek.service.games.write import Write
from inkeek.service.settings import Settings
from inkeek.service.storage import BoardRow
from tests.misbehaving.acts import SAID
from tests.misbehaving.board import ANSWERS
from tests.misbehaving.distribution import BAD, NAME, importing, install
from tests.service.boards.desk_thread import DeskThread
from tests.service.boards_double import SMALL, FakeConnection, commit, connected, set_status, snapshot
from tests.service.waiting import until

NOW = datetime(2026, 1, 1, tzinfo=UTC)
IMPORTING = [importing(place, act) for place, act in (("import", "raises"), ("import", "ends"), ("init", "exits"))]


class Healthy:
    """A driver of the project itself."""

    name, title = "inkeek", "A board"

    def __init__(self) -> None:
        self.connection = FakeConnection()

    def check_url(self, url: str) -> None: ...

    def open(self, url: str, resume: object = None) -> FakeConnection:
        return self.connection


def process_of(board: BoardRow, settings: Settings) -> BoardProcess | None:
    return None if board.driver == "inkeek" else BoardProcess(board, settings)


class Room:
    """A desk with boards of another distribution's drivers, and a healthy board beside them."""

    def __init__(self, services: Any) -> None:
        self.services = services
        self.healthy = Healthy()
        self.desk = DeskThread(services, lambda name: self.healthy, apart=process_of)

    def bind(self, url: str, driver: str = "bad") -> tuple[str, str]:
        game = self.services.games.create("enkeshui", SMALL, {}, Write("api")).id
        return game, self.services.boards.bind(url, driver, game).id

    def status(self, board: str) -> dict[str, Any]:
        status: dict[str, Any] = self.services.boards.get(board).status
        return status

    def faults(self, board: str) -> list[Any]:
        return [entry.data for entry in self.services.boards.log(board) if entry.kind == "driver-fault"]

    def play(self, game: str, seq: int) -> None:
        """A turn on the healthy board, which the game must have at the end."""
        loaded = self.services.games.load(game)
        turn = loaded.rules.play(loaded.position, loaded.legal(1)[0])
        self.healthy.connection.say(commit(turn, seq))
        until(lambda: self.services.games.row(game).ply == seq)


@pytest.fixture
def declared(installed: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "others"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    install(folder, BAD, *IMPORTING)


@pytest.fixture
def room(services: Any, declared: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Room]:
    monkeypatch.setattr("inkeek.service.boards.desk.TRY_AGAIN_AFTER", 0.01)
    monkeypatch.setattr("inkeek.service.boards.ports.registry.check_url", lambda *_: None)  # any URL will do
    monkeypatch.setattr(services.boards, "_max_boards", 100)
    room = Room(services)
    yield room
    room.desk.end()


# A poll does everything; the other calls are in the same process, which ends in the same way.
SILENT = ("blocks", "spins")
ACTS = [("poll", act) for act in SAID if act not in SILENT]
ACTS += [(place, "ends") for place in ("open", "acknowledge", "show")]


@pytest.mark.parametrize("database_kind", ["sqlite", "postgresql"])
def test_drivers_that_misbehave_are_ended_and_named_and_others_play_on(room: Room) -> None:
    game, healthy = room.bind("/dev/one", "inkeek")
    boards = {room.bind(f"bad:{place}:{act}")[1]: act for place, act in ACTS}
    room.desk.start()
    room.healthy.connection.say(connected(), snapshot(room.services.games.load(game).position))
    room.play(game, 1)
    for board, act in boards.items():
        fault = until(lambda board=board: room.faults(board), 120)[0]
        assert SAID[act] in fault["reason"]
        assert (fault["driver"], fault["distribution"], fault["times"]) == ("bad", f"{NAME} 1.2", 1)
    room.play(game, 2)
    assert room.status(healthy)["state"] == "connected"


@pytest.mark.parametrize("act", SILENT)
def test_a_driver_that_does_not_answer_is_ended(room: Room, act: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board_process, "SILENT_FOR", 3.0)
    _, bad = room.bind(f"bad:poll:{act}")
    room.desk.start()
    assert SAID[act] in until(lambda: room.faults(bad))[0]["reason"]


def test_a_driver_that_cannot_be_imported_is_named(room: Room) -> None:
    boards = {room.bind(f"port:{plugin.name}", plugin.name)[1]: plugin for plugin in IMPORTING}
    room.desk.start()
    for board, plugin in boards.items():
        status = until(lambda board=board: (found := room.status(board))["state"] == "failed" and found)
        assert plugin.name in status["message"]


@pytest.mark.parametrize("answer", ["nothing", "numbers", "long-serial", "not-a-number", "text-for-number"])
def test_events_that_are_none_are_refused(answer: str) -> None:
    with pytest.raises(TypeError):
        StrictGate().admit(ANSWERS[answer]())


def test_a_call_returns_a_bounded_number_of_events() -> None:
    with pytest.raises(ValueError, match="10000"):
        StrictGate().admit(repeat(connected()))


def test_a_driver_that_keeps_a_processor_busy_beside_its_answers_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    now, used = 100.0, 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    monkeypatch.setattr("time.process_time", lambda: used)
    sent: list[Any] = []
    life = board_process._Life(type("Channel", (), {"send": staticmethod(sent.append)})(), limited=True)  # type: ignore[arg-type]
    now, used = now + WINDOW, SHARE * WINDOW - 0.1
    life.beat()
    now, used = now + WINDOW, used + SHARE * WINDOW + 0.1
    with pytest.raises(TooMuch):
        life.beat()
    assert len(sent) == 2


def test_a_board_is_left_alone_after_five_faults_and_tried_again_when_a_person_says_so(room: Room) -> None:
    _, bad = room.bind("bad:open:raises")
    room.desk.start()
    until(lambda: room.status(bad)["state"] == QUARANTINED)
    room.services.boards.add_request(bad, "retry", {})
    until(lambda: len(room.faults(bad)) > LAST_TIME)
    assert [fault["times"] for fault in room.faults(bad)][: LAST_TIME + 1] == [1, 2, 3, 4, 5, 1]


def test_a_board_that_is_left_alone_stays_so_in_the_next_desk(room: Room) -> None:
    _, bad = room.bind("bad:open:raises")
    set_status(room.services.boards, bad, state=QUARANTINED)
    game, _ = room.bind("/dev/one", "inkeek")
    room.desk.start()
    room.healthy.connection.say(connected(), snapshot(room.services.games.load(game).position))
    room.play(game, 1)
    assert (room.status(bad)["state"], room.faults(bad)) == (QUARANTINED, [])


def test_a_release_ends_a_call_that_blocks(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board_process, "RELEASE_WITHIN", 0.1)
    _, bad = room.bind("bad:open:blocks")
    room.desk.start()
    until(lambda: room.status(bad)["message"] != BoardStatus().message)
    room.services.boards.release(bad)
    _, next_one = room.bind("bad:open:blocks")  # its port is free again
    until(lambda: room.status(next_one)["message"] != BoardStatus().message)
    assert room.faults(bad) == []


@pytest.mark.parametrize("moment", ["before it was opened", "after the desk has ended"])
def test_no_status_says_that_all_is_well_while_nothing_is_heard(room: Room, moment: str) -> None:
    """The last desk had said that the board agrees with the record."""
    _, bad = room.bind("bad:open:blocks" if "before" in moment else "bad::")
    agrees = set_status(room.services.boards, bad, state="connected", message="All is well.").status["message"]
    room.desk.start()
    if "after" in moment:
        until(lambda: room.status(bad)["state"] == "connected" and room.status(bad)["message"] != agrees)
        room.desk.end()
    until(lambda: room.status(bad)["state"] == "waiting")
    assert room.status(bad)["message"] != agrees


@pytest.mark.parametrize("act", ["leaves_helper", "ends_with_heirs"])
def test_nothing_that_a_driver_has_started_outlives_its_process(
    services: Any, declared: None, act: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = services.games.create("enkeshui", SMALL, {}, Write("api")).id
    process = BoardProcess(services.boards.bind(f"bad:poll:{act}", "bad", game), services.settings)
    group = process._process.pid

    def family() -> list[int]:
        found = []
        for pid in psutil.pids():
            with suppress(ProcessLookupError):
                if os.getpgid(pid) == group and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
                    found.append(pid)
        return found

    until(lambda: len(family()) > 1 or not process.is_alive())
    process.end()
    until(lambda: not family())


def test_faults_are_counted_in_a_row(services: Any) -> None:
    board = services.boards.bind("/dev/one", "inkeek", services.games.create("enkeshui", SMALL, {}, Write("api")).id)
    seen: list[int] = []
    for moment in (NOW, NOW + timedelta(seconds=1), NOW + 2 * FORGOTTEN_AFTER):
        status, (kind, data) = with_fault(board, "its process ended", moment, 1.0)
        assert (status.state, kind) == ("failed", "driver-fault")
        assert status.fault is not None
        assert status.fault.times == data["times"]
        seen.append(status.fault.times)
        board = board._replace(status=status_json(status))
    assert seen == [1, 2, 1]
