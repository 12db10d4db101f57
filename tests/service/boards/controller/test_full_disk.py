"""The disk of the service is full at any commit: no press is lost or counts twice, none is acknowledged too early."""

from itertools import count

import pytest

from inkeek.service.boards.controller import FLUSH_AFTER
from inkeek.service.errors import StorageFull
from tests.faults.hosts import failing_commits
from tests.service.boards_double import commit, connected, snapshot

from .conftest import BOOT, Table

TURNS = 3


class Board:
    """A board that keeps what is not acknowledged, and a desk that opens it again after a failure."""

    def __init__(self, services):
        self.table = Table(services)
        self.start = self.table.turn().before
        self.kept, self.failures = [], 0
        self.open()

    def open(self):
        self.table.sit()
        self.table.connection.say(connected(BOOT), *self.kept, snapshot(self.start, len(self.kept)))

    def step(self):
        table = self.table
        try:
            table.later(FLUSH_AFTER)
        except StorageFull:
            self.failures += 1
            acknowledged = table.connection.acknowledged
            self.open()
        else:
            acknowledged = table.connection.acknowledged
        stored = table.boards.get(table.board).seq
        assert all(seq <= stored for _, seq in acknowledged)

    def play(self):
        for _ in range(3):
            self.step()
        for seq in range(1, TURNS + 1):
            self.kept.append(commit(self.table.turn(), seq))
            self.table.connection.say(self.kept[-1])
            for _ in range(3):
                self.step()


def each_commit(most=100):
    """Have each commit fail, one at a time, and the next one too; `made` is how many there were."""
    for first in count(1):
        made = []

        def fault(first=first, made=made):
            made.append(None)
            return len(made) in (first, first + 1)

        yield first, fault
        if len(made) < first:
            return
        assert first < most


@pytest.mark.parametrize("how", ["before", "after"])
def test_each_press_counts_once_whichever_commit_of_the_desk_fails(services, drivers_installed, how):
    for first, fails in each_commit():
        board = Board(services)
        with failing_commits(lambda fails=fails: how if fails() else None):
            board.play()
        assert board.table.games.row(board.table.game).ply == TURNS, first
        assert board.table.boards.get(board.table.board).seq == TURNS
        services.boards.release(board.table.board)
    assert first > TURNS
