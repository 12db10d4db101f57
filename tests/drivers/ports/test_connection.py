from __future__ import annotations

import os
import threading
import tty
from pathlib import Path

import pytest

from inkeek.drivers.boards.standard import StandardSession
from inkeek.drivers.errors import DriverError, TransportError
from inkeek.drivers.events import Connected, Disconnected, Event, Gap, Lifted, Refused
from inkeek.drivers.ports.connection import PortConnection
from inkeek.drivers.ports.transport import Transport
from inkeek.drivers.protocol.limits import GONE_AFTER, REOPEN_EVERY
from tests.drivers.board_side import BOOT, LATER_BOOT, hello, lift, poll_for, sent


class World:
    """A `base.Environment`: time, and a port that may be unplugged. Each read takes a twentieth of a second."""

    def __init__(self) -> None:
        self.now = 100.0
        self.plugged = True
        self.opened = 0
        self.incoming: list[bytes] = []
        self.outgoing = b""

    def clock(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += max(seconds, 0.001)  # at least a step

    def token(self) -> str:
        raise AssertionError("these boards have boot ids of their own")

    def open(self) -> Port:
        if not self.plugged:
            self.now += 0.05
            raise TransportError("no such port")
        self.opened += 1
        return Port(self)

    def connect(self, resume: tuple[str, int] | None = None) -> PortConnection:
        return PortConnection(StandardSession("host", "1", resume), self)

    def take(self) -> list[str]:
        data, self.outgoing = self.outgoing, b""
        return sent(data)


class Port:
    def __init__(self, world: World) -> None:
        self.world = world
        self.closed = False

    def read(self) -> bytes:
        self._check()
        self.world.now += 0.05
        return self.world.incoming.pop(0) if self.world.incoming else b""

    def write(self, data: bytes) -> None:
        self._check()
        self.world.outgoing += data

    def close(self) -> None:
        self.closed = True
        if not self.world.plugged:
            raise TransportError("it is gone")

    def _check(self) -> None:
        assert not self.closed
        if not self.world.plugged:
            raise TransportError("lost it")


def test_poll_waits_for_its_timeout() -> None:
    world = World()
    connection = world.connect()
    assert connection.poll(0.5) == []
    assert world.now == pytest.approx(100.5, abs=0.06)


def test_a_lost_port_is_not_tried_too_often() -> None:
    world = World()
    connection = world.connect()
    world.plugged = False
    connection.poll(0.0)
    world.plugged = True
    assert connection.poll(0.0) == []
    assert world.opened == 1


def test_the_port_of_a_silent_board_is_reopened() -> None:
    world = World()
    connection = world.connect()
    world.incoming = [hello()]
    poll_for(connection, Connected)
    (lost,) = poll_for(connection, Disconnected)
    assert isinstance(lost, Disconnected)
    assert f"{GONE_AFTER:g}" in lost.reason
    world.now += REOPEN_EVERY
    world.incoming = [hello(LATER_BOOT)]
    assert [type(event) for event in poll_for(connection, Connected)] == [Connected, Gap]
    assert world.opened == 2


def test_closing_sends_the_last_acknowledgement() -> None:
    world = World()
    connection = world.connect()
    world.incoming = [hello(last=1) + lift(1)]
    (lifted,) = [event for event in poll_for(connection, Lifted) if isinstance(event, Lifted)]
    world.take()
    connection.acknowledge(lifted)
    connection.close()
    connection.close()
    assert world.take() == [f"ACK,{BOOT},1"]
    with pytest.raises(DriverError):
        connection.poll(0.0)


def test_closing_when_the_port_is_gone() -> None:
    world = World()
    connection = world.connect()
    world.plugged = False
    connection.poll(0.0)
    connection.close()
    with pytest.raises(DriverError):
        connection.poll(0.0)


def test_reconnections_leak_no_files_or_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A real port that disappears 200 times, with as many attempts to open it meanwhile."""
    monkeypatch.setattr("inkeek.drivers.ports.transport.READ_WAIT", 0.005)
    name, now, ends = tmp_path / "board", 100.0, []

    def plug() -> None:
        ends[:] = os.openpty()
        tty.setraw(ends[1])
        name.symlink_to(os.ttyname(ends[1]))

    def pull() -> None:
        name.unlink()
        for end in ends:
            os.close(end)

    class Environment(World):
        def open(self) -> Transport:
            return Transport.open(str(name))

        def clock(self) -> float:
            return now

    def held() -> tuple[int, int]:
        return len(os.listdir("/proc/self/fd")), threading.active_count()

    before = held()
    plug()
    connection = PortConnection(StandardSession("host", "1"), Environment())
    during = held()
    events: list[Event] = []
    for _ in range(200):
        os.write(ends[0], hello())
        while not any(isinstance(event, Connected) for event in events):
            events += connection.poll(0.0)
        pull()
        while not any(isinstance(event, Disconnected) for event in events):
            events += connection.poll(0.0)
        assert [type(event) for event in events] == [Connected, Disconnected]
        events.clear()
        now += REOPEN_EVERY
        assert connection.poll(0.0) == []  # away
        plug()
        now += REOPEN_EVERY
        assert connection.poll(0.0) == []
        assert held() == during
    connection.close()
    pull()
    assert held() == before


def test_a_report_says_what_the_port_does() -> None:
    world = World()
    connection = world.connect()
    connection.poll(0.2)
    assert connection.port_report.state == "silent"
    world.incoming = [b"hello from the maker\r\n", b"$HELLO,1.0,0.1,B-1*0000\r\n"]
    connection.poll(0.2)
    report = connection.port_report
    assert report.state == "unreadable"
    assert [line.text.split("*")[0] for line in report.lines] == ["hello from the maker\\r\\n", "$HELLO,1.0,0.1,B-1"]
    assert all(line.reason for line in report.lines)
    world.incoming = [hello()]
    poll_for(connection, Connected)
    assert connection.port_report.state == "connected"
    world.plugged = False
    poll_for(connection, Disconnected)
    assert (connection.port_report.state, connection.port_report.reason) == ("closed", "lost it")


def test_a_report_shows_what_has_no_line_end() -> None:
    world = World()
    connection = world.connect()
    world.incoming = [b"\xff\x00 4 4 4"]
    connection.poll(0.2)
    report = connection.port_report
    assert report.state == "unreadable"
    assert "4 4 4" in report.lines[-1].text


def test_a_board_that_is_refused_is_no_unreadable_one() -> None:
    """Not even when its port is opened again."""
    world = World()
    connection = world.connect()
    for _ in range(2):
        world.incoming = [b"?\r\n", hello(version="2.0")]
        poll_for(connection, Refused)
        report = connection.port_report
        assert (report.state, report.lines) == ("connected", ())
        world.plugged = False
        connection.poll(0.0)
        assert connection.port_report.state == "closed"
        world.plugged = True
        world.now += REOPEN_EVERY
