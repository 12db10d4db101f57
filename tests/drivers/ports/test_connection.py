from __future__ import annotations

import os
import threading
import tty
from pathlib import Path

import pytest

from drivers.base import Guidance
from drivers.boards.standard import StandardSession
from drivers.errors import DriverError, TransportError
from drivers.events import Connected, Disconnected, Event, Gap, Lifted
from drivers.ports.connection import PortConnection
from drivers.ports.transport import Transport
from drivers.protocol.limits import GONE_AFTER, REOPEN_EVERY
from records import NORTH, SOUTH
from tests.drivers.board_side import BOOT, LATER_BOOT, hello, lift, sent


class World:
    """Time, and a port that may be pulled out. Each read takes a twentieth of a second. A `base.Environment`."""

    def __init__(self) -> None:
        self.now = 100.0
        self.plugged = True
        self.opened = 0
        self.incoming: list[bytes] = []
        self.outgoing = b""

    def clock(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += max(seconds, 0.001)  # nobody waits less

    def token(self) -> str:
        raise AssertionError("these boards have boot ids of their own")

    def open(self) -> Port:
        if not self.plugged:
            self.now += 0.05
            raise TransportError("no such port")
        self.opened += 1
        return Port(self)

    def link(self, resume: tuple[str, int] | None = None) -> PortConnection:
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


def poll_for(link: PortConnection, kind: type[Event]) -> list[Event]:
    events: list[Event] = []
    for _ in range(100):
        events += link.poll(0.2)
        if any(isinstance(event, kind) for event in events):
            return events
    raise AssertionError(f"no {kind.__name__} in {events}")


def test_a_conversation() -> None:
    world = World()
    link = world.link()
    world.incoming = [hello(last=1)[:10], hello(last=1)[10:]]
    assert [type(event) for event in link.poll(1.0)] == [Connected]
    assert world.take() == ["HELLO,1.0,host,1", f"REPLAY,{BOOT},1", "SNAP?"]
    world.incoming = [lift(1)]
    (lifted,) = link.poll(1.0)
    assert isinstance(lifted, Lifted)
    link.acknowledge(lifted)
    link.show(Guidance(NORTH))
    assert link.poll(0.0) == []
    assert world.take() == [f"ACK,{BOOT},1", "LED,clear", "LED,row,n,on"]


def test_poll_waits_as_long_as_it_was_told() -> None:
    world = World()
    link = world.link()
    assert link.poll(0.5) == []
    assert world.now == pytest.approx(100.5, abs=0.06)


def test_the_port_goes_and_comes_back() -> None:
    world = World()
    link = world.link()
    link.show(Guidance(SOUTH))
    world.incoming = [hello(last=1)]
    poll_for(link, Connected)
    world.plugged = False
    assert link.poll(1.0) == [Disconnected("lost it")]
    world.now += REOPEN_EVERY
    assert link.poll(0.0) == []  # tried, and not there
    world.now += REOPEN_EVERY
    world.plugged, world.incoming = True, [hello(last=1), lift(1)]
    world.take()
    events = poll_for(link, Lifted)
    assert [type(event) for event in events] == [Connected, Lifted]
    assert world.opened == 2
    assert world.take() == ["HELLO,1.0,host,1", f"REPLAY,{BOOT},1", "SNAP?"]
    assert isinstance(events[-1], Lifted)
    link.acknowledge(events[-1])
    link.poll(0.0)
    assert world.take() == [f"ACK,{BOOT},1", "LED,clear", "LED,row,s,on"]


def test_it_does_not_try_too_often() -> None:
    world = World()
    link = world.link()
    world.plugged = False
    link.poll(0.0)
    world.plugged = True
    assert link.poll(0.0) == []
    assert world.opened == 1


def test_a_board_that_falls_silent_has_its_port_opened_anew() -> None:
    world = World()
    link = world.link()
    world.incoming = [hello()]
    poll_for(link, Connected)
    assert poll_for(link, Disconnected) == [Disconnected(f"nothing was heard for {GONE_AFTER:g} seconds")]
    world.now += REOPEN_EVERY
    world.incoming = [hello(LATER_BOOT)]
    assert [type(event) for event in poll_for(link, Connected)] == [Connected, Gap]
    assert world.opened == 2


def test_closing_sends_the_last_acknowledgement() -> None:
    world = World()
    link = world.link()
    world.incoming = [hello(last=1) + lift(1)]
    (lifted,) = [event for event in poll_for(link, Lifted) if isinstance(event, Lifted)]
    world.take()
    link.acknowledge(lifted)
    link.close()
    link.close()
    assert world.take() == [f"ACK,{BOOT},1"]
    with pytest.raises(DriverError, match="closed"):
        link.poll(0.0)


def test_closing_when_the_port_is_gone() -> None:
    world = World()
    link = world.link()
    world.plugged = False
    link.poll(0.0)
    link.close()
    with pytest.raises(DriverError, match="closed"):
        link.poll(0.0)


def test_a_board_that_vanishes_again_and_again_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real port: 200 times there and gone, with as many tries to open it while it is away."""
    monkeypatch.setattr("drivers.ports.transport.READ_WAIT", 0.005)
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
    link = PortConnection(StandardSession("host", "1"), Environment())
    during = held()
    events: list[Event] = []
    for _ in range(200):
        os.write(ends[0], hello())
        while not any(isinstance(event, Connected) for event in events):
            events += link.poll(0.0)
        pull()
        while not any(isinstance(event, Disconnected) for event in events):
            events += link.poll(0.0)
        assert [type(event) for event in events] == [Connected, Disconnected]
        events.clear()
        now += REOPEN_EVERY
        assert link.poll(0.0) == []  # away
        plug()
        now += REOPEN_EVERY
        assert link.poll(0.0) == []
        assert held() == during
    link.close()
    pull()
    assert held() == before
