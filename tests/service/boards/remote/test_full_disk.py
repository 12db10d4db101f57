"""A disk is full at any commit of a far board's process, or of its service: no press is lost or counts twice, and none
is acknowledged that neither the spool nor the service has."""

import sqlite3

import pytest

from inkeek.service.boards.remote import delivery
from inkeek.service.errors import ServiceError
from tests.faults.hosts import failing_commits
from tests.service.boards.remote.bench import BOOT, Bench
from tests.service.boards_double import commit
from tests.service.waiting import until

TURNS = 3
MOST = 60  # commits


class Disk:
    """Which commits fail, by their number, and ``before`` or ``after`` they are stored."""

    def __init__(self):
        self.commits = 0
        self.failing = {}

    def fault(self):
        self.commits += 1
        return self.failing.get(self.commits)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(delivery, "QUICK", 20.0)
    monkeypatch.setattr(delivery, "FIRST_RETRY", 0.001)
    monkeypatch.setattr(delivery, "MAX_RETRY", 0.002)


@pytest.fixture
def disk(monkeypatch):
    """The disk of the spool."""
    disk = Disk()

    class Connection(sqlite3.Connection):
        def execute(self, sql, *values):
            how = disk.fault() if sql == "COMMIT" else None
            if how != "before":
                cursor = super().execute(sql, *values)
            if how is not None:
                error = sqlite3.OperationalError("database or disk is full")
                error.sqlite_errorcode = sqlite3.SQLITE_FULL
                raise error
            return cursor

    connect = sqlite3.connect
    monkeypatch.setattr(
        "inkeek.service.boards.remote.spool.sqlite3.connect",
        lambda path, **more: connect(path, factory=Connection, **more),
    )
    return disk


class Board(Bench):
    """A bench whose process is begun again after each failure, as a desk opens its board again."""

    def play_all(self, weather):
        """Press for some turns, at first without the network; what was recorded in the end, in order."""
        self.link.weather = weather
        kept, turns = [], []
        for seq in range(1, TURNS + 1):
            turns.append(self.turn())
            kept.append(commit(turns[-1], seq))
            while self.games.row(self.game).ply < seq:
                self.try_to(lambda: self.hear(*kept))
                self.check()
            if seq == TURNS - 1:
                self.link.weather = "up"
        until(lambda: not self.delivery._waiting)
        until(lambda: self.try_to(self.step))
        return [str(turn.move) for turn in turns]

    def try_to(self, action):
        try:
            action()
        except ServiceError:
            self.try_to(self.reopen)
            return False
        return True

    def reopen(self):
        """The desk opens the board again."""
        self.open()
        self.greet()

    def check(self):
        """What is acknowledged is in the spool or in the service."""
        last = max([seq for _, seq in self.connection.acknowledged], default=0)
        assert self.boards.get(self.board).seq >= last
        kept = sum(len(body.get("changes", ())) for _, body in self.spool.load()[1])
        assert len(self.recorded()) + kept >= last


@pytest.mark.parametrize("how", ["before", "after"])
@pytest.mark.parametrize("weather", ["up", "down", "deaf"])
def test_no_press_is_lost_whichever_commit_of_the_spool_fails(client, services, tmp_path, disk, how, weather):
    for first in range(1, MOST):
        disk.commits, disk.failing = 0, {}
        (folder := tmp_path / str(first)).mkdir()
        bench = Board(client, services, folder)
        bench.reopen()
        disk.failing = {disk.commits + first: how, disk.commits + first + 1: how}
        before = disk.commits
        moves = bench.play_all(weather)
        assert bench.recorded() == moves, first
        assert len(set(bench.sources())) == len(bench.sources()) == TURNS
        bench.kill()
        services.boards.release(bench.board)
        if disk.commits - before < first:
            break
    assert first > TURNS or weather == "up"


@pytest.mark.parametrize("how", ["before", "after"])
def test_no_press_is_lost_whichever_commit_of_the_service_fails(client, services, tmp_path, how):
    for first in range(1, MOST):
        (folder := tmp_path / str(first)).mkdir()
        bench, disk = Board(client, services, folder), Disk()
        bench.reopen()
        until(lambda bench=bench: not bench.delivery._waiting)
        disk.failing = {first: how, first + 1: how}
        with failing_commits(disk.fault):
            moves = bench.play_all("up")
        assert bench.recorded() == moves, first
        assert len(set(bench.sources())) == len(bench.sources()) == TURNS
        bench.kill()
        services.boards.release(bench.board)
        if disk.commits < first:
            break
    assert first > TURNS
    assert BOOT in bench.sources()[0]
