"""A spool whose disk is full at any commit: nothing is lost, nothing acknowledged that is not stored, nothing twice."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from inkeek.drivers.base import Resume
from inkeek.drivers.boards.standard import StandardBoard
from inkeek.drivers.errors import SpoolError, TransportError
from inkeek.drivers.events import Button, Disconnected, Status
from inkeek.drivers.ports.connection import PortConnection
from inkeek.drivers.recording.json_form import read_event
from inkeek.service.boards.remote.lights import BoardLights
from inkeek.service.boards.remote.recorder import Recorder
from inkeek.service.boards.remote.spool import Spool
from tests.foreign_board import Bench, ForeignBoard

BOOT = "00000001"
PRESSES = 4
MOST_COMMITS = 30


class Disk:
    """Says of each commit whether it fails ``before`` it is stored, or ``after``."""

    def __init__(self) -> None:
        self.commits = 0
        self.failing: dict[int, str] = {}  # by the number of the commit


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    disk = Disk()

    class Connection(sqlite3.Connection):
        def execute(self, sql: str, *values: object) -> sqlite3.Cursor:
            how = None
            if sql == "COMMIT":
                disk.commits += 1
                how = disk.failing.get(disk.commits)
            if how != "before":
                cursor = super().execute(sql, *values)
            if how is not None:
                error = sqlite3.OperationalError("database or disk is full")
                error.sqlite_errorcode = sqlite3.SQLITE_FULL
                raise error
            return cursor

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *path, **more: connect(*path, factory=Connection, **more))
    return disk


class Far:
    """A board, the recorder that reads it, and the service, which takes what is in the spool."""

    def __init__(self, folder: Path, clock: int) -> None:
        self.bench = Bench(TransportError)
        self.board = ForeignBoard(row=5, clock=self.bench.clock, boot=BOOT)
        self.board.ms_offset = clock
        self.environment = self.bench.plug("a", self.board)
        self.path = folder / "x.spool"
        self.messages: list[str] = []
        self.delivered: list[object] = []
        self.taken = 0  # the last number that the service has
        self.pressed: list[int] = []
        self.spool = Spool(self.path)

    def begin(self) -> None:
        while not self.spool.begun:
            try:
                self.spool.begin(0, None)
            except SpoolError as error:
                self.messages.append(str(error))
        lights = BoardLights(0, self.bench.clock)
        self.recorder = Recorder(
            self.spool, lights, self._open, lambda: None, self.messages.append, self.bench.clock, "inkeek"
        )

    def _open(self, resume: Resume | None) -> PortConnection:
        return StandardBoard().connect(self.environment, resume)

    def step(self) -> None:
        """Record for a moment, then deliver; nothing may be acknowledged that is not in the file."""
        problem = self.recorder._step()
        if problem is not None:
            self.recorder._notify(problem)
            self.recorder._close()
            self.bench.now += 1.0
        resume = self.spool.resume
        assert set(range(1, self.board.last + 1)) - set(self.board.held) <= set(range(1, (resume or ("", 0))[1] + 1))
        first, events = self.spool.batch(100)
        for number, event in enumerate(events, first):
            if number > self.taken:
                self.taken = number
                self.delivered.append(read_event(event))
        try:
            self.spool.forget(self.taken)
        except SpoolError as error:
            self.messages.append(str(error))

    def play(self) -> list[int]:
        """Press some buttons, and record until all is delivered; the numbers of the presses that arrived."""
        for turn in range(PRESSES):
            self.board.lift(1)
            self.pressed.append(self.board.last + 1)
            self.board.press("sn"[turn % 2])
            for _ in range(4):
                self.step()
        for _ in range(60):
            self.step()
            if not self.board.held and not self.spool.waiting:
                break
        assert self.board.held == []
        return [event.seq for event in self.delivered if isinstance(event, Button)]


@pytest.mark.parametrize("how", ["before", "after"])
@pytest.mark.parametrize("long", [1, 3])
def test_no_press_is_lost_whichever_commit_fails(disk: Disk, tmp_path: Path, how: str, long: int) -> None:
    count = MOST_COMMITS
    for number in range(1, MOST_COMMITS):
        if number > count:
            break
        disk.commits = 0
        disk.failing = {number + more: how for more in range(1, long + 1)}  # the first one makes the file
        (folder := tmp_path / str(number)).mkdir()
        far = Far(folder, 3_000_000_000)
        far.begin()
        assert far.play() == far.pressed, number
        assert any("full" in message for message in far.messages), number
        assert not any(isinstance(event, Disconnected) for event in far.delivered)
        count = disk.commits - 1
        far.spool.close()
    assert count >= 2 * PRESSES


def test_a_spool_is_not_begun_on_a_full_disk(disk: Disk, tmp_path: Path) -> None:
    disk.failing = {1: "before"}
    with pytest.raises(SpoolError):
        Spool(tmp_path / "x.spool")
    spool = Spool(tmp_path / "x.spool")
    assert (spool.begun, spool.last) == (False, 0)
    spool.close()


def test_a_health_report_that_was_not_kept_is_kept_later(disk: Disk, tmp_path: Path) -> None:
    far = Far(tmp_path, 0)
    far.begin()
    far.step()
    status = Status(5.0, 20.0, ("stuck1",), 0)
    disk.failing = {disk.commits + 1: "before"}
    with pytest.raises(SpoolError):
        far.recorder._keep([status])
    far.recorder._connection = far._open(None)
    far.recorder._keep([status])
    far.step()
    assert status in far.delivered
    far.spool.close()
