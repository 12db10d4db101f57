"""A real port with a foreign board behind it: a pseudo-terminal. A thread passes the bytes."""

from __future__ import annotations

import contextlib
import os
import select
import threading
import tty
from pathlib import Path

from .board import ForeignBoard

STEP = 0.01  # seconds between two looks at the board


class PtyPort:
    """A pseudo-terminal on which `board` answers while the context is open. Another board may be assigned at any time.

    `url` is its name, or `link`, which then leads to it.
    """

    def __init__(self, board: ForeignBoard, link: Path | None = None) -> None:
        self.board = board
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run, name="foreign board", daemon=True)
        self._near, self._far = os.openpty()
        tty.setraw(self._far)
        os.set_blocking(self._near, False)
        self._link = link
        self.url = os.ttyname(self._far)
        if link is not None:
            link.symlink_to(self.url)
            self.url = str(link)
        self._rest = b""

    def __enter__(self) -> PtyPort:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
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
