"""Boards that are powered for weeks or away for weeks, hosts that are stopped for a while, and disks that are full."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from unittest.mock import patch

from sqlalchemy import Connection

from inkeek.service.storage.store import Store
from tests.faults.table import Deaths, Table

PERIOD_MS = 2**32  # of a board's clock
DAY = 86_400.0
MOST_AWAY = 60 * DAY
FULL_FOR = 4.0  # seconds, at most
PLACES = ("read", "write", "before", "after", "acknowledged")


class Pauses(Deaths):
    """The desk does not die, but is stopped for some seconds: a laptop's lid. The board goes on."""

    def __init__(self, due: list[tuple[float, str, float]], table: Table) -> None:
        super().__init__(due, table.clock)
        self._table = table

    def at(self, where: str) -> None:
        if self.due and self.due[0][1] == where and self._clock() >= self.due[0][0]:
            self._table.wait(self.due.pop(0)[2])


def power_for(table: Table, ms: int) -> None:
    """Have the board be powered for so many milliseconds already."""
    board = table.stage.device.board
    board.uptime = ms  # type: ignore[attr-defined]
    board._ms = lambda: str((board._now + board.uptime) % PERIOD_MS)  # type: ignore[attr-defined,method-assign]


def take_away(table: Table, seconds: float) -> None:
    """Unplug the cable, and plug it in again after so long, which nobody waits for."""
    device = table.stage.device
    table.cable.unplug()
    table.run(1.0, lambda: False)
    table.now += seconds
    device.board.uptime += round(seconds * 1000)  # type: ignore[attr-defined]
    device._stepped_at = table.now
    table.cable.plug()


def play_long(table: Table, random: Random, seconds: float) -> None:
    """Play with a clock that begins anywhere, absences up to more than its period, and a desk that is stopped."""
    near = PERIOD_MS - random.randrange(120_000)
    power_for(table, random.choice([near, 2**31 - random.randrange(60_000), random.randrange(PERIOD_MS)]))
    times = sorted(random.uniform(0, 60) for _ in range(random.randint(0, 6)))
    table.deaths = Pauses([(at, random.choice(PLACES), random.uniform(1, 30)) for at in times], table)
    for _ in range(random.randint(0, 3)):
        table.run(random.uniform(1, 20), lambda: table.played)
        if not table.played:
            take_away(table, random.choice([26 * DAY, 49.8 * DAY, random.uniform(0, MOST_AWAY)]))
    table.run(seconds, lambda: table.played)


def play_full(table: Table, random: Random, seconds: float) -> None:
    """Play while the disk is full for some seconds now and then. A commit may be stored although it fails."""
    spans = [(at, at + random.uniform(0.1, FULL_FOR)) for at in (random.uniform(0, 60) for _ in range(6))]

    def fault() -> str | None:
        is_full = any(begin <= table.now < end for begin, end in spans)
        return random.choice(["before", "after"]) if is_full else None

    with failing_commits(fault):
        table.run(seconds, lambda: table.played)


@contextmanager
def failing_commits(fault: Callable[[], str | None]) -> Iterator[None]:
    """At each commit of the service, ask whether it fails ``before`` or ``after`` it is stored."""
    commit = Store._commit

    def fail(store: Store, connection: Connection) -> None:
        found = fault()
        if found != "before":
            commit(store, connection)
        if found is not None and connection.dialect.name == "postgresql":
            raise connection.dialect.dbapi.errors.DiskFull("No space left on device")  # type: ignore[union-attr]
        if found is not None:
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error

    with patch.object(Store, "_commit", fail):
        yield
