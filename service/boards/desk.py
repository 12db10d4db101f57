"""The board desk: the one process that owns serial ports. `inkeek serve` starts it beside the web processes.

It has the work done of the boards that the database says are to be open, each in a thread or a process of its own. It
meets the web processes only in the database, where one thread looks for changes to all boards. Of several desks on one
database one works; the others stand by.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from inkeek.drivers import registry
from inkeek.drivers.attention import PAUSE
from inkeek.drivers.base import Driver
from inkeek.service.errors import ErrorText, ServiceError
from inkeek.service.games.repository import Games
from inkeek.service.processes import logs
from inkeek.service.processes.heartbeats import beat
from inkeek.service.settings import Settings
from inkeek.service.storage import BoardRow, RequestRow
from inkeek.service.storage.clock import utc_now

from .bindings import SILENT_AFTER, Boards
from .board_work import REOPEN_AFTER, TRY_AGAIN_AFTER, BoardThread, BoardWork, report_waiting
from .quarantine import QUARANTINED, tried_again, with_fault
from .searches import Searches
from .status import read_status

if TYPE_CHECKING:
    from inkeek.service.storage.database.machines import DeskLock

    from .board_process import BoardProcess
    from .plugged import PluggedPorts
    from .tables import TableBoards

SEAT_EVERY = 1.0  # seconds until the boards of events are looked at whose game is over
TAKE_OVER_AFTER = 20.0  # seconds in which a desk of another machine may be started again, where its boards are

log = logging.getLogger(__name__)


@dataclass
class _Open:
    """A board that is open. `seq`, `request`: the last event of its game and the last request that it was told of."""

    worker: BoardThread | BoardProcess
    seq: int = 0
    request: int = 0


class Desk:
    """Opens and closes boards as the database says. `find` gives a driver by name, `clock` monotonic time; `tables`
    brings the boards of events to the next game, `plugged` finds new boards. It works while it has the `lock`; None:
    there is no other desk. `kept`: whether only this machine has the last press. `apart` starts the process of a board
    that has one of its own; None: a thread does its work."""

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
        apart: Callable[[BoardRow, Settings], BoardProcess | None] = lambda board, settings: None,
    ) -> None:
        self._games = games
        self._boards = boards
        self._tables = tables
        self._lock = lock
        self._plugged = plugged
        self._take_over_at: float | None = None  # while another desk works
        self._seat_at = clock()
        self._silent_at = clock() + SILENT_AFTER  # when silence says something: nobody could be heard before
        self._settings = settings
        self._find = find
        self._kept = kept
        self._apart = apart
        self._clock = clock
        self._open: dict[str, _Open] = {}
        self._resting: dict[str, float] = {}  # boards that are left alone, and until when
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
                text = ErrorText("The desk is stopped: nothing is heard of the board.")
                report_waiting(self._boards, board_id, text)
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
        for board in self._open.values():
            board.worker.release()
        for board in self._open.values():
            board.worker.end()
        ended = list(self._open)
        self._open.clear()
        return ended

    def _look(self) -> None:
        """Look for boards to open or close, games that changed, and requests."""
        now = self._clock()
        if self._tables is not None and now >= self._seat_at:
            if now - self._seat_at > PAUSE:
                self._silent_at = now + SILENT_AFTER
            self._seat_at = now + SEAT_EVERY
            self._tables.seat_idle()
            if now >= self._silent_at:
                self._boards.note_silent()
        wanted, requests = self._boards.poll()
        if self._plugged is not None:
            self._plugged.look(wanted, {board.worker.url for board in self._open.values()})
        asked = {request.board: request.number for request in requests}
        for board_id, board in list(self._open.items()):
            news = wanted.get(board_id), asked.get(board_id, board.request)
            if board_id not in wanted:
                board.worker.release()
            elif news != (board.seq, board.request):
                board.seq, board.request = wanted[board_id], news[1]
                board.worker.tell()
            if not board.worker.is_alive():
                del self._open[board_id]
                if board.worker.fault is not None:
                    self._report_fault(board_id, board.worker.fault)
        for request in requests:
            if request.kind == "retry":
                self._try_again(request)
        self._resting = {one: until for one, until in self._resting.items() if one in wanted and until > now}
        if wanted.keys() - self._open.keys() - self._resting.keys():
            self._start_workers([board for board in self._boards.open() if board.id in wanted])

    def _start_workers(self, boards: list[BoardRow]) -> None:
        busy = {board.worker.url for board in self._open.values()}
        busy |= set() if self._plugged is None else self._plugged.asked
        for board in boards:
            if read_status(board.status).state == QUARANTINED:
                self._resting[board.id] = math.inf
            # The last one with this port must have closed it.
            elif board.id not in self._open.keys() | self._resting.keys() and board.url not in busy:
                try:
                    self._open[board.id] = _Open(self._started(board))
                    busy.add(board.url)
                except (OSError, EOFError) as error:  # EOFError: the fork server has ended
                    log.error("board %s at %s: its process cannot be started: %s", board.id, board.url, error)
                    self._resting[board.id] = self._clock() + TRY_AGAIN_AFTER

    def _started(self, board: BoardRow) -> BoardThread | BoardProcess:
        process = self._apart(board, self._settings)
        if process is not None:
            return process
        work = BoardWork(
            board.id, self._games, self._boards, self._settings, self._searches, self._find, self._clock, self._kept
        )
        return BoardThread(work, board.url)

    def _try_again(self, request: RequestRow) -> None:
        """A person says that a driver is to be tried again now."""
        self._boards.remove_request(request)
        self._resting.pop(request.board, None)
        status = read_status(self._boards.get(request.board).status)
        if status.fault is not None:
            self._boards.update_status(request.board, tried_again(status))

    def _report_fault(self, board_id: str, reason: str) -> None:
        """Say how the process of a board ended, and leave the board alone for a while, or until a person says so."""
        self._resting[board_id] = self._clock() + TRY_AGAIN_AFTER
        try:
            board = self._boards.get(board_id)
            status, entry = with_fault(board, reason, utc_now(), TRY_AGAIN_AFTER)
            log.error("board %s at %s: %s", board_id, board.url, status.message)
            self._boards.update_status(board_id, status, entry)
        except ServiceError as error:
            log.error("board %s: %s, and that cannot be stored: %s", board_id, reason, error)
