"""Real ports with a foreign board behind them: a pseudo-terminal and a TCP socket. A thread passes the bytes."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import threading
import tty
from pathlib import Path
from types import TracebackType

from .board import ForeignBoard

STEP = 0.01  # seconds between two looks at the board


class _Port:
    """A port on which `board` answers while the context is open. Another board may be assigned at any time."""

    url: str

    def __init__(self, board: ForeignBoard) -> None:
        self.board = board
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run, name="foreign board", daemon=True)

    def __enter__(self) -> _Port:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ends.set()
        self._thread.join(10.0)
        self._close()

    def _run(self) -> None:
        while not self._ends.is_set():
            data = self._read(STEP)
            if data:
                self.board.receive(data)
            self.board.tick()
            self._write()

    def _write(self) -> None:
        raise NotImplementedError

    def _read(self, wait: float) -> bytes:
        raise NotImplementedError

    def _close(self) -> None:
        raise NotImplementedError


class TcpPort(_Port):
    """Serves one connection after the other; `url` is ``socket://…``. Without a connection the board's lines stay."""

    def __init__(self, board: ForeignBoard) -> None:
        super().__init__(board)
        self._server = socket.create_server(("127.0.0.1", 0))
        self._peer: socket.socket | None = None
        self.url = f"socket://127.0.0.1:{self._server.getsockname()[1]}"

    def _read(self, wait: float) -> bytes:
        ready, _, _ = select.select([self._peer or self._server], [], [], wait)
        if not ready:
            return b""
        if self._peer is None:
            self._peer, _ = self._server.accept()
            return b""
        try:
            data = self._peer.recv(4096)
        except OSError:
            data = b""
        if not data:
            self._lose()
        return data

    def _write(self) -> None:
        if self._peer is None:
            return
        try:
            self._peer.sendall(self.board.take())
        except OSError:
            self._lose()

    def _lose(self) -> None:
        peer, self._peer = self._peer, None
        if peer is not None:
            peer.close()

    def _close(self) -> None:
        self._lose()
        self._server.close()


class PtyPort(_Port):
    """A pseudo-terminal; `url` is its name, or `link`, which then leads to it."""

    def __init__(self, board: ForeignBoard, link: Path | None = None) -> None:
        super().__init__(board)
        self._near, self._far = os.openpty()
        tty.setraw(self._far)
        os.set_blocking(self._near, False)
        self._link = link
        self.url = os.ttyname(self._far)
        if link is not None:
            link.symlink_to(self.url)
            self.url = str(link)
        self._rest = b""

    def _read(self, wait: float) -> bytes:
        if select.select([self._near], [], [], wait)[0]:
            with contextlib.suppress(OSError):
                return os.read(self._near, 4096)
        return b""

    def _write(self) -> None:
        self._rest += self.board.take()
        if self._rest:
            with contextlib.suppress(BlockingIOError):
                self._rest = self._rest[os.write(self._near, self._rest) :]

    def _close(self) -> None:
        os.close(self._near)
        os.close(self._far)
        if self._link is not None:
            self._link.unlink(missing_ok=True)
