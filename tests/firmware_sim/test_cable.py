from __future__ import annotations

import contextlib
import os
import re
import select
import socket
import termios
import time
import tty
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from inkeek.firmware_sim.cable import Cable, PtyCable, TcpCable
from inkeek.firmware_sim.errors import CableError
from tests.faulty_cable import KINDS, CableFaults, Wire

DEADLINE_S = 60.0


def received(cable: Cable, size: int) -> bytes:
    """Wait for `size` bytes at the board's end and return them."""
    end = time.monotonic() + DEADLINE_S
    data = b""
    while len(data) < size:
        assert time.monotonic() < end, f"only {data!r} arrived"
        select.select(cable.files(), [], [], 0.1)
        data += cable.receive()
    return data


def read(host: int) -> bytes:
    """Wait for bytes at the host's end and return them."""
    assert select.select([host], [], [], DEADLINE_S)[0], "nothing arrived"
    return os.read(host, 1000)


@pytest.fixture
def pty(tmp_path: Path) -> Iterator[PtyCable]:
    link = PtyCable(tmp_path / "board")
    link.plug()
    yield link
    link.unplug()


@contextlib.contextmanager
def opened(url: str) -> Iterator[int]:
    file = os.open(url, os.O_RDWR | os.O_NOCTTY)
    tty.setraw(file, termios.TCSANOW)  # without dropping bytes that have already arrived
    try:
        yield file
    finally:
        os.close(file)


def test_a_pty_carries_bytes_unchanged_both_ways(pty: PtyCable) -> None:
    every = bytes(range(256))
    with opened(pty.url) as host:
        assert pty.send(every) == 256
        assert read(host) == every
        os.write(host, every)
        assert received(pty, 256) == every
        assert pty.receive() == b""


def test_a_pty_without_a_link_has_its_own_name() -> None:
    link = PtyCable()
    link.plug()
    assert Path(link.url).is_char_device()
    link.unplug()


def test_a_host_may_come_and_go(pty: PtyCable) -> None:
    for _ in range(2):
        with opened(pty.url) as host:
            os.write(host, b"x")
            assert received(pty, 1) == b"x"
    assert pty.receive() == b""
    assert select.select(pty.files(), [], [], 0)[0] == []


def test_an_unread_pty_stops_taking_bytes_without_blocking(pty: PtyCable) -> None:
    taken = sum(pty.send(b"x" * 4096) for _ in range(1000))
    assert 0 < taken < 1 << 20
    assert pty.send(b"x" * 4096) == 0


def test_an_unplugged_pty_vanishes_and_returns_under_its_name(pty: PtyCable) -> None:
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


def test_unread_bytes_are_lost_when_a_pty_is_unplugged(pty: PtyCable) -> None:
    pty.send(b"old")
    pty.unplug()
    pty.plug()
    pty.send(b"new")
    with opened(pty.url) as host:
        assert read(host) == b"new"


def test_an_old_link_is_replaced_but_a_file_is_not(tmp_path: Path) -> None:
    name = tmp_path / "board"
    name.symlink_to("/nowhere")
    link = PtyCable(name)
    link.plug()
    assert name.resolve().is_char_device()
    link.unplug()
    name.write_text("mine", encoding="utf-8")
    with pytest.raises(CableError, match=re.escape(str(name))):
        link.plug()
    assert name.read_text(encoding="utf-8") == "mine"
    assert link.files() == []
    other = tmp_path / "link to a file"
    other.symlink_to(name)
    with pytest.raises(CableError, match="link to a file"):
        PtyCable(other).plug()
    assert other.resolve() == name


def test_a_link_that_leads_elsewhere_by_now_stays(pty: PtyCable) -> None:
    name = Path(pty.url)
    name.unlink()
    name.symlink_to("/elsewhere")
    pty.unplug()
    assert os.readlink(name) == "/elsewhere"


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CableError, match=re.escape(str(tmp_path / "no" / "board"))):
        PtyCable(tmp_path / "no" / "board").plug()


@pytest.fixture
def tcp() -> Iterator[TcpCable]:
    link = TcpCable("127.0.0.1", 0)
    link.plug()
    yield link
    link.unplug()


def port(link: TcpCable) -> int:
    return int(link.url.rpartition(":")[2])


def connect(link: TcpCable) -> socket.socket:
    """Connect a host and wait until the board accepts it."""
    host = socket.create_connection(("127.0.0.1", port(link)), timeout=DEADLINE_S)
    host.sendall(b"!")
    assert received(link, 1) == b"!"
    return host


def test_tcp_carries_bytes_both_ways(tcp: TcpCable) -> None:
    assert tcp.url.startswith("socket://127.0.0.1:")
    assert tcp.send(b"nobody there") == 12
    with connect(tcp) as host:
        assert tcp.send(b"board") == 5
        assert host.recv(100) == b"board"
        host.sendall(b"host")
        assert received(tcp, 4) == b"host"


def test_one_host_after_another_but_not_two_at_once(tcp: TcpCable) -> None:
    with connect(tcp), socket.create_connection(("127.0.0.1", port(tcp)), timeout=DEADLINE_S) as second:
        select.select(tcp.files(), [], [], DEADLINE_S)
        assert tcp.receive() == b""
        assert second.recv(10) == b""
    end = time.monotonic() + DEADLINE_S
    while len(tcp.files()) > 1:
        assert time.monotonic() < end
        tcp.receive()
    connect(tcp).close()


def test_a_host_that_does_not_read_does_not_block_the_board(tcp: TcpCable) -> None:
    with connect(tcp):
        chunk = b"x" * 65536
        for _ in range(1000):
            if tcp.send(chunk) == 0:
                break
        else:
            pytest.fail("it never stopped taking bytes")


def test_an_unplugged_tcp_cable_is_dead_until_it_is_plugged_in(tcp: TcpCable) -> None:
    url = tcp.url
    with connect(tcp) as host:
        tcp.unplug()
        assert host.recv(10) == b""
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port(tcp)), timeout=DEADLINE_S)
    assert (tcp.files(), tcp.receive(), tcp.send(b"lost")) == ([], b"", 4)
    tcp.plug()
    assert tcp.url == url
    connect(tcp).close()


def test_a_port_in_use_is_named(tcp: TcpCable) -> None:
    with pytest.raises(CableError, match=f"127.0.0.1:{port(tcp)}"):
        TcpCable("127.0.0.1", port(tcp)).plug()


def test_an_unknown_host_name_is_quoted() -> None:
    with pytest.raises(CableError, match=re.escape("no.such.host.invalid")):
        TcpCable("no.such.host.invalid", 0).plug()


TEXT = bytes(range(256)) * 40


@pytest.mark.parametrize("kind", KINDS)
def test_each_fault_is_as_frequent_as_its_rate(kind: str) -> None:
    wire, out = Wire(CableFaults(**{kind: 2.0}), Random(1)), b""
    for now, at in enumerate(range(0, len(TEXT), 100)):
        wire.put(TEXT[at : at + 100], now)
        out += wire.take(now)
    out += wire.take(1e9)
    assert set(wire.fault_counts) == {kind}
    assert 8 < wire.fault_counts[kind] < 40  # of 10,240 bytes
    same = {"drop": len(out) < len(TEXT), "duplicate": len(out) > len(TEXT), "delay": out == TEXT}
    assert same.get(kind, len(out) == len(TEXT) and out != TEXT)
