"""The board desk: the one process that owns serial ports. `inkeek serve` starts it beside the web processes.

It opens the boards that the database says are to be open, each in a thread of its own. It meets the web processes
only in the database, where one thread looks for changes to all boards. ``python -m service.boards.desk`` runs it as a
child process with its settings from the environment.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from drivers import registry
from drivers.base import Connection, Driver, Resume
from drivers.errors import DriverError
from service.errors import NotFound, ServiceError
from service.games.repository import Games
from service.http.services import build_services
from service.processes import child_process, logs
from service.processes.ledger import keep_ledger
from service.processes.watch import SLICE, keep_watch
from service.settings import Settings, read_settings
from service.storage import BoardRow

from .bindings import Boards
from .controller import BoardController
from .identity import Identity
from .opener import Opener
from .recordings import Recordings
from .remote.driver import finder
from .status import read_status

SWITCH_EVERY = 0.001  # seconds that one board's thread may compute while others wait
GONE_AFTER = 10.0  # seconds without the board until it is looked for on other ports
REOPEN_AFTER = 1.0  # seconds until a board that could not be opened, or that failed, is opened again

log = logging.getLogger(__name__)


@dataclass
class _Worker:
    """The thread of one board. `controller` is None while the port is closed.

    `seq` and `requests` are the game event and the requests that the controller was notified of.
    """

    thread: threading.Thread
    released: threading.Event
    controller: BoardController | None = None
    seq: int = 0
    requests: set[int] = field(default_factory=set)


class Desk:
    """Opens and closes boards as the database says. `find` gives a driver by name, `clock` monotonic time."""

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
        """Work until `stop` is set, then close every port."""
        failing = False
        try:
            while not stop.is_set():
                try:
                    self._look()
                    failing = False
                except ServiceError as error:
                    if not failing:
                        log.error("the desk cannot read its boards from the database: %s", error)
                    failing = True
                    stop.wait(REOPEN_AFTER)
                stop.wait(self._settings.desk_poll)
        finally:
            for worker in self._workers.values():
                worker.released.set()
            for worker in self._workers.values():
                worker.thread.join()
            self._workers.clear()

    def _look(self) -> None:
        """Look for boards to open or close, games that changed, and requests."""
        wanted, requests = self._boards.poll()
        for board_id, worker in list(self._workers.items()):
            if board_id not in wanted:
                worker.released.set()
            elif worker.controller is not None and worker.seq != wanted[board_id]:
                worker.seq = wanted[board_id]
                worker.controller.game_changed.set()
            if not worker.thread.is_alive():
                del self._workers[board_id]
        for request in requests:  # one to a board that is not open waits
            found = self._workers.get(request.board)
            if found is not None and found.controller is not None and request.number not in found.requests:
                found.requests.add(request.number)
                found.controller.add_request(request)
        if wanted.keys() - self._workers.keys():
            self._start_workers(self._boards.open())

    def _start_workers(self, boards: list[BoardRow]) -> None:
        busy = {worker.thread.name for worker in self._workers.values()}
        for board in boards:
            # The last thread with this port must have closed it.
            if board.id not in self._workers and board.url not in busy:
                released = threading.Event()
                thread = threading.Thread(target=self._work, args=(board.id, released), name=board.url, daemon=True)
                self._workers[board.id] = _Worker(thread, released)
                busy.add(board.url)
                thread.start()

    def _work(self, board_id: str, released: threading.Event) -> None:
        """Keep one board open until it is released, whatever happens to its port."""
        opener: Opener | None = None
        while not released.is_set():
            try:
                board = self._boards.get(board_id)
                opener = opener or self._opener(board)
                self._play(board, opener, released)
            except NotFound:
                return
            except (DriverError, ServiceError) as error:
                self._report_failure(board_id, str(error))
            except Exception as error:  # a driver is foreign code; one board must not stop the rest
                log.exception("board %s", board_id)
                self._report_failure(board_id, f"{type(error).__name__}: {error}")
            released.wait(REOPEN_AFTER)

    def _opener(self, board: BoardRow) -> Opener:
        def open_with(driver: Driver, url: str, resume: Resume | None) -> Connection:
            return self._recordings.open(driver, board.id, url, resume)

        return Opener(self._find(board.driver), board.url, open_with, clock=self._clock)

    def _play(self, board: BoardRow, opener: Opener, released: threading.Event) -> None:
        worker = self._workers[board.id]
        connection = opener.open(_identity(board), board.resume, search=not self._boards.shares_serial(board))
        try:
            settled_after = self._settings.board_still
            controller = BoardController(board, connection, self._games, self._boards, self._clock, settled_after)
            controller.game_changed.set()  # perhaps since it was read
            worker.requests.clear()
            worker.controller = controller
            while not released.is_set() and not controller.leaves:
                controller.step(self._settings.desk_poll)
                if self._is_elsewhere(controller, opener):
                    break
            if controller.is_another or controller.absent_since is not None:
                opener.avoid(controller.status.port or board.url)
            if self._boards.get(board.id).wanted == "open":
                controller.finish()
        finally:
            worker.controller = None
            self._boards.presence.leave(board.id)
            connection.close()

    def _is_elsewhere(self, controller: BoardController, opener: Opener) -> bool:
        """Whether the board has been away long enough to look for it on other ports."""
        since = controller.absent_since
        if since is None or self._clock() - since < GONE_AFTER:
            return False
        controller.absent_since = self._clock()
        return opener.can_follow(_identity(controller.row))

    def _report_failure(self, board_id: str, reason: str) -> None:
        """Say why the board is not open; the rest of its status, such as a refusal, stands."""
        try:
            board = self._boards.get(board_id)
            status = read_status(board.status)
            if board.wanted == "open" and status.found is None:  # else it is said which board is there
                message = f"The board cannot be read: {reason}. The desk tries again every second."
                status = replace(status, state="failed", message=message, port_state="closed", heard=())
                self._boards.update_status(board_id, status)
        except ServiceError as error:
            log.error("board %s failed (%s), and that cannot be stored: %s", board_id, reason, error)


def _identity(board: BoardRow) -> Identity | None:
    """The board that is bound; None: the first one that plays."""
    return None if board.serial is None else Identity(board.serial, board.adapter)


def main() -> None:
    """Run the desk until a signal says stop, or the parent is gone."""
    settings = read_settings(os.environ)
    logs.set_up(settings, "desk")
    sys.setswitchinterval(SWITCH_EVERY)
    services = build_services(settings)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    child_process.watch(stop.set)
    ledger = threading.Thread(target=keep_ledger, args=(services.store, stop), name="ledger", daemon=True)
    ledger.start()
    watch = keep_watch(services.watch, stop, SLICE)
    try:
        Desk(services.games, services.boards, settings, finder(services.boards, services.inboxes)).run(stop)
    finally:
        ledger.join()
        watch.join()
        services.store.close()


if __name__ == "__main__":
    main()
