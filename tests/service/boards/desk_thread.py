"""A desk at work beside the test."""

import threading
from functools import partial
from typing import Any

from inkeek.service.boards.desk import Desk


class DeskThread:
    """A desk in a thread. `more` is for `Desk`, such as what returns a driver by its name."""

    def __init__(self, services: Any, *more: Any, **named: Any) -> None:
        self._desk = partial(Desk, services.games, services.boards, services.settings, *more, **named)
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start a new desk."""
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._desk().run, args=(self._stop,))
        self._thread.start()

    def end(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(60)
            assert not self._thread.is_alive()

    def __enter__(self) -> None:
        self.start()

    def __exit__(self, *_: object) -> None:
        self.end()
