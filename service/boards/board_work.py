"""The work of one board: its port is kept open, and a controller plays its game, whatever happens to the port.

It runs in a thread, or in a process of its own (`board_process`).
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial

from inkeek.drivers import registry
from inkeek.drivers.attention import Attention
from inkeek.drivers.base import Connection, Driver, Resume
from inkeek.drivers.errors import DriverError
from inkeek.drivers.gate import Gate
from inkeek.records.errors import message_of
from inkeek.service.errors import ErrorText, NotFound, ServiceError
from inkeek.service.games.repository import Games
from inkeek.service.settings import Settings
from inkeek.service.storage import BoardRow

from .bindings import Boards
from .controller import BoardController, BoardReleased
from .identity import Identity
from .opener import Opener
from .recordings import Recordings
from .searches import Searches
from .status import read_status

GONE_AFTER = 10.0  # seconds without the board until it is looked for on other ports
REOPEN_AFTER = 1.0  # seconds until a board that could not be opened, or that failed, is opened again
TRY_AGAIN_AFTER = 10.0  # seconds until a board is opened again at which something failed that never should

log = logging.getLogger(__name__)


class BoardWork:
    """Any thread may `tell` it that its game may have changed, or that something is asked of it, and set `released`.

    `find` gives a driver by name, `clock` monotonic time. `kept`: whether only this machine has the last press. `beat`
    is called again and again while all goes well. `gate` makes the gate of a connection.
    """

    def __init__(
        self,
        board_id: str,
        games: Games,
        boards: Boards,
        settings: Settings,
        searches: Searches,
        find: Callable[[str], Driver] = registry.driver,
        clock: Callable[[], float] = time.monotonic,
        kept: Callable[[], bool] = lambda: False,
        beat: Callable[[], None] = lambda: None,
        gate: Callable[[], Gate] = Gate,
    ) -> None:
        self.released = threading.Event()
        self._told = threading.Event()
        self._id = board_id
        self._games = games
        self._boards = boards
        self._settings = settings
        self._searches = searches
        self._find = find
        self._clock = clock
        self._kept = kept
        self._beat = beat
        self._gate = gate
        self._recordings = Recordings(settings)
        self._opener: Opener | None = None

    def tell(self) -> None:
        """Have it look at its game, and at what is asked of its board."""
        self._told.set()

    def run(self) -> None:
        """Keep the board open until it is released. What a driver should not raise is raised."""
        while not self.released.is_set():
            self._beat()
            try:
                board = self._boards.get(self._id)
                report_waiting(self._boards, self._id, ErrorText("The desk opens %(port)s.", port=board.url))
                self._play(board)
            except NotFound:
                return
            except (DriverError, ServiceError) as error:
                self._report_failure(message_of(error))
            self.released.wait(REOPEN_AFTER)

    def run_for_ever(self) -> None:
        """As `run`, whatever a driver raises."""
        while not self.released.is_set():
            try:
                self.run()
                return
            except Exception as error:  # one board must not stop the rest
                log.exception("board %s", self._id)
                self._report_failure(f"{type(error).__name__}: {error}")
                self.released.wait(TRY_AGAIN_AFTER)

    def _play(self, board: BoardRow) -> None:
        opener = self._opener = self._opener or self._new_opener(board)
        searches = not self._boards.shares_serial(board)
        connection = opener.open(_identity(board), board.resume, search=searches, seen=self._boards.seen_at(board))
        try:
            attention = Attention(self._clock())  # nothing is said of a board while nobody listens
            clock = lambda: attention.at(self._clock())  # noqa: E731
            settled_after = self._settings.board_still
            controller = BoardController(board, connection, self._games, self._boards, clock, settled_after)
            controller.released, controller.kept, controller.gate = self.released, self._kept, self._gate()
            controller.explain = partial(self._searches.search, board.id, partial(self._look_around, controller))
            self._told.set()  # perhaps something has changed since it was read
            with suppress(BoardReleased):
                self._step(controller, opener)
            if controller.is_another or controller.absent_since is not None:
                opener.avoid(controller.status.port or board.url, is_another=controller.is_another)
            if self._boards.get(board.id).wanted == "open":
                controller.finish()
        finally:
            connection.close()

    def _new_opener(self, board: BoardRow) -> Opener:
        def open_with(driver: Driver, url: str, resume: Resume | None) -> Connection:
            return self._recordings.open(driver, board.id, url, resume)

        return Opener(self._find(board.driver), board.url, open_with, clock=self._clock)

    def _step(self, controller: BoardController, opener: Opener) -> None:
        """Handle what the board sends until it is released, leaves, or may be on another port."""
        asked = set[int]()  # the requests that the controller knows
        while not controller.released.is_set() and not controller.leaves:
            if self._told.is_set():
                self._told.clear()
                controller.game_changed.set()
                for request in self._boards.requests_to(self._id):
                    if request.number not in asked:
                        asked.add(request.number)
                        controller.add_request(request)
            self._beat()
            controller.step(self._settings.desk_poll)
            if self._is_elsewhere(controller, opener):
                break

    def _look_around(self, controller: BoardController) -> None:
        """While a search goes on."""
        self._beat()
        controller.wait_for_search()

    def _is_elsewhere(self, controller: BoardController, opener: Opener) -> bool:
        """Whether the board has been away long enough to look for it on other ports."""
        since, now = controller.absent_since, controller.clock()
        if since is None or now - since < GONE_AFTER:
            return False
        controller.absent_since = now
        return opener.can_follow(_identity(controller.row))

    def _report_failure(self, reason: str) -> None:
        """Say why the board is not open; the rest of its status, such as a refusal, stands."""
        try:
            board = self._boards.get(self._id)
            status = read_status(board.status)
            if board.wanted == "open" and status.found is None:  # else it is said which board is there
                message = ErrorText(
                    "The board cannot be read: %(reason)s. The desk tries again every second.", reason=reason
                )
                if status.message != message:
                    log.warning("board %s at %s: %s", self._id, board.url, message)
                status = replace(status, state="failed", message=message, port_state="closed", heard=())
                self._boards.update_status(self._id, status)
        except ServiceError as error:
            log.error("board %s failed (%s), and that cannot be stored: %s", self._id, reason, error)


class BoardThread:
    """A board whose work is done by a thread."""

    fault: str | None = None  # its work never ends by one

    def __init__(self, work: BoardWork, url: str) -> None:
        self.url = url
        self._work = work
        self._thread = threading.Thread(target=work.run_for_ever, name=url, daemon=True)
        self._thread.start()

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def tell(self) -> None:
        """See `BoardWork.tell`."""
        self._work.tell()

    def release(self) -> None:
        """Have it close its port soon."""
        self._work.released.set()

    def end(self) -> None:
        """Wait until its port is closed."""
        self._thread.join()


def report_waiting(boards: Boards, board_id: str, message: str) -> None:
    """Say that nothing is heard of an open board, unless more than that is known."""
    try:
        board = boards.get(board_id)
        status = read_status(board.status)
        if board.wanted == "open" and status.found is None and status.state not in ("failed", "quarantined"):
            boards.update_status(board_id, replace(status, state="waiting", message=message, heard=()))
    except ServiceError as error:
        log.error("board %s: its status cannot be stored: %s", board_id, error)


def _identity(board: BoardRow) -> Identity | None:
    """The board that is bound; None: the first one that plays."""
    return None if board.serial is None else Identity(board.serial, board.adapter)
