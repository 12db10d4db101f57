"""The board desk: the one process that owns serial ports. `inkeek serve` starts it beside the web processes.

It opens what the table of boards says is to be open, one thread a board, and meets the web processes only in the
database: one thread looks there for all boards. ``python -m service.boards.desk`` runs it
as a child process, with its settings from the environment.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from drivers import registry
from drivers.base import Driver
from drivers.errors import DriverError
from service.errors import NotFound, ServiceError
from service.games.repository import Games
from service.http.services import build_services
from service.processes import child_process, logs
from service.settings import Settings, read_settings
from service.storage import BoardRow, RequestRow

from .bindings import Boards
from .controller import BoardController
from .recordings import Recordings
from .remote.driver import finder

log = logging.getLogger(__name__)


@dataclass
class _Worker:
    """Who attends to one board. `seat` is there while its port is open; `seq` is the event of its game that it was told
    of last."""

    thread: threading.Thread
    let_go: threading.Event
    seat: BoardController | None = None
    seq: int = 0
    asked: set[int] = field(default_factory=set)  # numbers of requests that it was told of


SWITCH_EVERY = 0.001  # seconds that one board's thread may keep the others waiting while it works something out
REOPEN_AFTER = 1.0  # seconds until a port that could not be opened, or a board that failed, is tried again


class Desk:
    """Opens boards and lets them go as the database says. `find` gives a driver by name, `clock` monotonic time."""

    def __init__(
        self,
        games: Games,
        boards: Boards,
        settings: Settings,
        find: Callable[[str], Driver] = registry.driver,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._games = games
        self._boards = boards
        self._settings = settings
        self._find = find
        self._clock = clock
        self._workers: dict[str, _Worker] = {}
        self._recordings = Recordings(settings)

    def run(self, stop: threading.Event) -> None:
        """Work until `stop` is set; then give every port back."""
        try:
            while not stop.is_set():
                try:
                    self._tend()
                except ServiceError as error:
                    log.error("the desk cannot read its boards: %s", error)
                    stop.wait(REOPEN_AFTER)
                stop.wait(self._settings.desk_poll)
        finally:
            for worker in self._workers.values():
                worker.let_go.set()
            for worker in self._workers.values():
                worker.thread.join()
            self._workers.clear()

    def _tend(self) -> None:
        """Look what has changed: boards to be opened or let go, games that went on elsewhere, requests."""
        wanted, requests = self._boards.watched()
        for board_id, worker in list(self._workers.items()):
            if board_id not in wanted:
                worker.let_go.set()
            elif worker.seat is not None and worker.seq != wanted[board_id]:
                worker.seq = wanted[board_id]
                worker.seat.news.set()
            if not worker.thread.is_alive():
                del self._workers[board_id]
        for request in requests:
            self._ask(request)
        if wanted.keys() - self._workers.keys():
            self._open(self._boards.open())

    def _open(self, boards: list[BoardRow]) -> None:
        busy = {worker.thread.name for worker in self._workers.values()}
        for board in boards:
            # A port is opened again only when its last holder has let it go.
            if board.id not in self._workers and board.url not in busy:
                let_go = threading.Event()
                thread = threading.Thread(target=self._attend, args=(board.id, let_go), name=board.url, daemon=True)
                self._workers[board.id] = _Worker(thread, let_go)
                busy.add(board.url)
                thread.start()

    def _ask(self, request: RequestRow) -> None:
        """Hand a request on, once, to a board that is open; else it waits."""
        worker = self._workers.get(request.board)
        if worker is not None and worker.seat is not None and request.number not in worker.asked:
            worker.asked.add(request.number)
            worker.seat.tell(request)

    def _attend(self, board_id: str, let_go: threading.Event) -> None:
        """Keep one board open until it is released, whatever happens to its port."""
        while not let_go.is_set():
            try:
                self._sit(self._boards.get(board_id), let_go)
            except NotFound:
                return
            except (DriverError, ServiceError) as error:
                self._failed(board_id, str(error))
                let_go.wait(REOPEN_AFTER)
            except Exception as error:  # a driver is a stranger's code; one board must not stop the rest
                log.exception("board %s", board_id)
                self._failed(board_id, f"{type(error).__name__}: {error}")
                let_go.wait(REOPEN_AFTER)

    def _sit(self, board: BoardRow, let_go: threading.Event) -> None:
        resume = None if board.boot is None else (board.boot, board.seq)
        worker = self._workers[board.id]
        connection = self._recordings.open(self._find(board.driver), board.id, board.url, resume)
        try:
            still_after = self._settings.board_still
            seat = BoardController(board, connection, self._games, self._boards, self._clock, still_after)
            seat.news.set()  # what happened to the game since it was read
            worker.asked.clear()
            worker.seat = seat
            while not let_go.is_set():
                seat.step(self._settings.desk_poll)
            if self._boards.get(board.id).wanted == "open":
                seat.finish()
        finally:
            worker.seat = None
            connection.close()

    def _failed(self, board_id: str, reason: str) -> None:
        """Say why the board is not open; what it said before, a refusal say, still stands."""
        try:
            board = self._boards.get(board_id)
            if board.wanted == "open":
                message = f"The board cannot be read: {reason}. It is tried again every second."
                self._boards.report(board_id, {**board.status, "state": "failed", "message": message})
        except ServiceError as error:
            log.error("board %s failed (%s), and that cannot be stored: %s", board_id, reason, error)


def main() -> None:
    """Run the desk until the parent lets go or a signal says stop."""
    settings = read_settings(os.environ)
    logs.set_up(settings, "desk")
    sys.setswitchinterval(SWITCH_EVERY)
    services = build_services(settings)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    child_process.watch(stop.set)
    try:
        Desk(services.games, services.boards, settings, finder(services.boards, services.inboxes)).run(stop)
    finally:
        services.store.close()


if __name__ == "__main__":
    main()
