from __future__ import annotations

import contextlib
import os
import select
import socket
import termios
import time
import tty
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from firmware_sim.cable.faults import CableFaults
from firmware_sim.cable.faults import Wire as Direction
from firmware_sim.cable.ports import FaultyLink, Link, PtyLink, TcpLink
from firmware_sim.errors import LinkError
from tests.firmware_sim.conftest import Wire

DEADLINE_S = 5.0


def received(link: Link, size: int) -> bytes:
    """What arrives at the board's end, once it is so many bytes."""
    end = time.monotonic() + DEADLINE_S
    data = b""
    while len(data) < size:
        assert time.monotonic() < end, f"only {data!r} arrived"
        select.select(link.files(), [], [], 0.1)
        data += link.receive()
    return data


def read(host: int) -> bytes:
    """What has arrived at the host's end, once there is something."""
    assert select.select([host], [], [], DEADLINE_S)[0], "nothing arrived"
    return os.read(host, 1000)


@pytest.fixture
def pty(tmp_path: Path) -> Iterator[PtyLink]:
    link = PtyLink(tmp_path / "board")
    link.plug()
    yield link
    link.unplug()


@contextlib.contextmanager
def opened(url: str) -> Iterator[int]:
    file = os.open(url, os.O_RDWR | os.O_NOCTTY)
    tty.setraw(file, termios.TCSANOW)  # without dropping what lies there already
    try:
        yield file
    finally:
        os.close(file)


def test_a_pty_carries_bytes_unchanged_both_ways(pty: PtyLink) -> None:
    every = bytes(range(256))
    with opened(pty.url) as host:
        assert pty.send(every) == 256
        assert read(host) == every
        os.write(host, every)
        assert received(pty, 256) == every
        assert pty.receive() == b""


def test_a_pty_without_a_link_has_a_name_of_its_own() -> None:
    link = PtyLink()
    link.plug()
    assert Path(link.url).is_char_device()
    link.unplug()


def test_a_host_may_come_and_go(pty: PtyLink) -> None:
    for _ in range(2):
        with opened(pty.url) as host:
            os.write(host, b"x")
            assert received(pty, 1) == b"x"
    assert pty.receive() == b""
    assert select.select(pty.files(), [], [], 0)[0] == []


def test_a_pty_that_is_not_read_takes_no_more_and_blocks_nobody(pty: PtyLink) -> None:
    taken = sum(pty.send(b"x" * 4096) for _ in range(1000))
    assert 0 < taken < 1 << 20
    assert pty.send(b"x" * 4096) == 0


def test_a_pulled_pty_vanishes_and_comes_back_under_its_name(pty: PtyLink) -> None:
    with opened(pty.url) as host:
        pty.unplug()
        assert not Path(pty.url).is_symlink()
        with contextlib.suppress(OSError):  # a hung-up terminal reads as ended or fails
            assert read(host) == b""
    assert (pty.files(), pty.receive(), pty.send(b"lost")) == ([], b"", 4)
    pty.plug()
    with opened(pty.url) as host:
        pty.send(b"back")
        assert read(host) == b"back"


def test_what_an_unread_pty_held_is_lost_when_it_is_pulled(pty: PtyLink) -> None:
    pty.send(b"old")
    pty.unplug()
    pty.plug()
    pty.send(b"new")
    with opened(pty.url) as host:
        assert read(host) == b"new"


def test_an_old_link_is_replaced_but_a_file_is_not(tmp_path: Path) -> None:
    name = tmp_path / "board"
    name.symlink_to("/nowhere")
    link = PtyLink(name)
    link.plug()
    assert name.resolve().is_char_device()
    link.unplug()
    name.write_text("mine", encoding="utf-8")
    with pytest.raises(LinkError, match="no symbolic link"):
        link.plug()
    assert name.read_text(encoding="utf-8") == "mine"
    assert link.files() == []


def test_a_link_that_now_belongs_to_another_stays(pty: PtyLink) -> None:
    name = Path(pty.url)
    name.unlink()
    name.symlink_to("/elsewhere")
    pty.unplug()
    assert os.readlink(name) == "/elsewhere"


def test_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(LinkError, match="No such file"):
        PtyLink(tmp_path / "no" / "board").plug()


@pytest.fixture
def tcp() -> Iterator[TcpLink]:
    link = TcpLink("127.0.0.1", 0)
    link.plug()
    yield link
    link.unplug()


def port(link: TcpLink) -> int:
    return int(link.url.rpartition(":")[2])


def called(link: TcpLink) -> socket.socket:
    """A host that has been let in."""
    host = socket.create_connection(("127.0.0.1", port(link)), timeout=DEADLINE_S)
    host.sendall(b"!")
    assert received(link, 1) == b"!"
    return host


def test_tcp_carries_bytes_both_ways(tcp: TcpLink) -> None:
    assert tcp.url.startswith("socket://127.0.0.1:")
    assert tcp.send(b"nobody hears") == 12
    with called(tcp) as host:
        assert tcp.send(b"board") == 5
        assert host.recv(100) == b"board"
        host.sendall(b"host")
        assert received(tcp, 4) == b"host"


def test_one_host_after_another_but_not_two_at_once(tcp: TcpLink) -> None:
    with called(tcp), socket.create_connection(("127.0.0.1", port(tcp)), timeout=DEADLINE_S) as second:
        select.select(tcp.files(), [], [], DEADLINE_S)
        assert tcp.receive() == b""
        assert second.recv(10) == b""
    end = time.monotonic() + DEADLINE_S
    while len(tcp.files()) > 1:
        assert time.monotonic() < end
        tcp.receive()
    called(tcp).close()


def test_a_host_that_does_not_read_blocks_nobody(tcp: TcpLink) -> None:
    with called(tcp):
        chunk = b"x" * 65536
        for _ in range(1000):
            if tcp.send(chunk) == 0:
                break
        else:
            pytest.fail("it never stopped taking bytes")


def test_a_pulled_tcp_cable_is_dead_until_it_is_plugged_in(tcp: TcpLink) -> None:
    url = tcp.url
    with called(tcp) as host:
        tcp.unplug()
        assert host.recv(10) == b""
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port(tcp)), timeout=DEADLINE_S)
    assert (tcp.files(), tcp.receive(), tcp.send(b"lost")) == ([], b"", 4)
    tcp.plug()
    assert tcp.url == url
    called(tcp).close()


def test_a_port_that_is_taken(tcp: TcpLink) -> None:
    with pytest.raises(LinkError, match=f"127.0.0.1:{port(tcp)}"):
        TcpLink("127.0.0.1", port(tcp)).plug()


def test_a_host_name_that_does_not_exist() -> None:
    with pytest.raises(LinkError, match="cannot listen"):
        TcpLink("no.such.host.invalid", 0).plug()


def test_a_faulty_cable_is_between_the_board_and_the_link() -> None:
    wire, now = Wire(capacity=50), [0.0]
    faults = CableFaults(duplicate=50.0, burst=4)
    link = FaultyLink(wire, Direction(faults, Random(1)), Direction(CableFaults(), Random(1)), lambda: now[0])
    link.plug()
    assert link.url == "wire"
    assert link.files() == [0]
    wire.write(b"down")
    assert link.receive() == b"down"
    sent, got = bytes(range(200)), b""
    left = sent
    while left or not got.endswith(sent[-1:]):
        left = left[link.send(left) :]
        got += wire.read()
    assert len(got) > len(sent)
    assert set(got) == set(sent)


def test_what_is_on_a_faulty_cable_is_lost_with_it() -> None:
    wire = Wire()
    link = FaultyLink(
        wire, Direction(CableFaults(delay=100.0, late=50), Random(2)), Direction(CableFaults(), Random(1)), lambda: 0.0
    )
    link.plug()
    link.send(bytes(1000))
    link.unplug()
    assert not wire.plugged
    link.plug()
    assert link.send(b"") == 0
    assert wire.read() == b""
