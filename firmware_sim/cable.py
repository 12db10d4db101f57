"""The cable to the host: a pseudo-terminal or a TCP server. A faulty one loses, doubles, spoils and delays bytes."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Protocol

from .errors import CableError

READ_SIZE = 4096  # bytes read at once


class Cable(Protocol):
    """A cable that can be unplugged and plugged in again under the same name. Nothing here blocks."""

    @property
    def url(self) -> str:
        """What a host opens."""

    def plug(self) -> None:
        """Connect the board.

        :raises CableError: the name or the address is not available.
        """

    def unplug(self) -> None:
        """Disconnect the board; a host that has the port open sees it vanish."""

    def files(self) -> list[int]:
        """Return the file descriptors to wait on for input; none while the cable is unplugged."""

    def receive(self) -> bytes:
        """Return bytes from the host, up to `READ_SIZE`; empty if there are none."""

    def send(self, data: bytes) -> int:
        """Send bytes and return how many were taken. An unplugged cable takes and loses all."""


class PtyCable:
    """A pseudo-terminal, with a symbolic link to it if `path` is given."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._master = -1
        self._slave = -1  # kept open so that hosts may come and go without an end-of-file

    @property
    def url(self) -> str:
        return str(self._path) if self._path is not None else os.ttyname(self._slave)

    def plug(self) -> None:
        import tty  # not on Windows

        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        if self._path is not None:
            try:
                self._make_link(self._path)
            except OSError as error:
                self._close()
                raise CableError(f"cannot make the symbolic link {str(self._path)!r}: {error.strerror}") from error

    def unplug(self) -> None:
        if self._master >= 0 and self._path is not None and self._owns_link(self._path):
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

    def _make_link(self, path: Path) -> None:
        if os.path.lexists(path) and not (path.is_symlink() and (path.is_char_device() or not path.exists())):
            raise FileExistsError(17, "a file of that name exists and is no symbolic link to a terminal")
        fresh = path.with_name(f"{path.name}.{os.getpid()}")
        fresh.symlink_to(os.ttyname(self._slave))
        fresh.replace(path)

    def _owns_link(self, path: Path) -> bool:
        """Whether the symbolic link still leads to this terminal."""
        return path.is_symlink() and os.readlink(path) == os.ttyname(self._slave)

    def _close(self) -> None:
        for file in (self._master, self._slave):
            if file >= 0:
                os.close(file)
        self._master = self._slave = -1


class TcpCable:
    """A TCP server for one host at a time. It closes further connections."""

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
        family = socket.AF_INET6 if ":" in self._host else socket.AF_INET
        try:
            server = socket.create_server((self._host, self._port), family=family)
        except OSError as error:
            raise CableError(f"cannot listen on {self._host}:{self._port}: {error.strerror}") from error
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
        except OSError:  # the host is gone: wait for the next one
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
