from __future__ import annotations

import os
import re
import select
import socket
import subprocess
import sys
import termios
import threading
import tty
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import serial
from serial import rfc2217

from inkeek.drivers.errors import TransportError, UrlError
from inkeek.drivers.ports import transport
from inkeek.drivers.ports.transport import DATABASE, Transport, check_url
from inkeek.drivers.protocol.limits import MAX_READ


@pytest.fixture
def pty() -> Iterator[tuple[int, str]]:
    """The board's end, and the device to open."""
    master, slave = os.openpty()
    tty.setraw(slave)
    yield master, os.ttyname(slave)
    os.close(slave)
    os.close(master)


@pytest.mark.parametrize("arguments", [[], [DATABASE, "sqlite:////club.sqlite3"]])
def test_a_port_in_use_is_told_with_who_uses_it(pty: tuple[int, str], arguments: list[str]) -> None:
    code = "import sys; from inkeek.drivers.ports.transport import Transport; port = Transport.open(sys.argv[1]); "
    command = [sys.executable, "-c", code + "print(flush=True); input()", pty[1], *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline()
        with pytest.raises(TransportError) as refused:
            Transport.open(pty[1])
        other.kill()
    assert str(other.pid) in str(refused.value)
    assert "club.sqlite3" in str(refused.value) or not arguments


def read_until(transport: Transport, wanted: bytes) -> bytes:
    data = b""
    for _ in range(100):  # each read waits
        piece = transport.read()
        assert len(piece) <= MAX_READ
        data += piece
        if len(data) >= len(wanted):
            break
    return data


def read_pty(master: int, count: int) -> bytes:
    data = b""
    while len(data) < count and select.select([master], [], [], 60.0)[0]:
        data += os.read(master, 4096)
    return data


def test_a_pseudo_terminal(pty: tuple[int, str]) -> None:
    master, device = pty
    transport = Transport.open(device)
    try:
        assert transport.read() == b""
        os.write(master, b"$from the board")
        assert read_until(transport, b"$from the board") == b"$from the board"
        transport.write(b"from the host\r\n")
        assert read_pty(master, 15) == b"from the host\r\n"
    finally:
        transport.close()
        transport.close()


def test_a_pseudo_terminal_that_vanishes() -> None:
    master, slave = os.openpty()
    tty.setraw(slave)
    device = os.ttyname(slave)
    transport = Transport.open(device)
    try:
        os.close(slave)
        os.close(master)
        with pytest.raises(TransportError, match=f"lost {device}"):
            transport.read()
        with pytest.raises(TransportError, match=f"lost {device}"):
            transport.write(b"x")
    finally:
        transport.close()


def test_a_socket() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"socket://127.0.0.1:{server.getsockname()[1]}"
        transport = Transport.open(url)
        try:
            peer, _ = server.accept()
            with peer:
                peer.sendall(b"x" * (MAX_READ + 10))
                data = read_until(transport, b"x" * (MAX_READ + 10))
                assert data == b"x" * (MAX_READ + 10)
                transport.write(b"hello")
                assert peer.recv(100) == b"hello"
                peer.sendall(b"last words")
            # data before the end is not lost
            assert read_until(transport, b"last words") == b"last words"
            with pytest.raises(TransportError, match="lost socket://"):
                transport.read()
        finally:
            transport.close()


class TelnetEcho(threading.Thread):
    """A serial port behind RFC 2217 that echoes what it receives, until the other end hangs up."""

    def __init__(self, server: socket.socket) -> None:
        super().__init__(daemon=True)
        self.server = server

    def run(self) -> None:
        peer, _ = self.server.accept()
        self.peer = peer
        with peer, serial.serial_for_url("loop://", timeout=0) as port:
            manager = rfc2217.PortManager(port, SimpleNamespace(write=peer.sendall))
            while data := peer.recv(4096):
                port.write(b"".join(manager.filter(data)))
                peer.sendall(b"".join(manager.escape(port.read(4096))))


@pytest.mark.filterwarnings("ignore:set(Daemon|Name):DeprecationWarning")  # pyserial's
def test_rfc2217() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        echo = TelnetEcho(server)
        echo.start()
        transport = Transport.open(f"rfc2217://127.0.0.1:{server.getsockname()[1]}")
        try:
            transport.write(b"$PING*\xff\r\n")
            assert read_until(transport, b"$PING*\xff\r\n") == b"$PING*\xff\r\n"
            echo.peer.shutdown(socket.SHUT_RDWR)
            with pytest.raises(TransportError, match="lost rfc2217://"):
                read_until(transport, b"never comes")
        finally:
            transport.close()
            echo.join(60.0)
    assert not echo.is_alive()


def test_a_port_that_accepts_nothing_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "WRITE_WAIT", 0.3)
    port = Transport.open("loop://")
    try:
        port.write(b"x" * 3000)
        with pytest.raises(TransportError, match="lost loop://"):
            port.write(b"x" * 3000)
    finally:
        port.close()


def test_a_port_where_nobody_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(TransportError, match=f"cannot open socket://127.0.0.1:{port}: Connection refused"):
        Transport.open(f"socket://127.0.0.1:{port}")


@pytest.mark.parametrize("url", ["/dev/no-such-port", "/dev/null", "socket://a..b:7000"])
def test_a_port_that_cannot_be_opened_is_named(url: str) -> None:
    with pytest.raises(TransportError, match=re.escape(url)):
        Transport.open(url)


def test_a_file_is_not_a_device(tmp_path: Path) -> None:
    file = tmp_path / "board.txt"
    file.write_text("$HELLO")
    with pytest.raises(TransportError, match=re.escape(str(file))):
        Transport.open(str(file))
    assert file.read_text() == "$HELLO"


@pytest.mark.parametrize(
    "url",
    [
        "/dev/ttyACM0",
        "COM3",
        r"\\.\COM12",
        "loop://",
        "socket://board.local:7000",
        "rfc2217://[::1]:1",
        "socket://1.2.3.4:65535",
    ],
)
def test_ports_are_urls(url: str) -> None:
    check_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "/dev/tty\n2026-11-20 desk ERROR all is lost",
        "/dev/tty\x1b[2J",
        "/dev/tty\ud800",
        "ttyACM0",
        "file:///etc/passwd",
        "spy:///dev/ttyACM0?file=x",
        "alt:///dev/ttyACM0",
        "hwgrep://.*",
        "socket://board",
        "socket://board:7000?logging=debug",
        "socket://board:7000/x",
        "socket://bo ard:7000",
        "socket://board:0",
        "rfc2217://board:70000",
        "loop://?logging=debug",
        "/dev/tty\0x",
        "socket://board:٣",
        "x" * 5000,
    ],
)
def test_other_urls_are_refused(url: str) -> None:
    with pytest.raises(UrlError) as caught:
        Transport.open(url)
    assert repr(url[:100]) in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_device_that_is_unplugged_while_it_is_opened(pty: tuple[int, str], monkeypatch: pytest.MonkeyPatch) -> None:
    def unplugged(*_: object) -> None:
        raise termios.error(5, "Input/output error")

    monkeypatch.setattr(termios, "tcgetattr", unplugged)
    with pytest.raises(TransportError, match="Input/output error"):
        Transport.open(pty[1])
