"""The cable, where the board's bytes leave. It can be pulled out and put back under the same name."""

from __future__ import annotations

import os
import socket
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from firmware_sim.errors import LinkError

from .faults import Wire

READ_SIZE = 4096  # bytes taken from the line at once


class Link(Protocol):
    """A cable. Nothing here blocks, and nothing is kept: what the line does not take stays with the board."""

    @property
    def url(self) -> str:
        """What a host opens."""

    def plug(self) -> None:
        """Connect the board.

        :raises LinkError: the name or the address is not to be had.
        """

    def unplug(self) -> None:
        """Pull the cable; a host that has the line open sees it vanish."""

    def files(self) -> list[int]:
        """What to wait on for something to read; empty while the cable is out."""

    def receive(self) -> bytes:
        """What the host has sent, up to `READ_SIZE` bytes; empty when there is nothing."""

    def send(self, data: bytes) -> int:
        """How many bytes of `data` the line took. With the cable out all are lost, as on a wire."""


class PtyLink:
    """A pseudo-terminal, under the name of a symbolic link if one is given."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._master = -1
        self._slave = -1  # held open too, so that a host may come and go without an end-of-file

    @property
    def url(self) -> str:
        return str(self._path) if self._path is not None else os.ttyname(self._slave)

    def plug(self) -> None:
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        if self._path is not None:
            try:
                self._name(self._path)
            except OSError as error:
                self._close()
                raise LinkError(f"cannot make the link {str(self._path)!r}: {error.strerror}") from error

    def unplug(self) -> None:
        if self._master >= 0 and self._path is not None and self._named():
            self._path.unlink()
        self._close()

    def files(self) -> list[int]:
        return [] if self._master < 0 else [self._master]

    def receive(self) -> bytes:
        if self._master < 0:
            return b""
        try:
            return os.read(self._master, READ_SIZE)
        except BlockingIOError:
            return b""

    def send(self, data: bytes) -> int:
        if self._master < 0:
            return len(data)
        try:
            return os.write(self._master, data)
        except BlockingIOError:
            return 0

    def _name(self, path: Path) -> None:
        if os.path.lexists(path) and not path.is_symlink():
            raise FileExistsError(17, "there is a file of that name that is no symbolic link")
        fresh = path.with_name(f"{path.name}.{os.getpid()}")
        fresh.symlink_to(os.ttyname(self._slave))
        fresh.replace(path)

    def _named(self) -> bool:
        """Whether the symbolic link is ours still."""
        assert self._path is not None
        return self._path.is_symlink() and os.readlink(self._path) == os.ttyname(self._slave)

    def _close(self) -> None:
        for file in (self._master, self._slave):
            if file >= 0:
                os.close(file)
        self._master = self._slave = -1


class TcpLink:
    """A TCP server for one host at a time; a second one is turned away."""

    def __init__(self, host: str, port: int) -> None:
        """:param port: 0 for any free one, which is then kept."""
        self._host = host
        self._port = port
        self._server: socket.socket | None = None
        self._client: socket.socket | None = None

    @property
    def url(self) -> str:
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"socket://{host}:{self._port}"

    def plug(self) -> None:
        try:
            server = socket.create_server(
                (self._host, self._port), family=socket.AF_INET6 if ":" in self._host else socket.AF_INET
            )
        except OSError as error:
            raise LinkError(f"cannot listen on {self._host}:{self._port}: {error.strerror}") from error
        server.setblocking(False)
        self._port = server.getsockname()[1]
        self._server = server

    def unplug(self) -> None:
        self._hang_up()
        if self._server is not None:
            self._server.close()
            self._server = None

    def files(self) -> list[int]:
        return [end.fileno() for end in (self._server, self._client) if end is not None]

    def receive(self) -> bytes:
        self._accept()
        if self._client is None:
            return b""
        try:
            data = self._client.recv(READ_SIZE)
        except BlockingIOError:
            return b""
        except OSError:  # the host's end is gone, in whatever way: wait for the next one
            data = b""
        if not data:
            self._hang_up()
        return data

    def send(self, data: bytes) -> int:
        if self._client is None:
            return len(data)
        try:
            return self._client.send(data)
        except BlockingIOError:
            return 0
        except OSError:  # as in `receive`
            self._hang_up()
            return len(data)

    def _accept(self) -> None:
        if self._server is None:
            return
        try:
            client, _ = self._server.accept()
        except (BlockingIOError, ConnectionError):
            return
        if self._client is not None:
            client.close()
            return
        client.setblocking(False)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._client = client

    def _hang_up(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None


class FaultyLink:
    """A link whose cable is not perfect: `to_host` and `to_board` are its directions, `clock` gives seconds."""

    def __init__(self, link: Link, to_host: Wire, to_board: Wire, clock: Callable[[], float]) -> None:
        self._link = link
        self._to_host = to_host
        self._to_board = to_board
        self._clock = clock
        self._out = b""  # has come out at the host's end, which did not take it yet

    @property
    def url(self) -> str:
        return self._link.url

    def plug(self) -> None:
        self._link.plug()

    def unplug(self) -> None:
        self._to_host.cut()
        self._to_board.cut()
        self._out = b""
        self._link.unplug()

    def files(self) -> list[int]:
        return self._link.files()

    def receive(self) -> bytes:
        self._to_board.put(self._link.receive(), self._now)
        return self._to_board.take(self._now)

    def send(self, data: bytes) -> int:
        if self._out:  # the host is slow: nothing more goes in meanwhile
            data = b""
        self._to_host.put(data, self._now)
        self._out += self._to_host.take(self._now)
        self._out = self._out[self._link.send(self._out) :]
        return len(data)

    @property
    def _now(self) -> float:
        return self._clock() * 1000
