"""The board desk: the one process that owns serial ports. `inkeek serve` starts it beside the web processes.

It opens the boards that the database says are to be open, each in a thread of its own. It meets the web processes
only in the database, where one thread looks for changes to all boards. Of several desks on one database one works; the
others stand by.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from inkeek.drivers import registry
from inkeek.drivers.attention import Attention
from inkeek.drivers.base import Connection, Driver, Resume
from inkeek.drivers.errors import DriverError
from inkeek.drivers.foreign.driver import ForeignDriver
from inkeek.drivers.foreign.faults import DriverFault
from inkeek.records.errors import message_of
from inkeek.service.errors import ErrorText, NotFound, ServiceError
from inkeek.service.games.repository import Games
from inkeek.service.processes import logs
from inkeek.service.processes.heartbeats import beat
from inkeek.service.settings import Settings
from inkeek.service.storage import BoardRow
from inkeek.service.storage.clock import utc_now

from .bindings import Boards
from .controller import BoardController, BoardReleased
from .identity import Identity
from .opener import Opener
from .quarantine import QUARANTINED, TRY_AGAIN_AFTER, tried_again, with_fault
from .recordings import Recordings
from .searches import Searches
from .status import read_status

if TYPE_CHECKING:
    from inkeek.service.storage import DeskLock

    from .plugged import PluggedPorts
    from .tables import TableBoards

GONE_AFTER = 10.0  # seconds without the board until it is looked for on other ports
SEAT_EVERY = 1.0  # seconds until the boards of events are looked at whose game is over
TAKE_OVER_AFTER = 20.0  # seconds in which a desk of another machine may be started again, where its boards are
REOPEN_AFTER = 1.0  # seconds until a board that could not be opened, or that failed, is opened again

log = logging.getLogger(__name__)


@dataclass
class _Worker:
    """The thread of one board. `controller` is None while the port is closed.

    `seq` and `requests` are the game event and the requests that the controller was notified of. `retry` is set when a
    person says that a driver which was stopped is to be tried again.
    """

    thread: threading.Thread
    released: threading.Event
    controller: BoardController | None = None
    seq: int = 0
    requests: set[int] = field(default_factory=set)
    retry: threading.Event = field(default_factory=threading.Event)


class Desk:
    """Opens and closes boards as the database says. `find` gives a driver by name, `clock` monotonic time; `tables`
    brings the boards of events to the next game, `plugged` finds new boards. It works while it has the `lock`; None:
    there is no other desk. `kept`: whether only this machine has the last press."""

    def __init__(
        self,
        games: Games,
        boards: Boards,
        settings: Settings,
        find: Callable[[str], Driver] = registry.driver,
        clock: Callable[[], float] = time.monotonic,
        tables: TableBoards | None = None,
        lock: DeskLock | None = None,
        plugged: PluggedPorts | None = None,
        kept: Callable[[], bool] = lambda: False,
    ) -> None:
        self._games = games
        self._boards = boards
        self._tables = tables
        self._lock = lock
        self._plugged = plugged
        self._take_over_at: float | None = None  # while another desk works
        self._seat_at = clock()
        self._settings = settings
        self._find = find
        self._kept = kept
        self._clock = clock
        self._workers: dict[str, _Worker] = {}
        self._recordings = Recordings(settings)
        self._searches = Searches(clock)

    def run(self, stop: threading.Event) -> None:
        """Work until `stop` is set, then close every port."""
        trouble = logs.Trouble(log, "the desk cannot read its boards from the database")
        try:
            while not stop.is_set():
                beat("desk")
                try:
                    if self._may_work():
                        self._look()
                    trouble.over()
                except ServiceError as error:
                    trouble.note(error)
                    stop.wait(REOPEN_AFTER)
                stop.wait(self._settings.desk_poll)
        finally:
            for board_id in self._end_workers():
                self._report_waiting(board_id, ErrorText("The desk is stopped: nothing is heard of the board."))
            self._searches.close()
            if self._plugged is not None and self._take_over_at is None:
                with suppress(ServiceError):  # the next desk looks anew
                    self._plugged.end()
            if self._lock is not None:
                self._lock.close()

    def _may_work(self) -> bool:
        """Whether this is the one desk that works. If another one is, close every port, and stand by."""
        if self._lock is None:
            return True
        now = self._clock()
        if self._take_over_at is not None:
            other = self._boards.desk()
            if other is not None:
                self._take_over_at = now if self._lock.is_here(other) else now + TAKE_OVER_AFTER
            if other is not None or now < self._take_over_at:
                return False
        if self._lock.hold():
            if self._take_over_at is not None:
                log.warning("the other desk is gone: this one works now")
            self._take_over_at = None
            return True
        self._end_workers()
        self._take_over_at = now
        log.warning("another desk works with this database: %s. This one stands by", self._boards.desk())
        return False

    def _end_workers(self) -> list[str]:
        """Close every port. Return the boards that were open."""
        for worker in self._workers.values():
            worker.released.set()
        for worker in self._workers.values():
            worker.thread.join()
        ended = list(self._workers)
        self._workers.clear()
        return ended

    def _look(self) -> None:
        """Look for boards to open or close, games that changed, and requests."""
        if self._tables is not None and self._clock() >= self._seat_at:
            self._seat_at = self._clock() + SEAT_EVERY
            self._tables.seat_idle()
            self._boards.note_silent()
        wanted, requests = self._boards.poll()
        if self._plugged is not None:
            self._plugged.look(wanted, {worker.thread.name for worker in self._workers.values()})
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
            if found is not None and request.kind == "retry":
                found.retry.set()
                self._boards.remove_request(request)
            elif found is not None and found.controller is not None and request.number not in found.requests:
                found.requests.add(request.number)
                found.controller.add_request(request)
        if wanted.keys() - self._workers.keys():
            self._start_workers(self._boards.open())

    def _start_workers(self, boards: list[BoardRow]) -> None:
        busy = {worker.thread.name for worker in self._workers.values()}
        busy |= set() if self._plugged is None else self._plugged.asked
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
        try:
            while not released.is_set():
                pause: float | None = REOPEN_AFTER
                try:
                    board = self._boards.get(board_id)
                    if read_status(board.status).state == QUARANTINED:
                        self._await_retry(board_id, released, None)
                        continue
                    self._report_waiting(board_id, ErrorText("The desk opens %(port)s.", port=board.url))
                    opener = opener or self._opener(board, released)
                    self._play(board, opener, released)
                except NotFound:
                    return
                except DriverFault as fault:
                    if released.is_set():
                        return  # it was ended in the middle of a call
                    pause = self._report_fault(board_id, fault)
                except (DriverError, ServiceError) as error:
                    self._report_failure(board_id, message_of(error))
                except Exception as error:  # one board must not stop the rest
                    pause = TRY_AGAIN_AFTER
                    log.exception("board %s", board_id)
                    self._report_failure(board_id, f"{type(error).__name__}: {error}")
                self._await_retry(board_id, released, pause)
        finally:
            if opener is not None:
                opener.close()

    def _await_retry(self, board_id: str, released: threading.Event, pause: float | None) -> None:
        """Wait until the board is tried again: for `pause` seconds, or, None, until a person says so."""
        retry = self._workers[board_id].retry
        until = math.inf if pause is None else self._clock() + pause
        while not released.is_set() and (left := until - self._clock()) > 0:
            if retry.is_set():
                retry.clear()
                try:
                    status = read_status(self._boards.get(board_id).status)
                    if status.fault is not None or status.state == QUARANTINED:
                        self._boards.update_status(board_id, tried_again(status))
                except ServiceError as error:
                    log.error("board %s: its status cannot be stored: %s", board_id, error)
                return
            released.wait(min(left, self._settings.desk_poll))

    def _opener(self, board: BoardRow, released: threading.Event) -> Opener:
        def open_with(driver: Driver, url: str, resume: Resume | None) -> Connection:
            return self._recordings.open(driver, board.id, url, resume)

        driver = self._find(board.driver)
        if isinstance(driver, ForeignDriver):
            driver.released = released
        return Opener(driver, board.url, open_with, clock=self._clock)

    def _play(self, board: BoardRow, opener: Opener, released: threading.Event) -> None:
        worker = self._workers[board.id]
        searches = not self._boards.shares_serial(board)
        connection = opener.open(_identity(board), board.resume, search=searches, seen=self._boards.seen_at(board))
        try:
            settled_after = self._settings.board_still
            attention = Attention(self._clock())  # nothing is said of a board while nobody listens
            clock = lambda: attention.at(self._clock())  # noqa: E731
            controller = BoardController(board, connection, self._games, self._boards, clock, settled_after)
            controller.released, controller.kept = released, self._kept
            controller.explain = partial(self._searches.search, board.id, controller.wait_for_search)
            controller.game_changed.set()  # perhaps since it was read
            worker.requests.clear()
            worker.controller = controller
            with suppress(BoardReleased):
                self._step(controller, opener)
            if controller.is_another or controller.absent_since is not None:
                opener.avoid(controller.status.port or board.url, is_another=controller.is_another)
            if self._boards.get(board.id).wanted == "open":
                controller.finish()
        finally:
            worker.controller = None
            connection.close()

    def _step(self, controller: BoardController, opener: Opener) -> None:
        """Handle what the board sends until it is released, leaves, or may be on another port."""
        while not controller.released.is_set() and not controller.leaves:
            controller.step(self._settings.desk_poll)
            if self._is_elsewhere(controller, opener):
                break

    def _is_elsewhere(self, controller: BoardController, opener: Opener) -> bool:
        """Whether the board has been away long enough to look for it on other ports."""
        since, now = controller.absent_since, controller.clock()
        if since is None or now - since < GONE_AFTER:
            return False
        controller.absent_since = now
        return opener.can_follow(_identity(controller.row))

    def _report_waiting(self, board_id: str, message: str) -> None:
        """Say that nothing is heard of an open board, unless more than that is known."""
        try:
            board = self._boards.get(board_id)
            status = read_status(board.status)
            if board.wanted == "open" and status.found is None and status.state not in ("failed", QUARANTINED):
                self._boards.update_status(board_id, replace(status, state="waiting", message=message, heard=()))
        except ServiceError as error:
            log.error("board %s: its status cannot be stored: %s", board_id, error)

    def _report_fault(self, board_id: str, fault: DriverFault) -> float | None:
        """Say what a driver did; the seconds until it is tried again, None: it is left alone."""
        try:
            board = self._boards.get(board_id)
            status, entry = with_fault(read_status(board.status), fault, utc_now(), TRY_AGAIN_AFTER)
            said = f" It wrote: {fault.output}" if fault.output else ""
            log.error("board %s at %s: %s%s", board_id, board.url, status.message, said)
            self._boards.update_status(board_id, status, entry)
        except ServiceError as error:
            log.error("board %s: %s, and that cannot be stored: %s", board_id, fault, error)
            return TRY_AGAIN_AFTER
        assert status.fault is not None
        return None if status.fault.next is None else TRY_AGAIN_AFTER

    def _report_failure(self, board_id: str, reason: str) -> None:
        """Say why the board is not open; the rest of its status, such as a refusal, stands."""
        try:
            board = self._boards.get(board_id)
            status = read_status(board.status)
            if board.wanted == "open" and status.found is None:  # else it is said which board is there
                message = ErrorText(
                    "The board cannot be read: %(reason)s. The desk tries again every second.", reason=reason
                )
                if status.message != message:
                    log.warning("board %s at %s: %s", board_id, board.url, message)
                status = replace(status, state="failed", message=message, port_state="closed", heard=())
                self._boards.update_status(board_id, status)
        except ServiceError as error:
            log.error("board %s failed (%s), and that cannot be stored: %s", board_id, reason, error)


def _identity(board: BoardRow) -> Identity | None:
    """The board that is bound; None: the first one that plays."""
    return None if board.serial is None else Identity(board.serial, board.adapter)
