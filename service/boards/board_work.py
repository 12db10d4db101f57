"""The work of one board: its port is kept open, and a controller plays its game, whatever happens to the port.

It runs in a thread, or in a process of its own (`board_process`).
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from inkeek.drivers import registry
from inkeek.drivers.attention import Attention
from inkeek.drivers.base import Connection, Driver, Environment, Resume, SupportsRecording
from inkeek.drivers.errors import DriverError, RecordingError
from inkeek.drivers.gate import Gate
from inkeek.drivers.ports.environment import check_url
from inkeek.drivers.ports.transport import real_name
from inkeek.drivers.recording.file import MAX_SIZE, Header, RecordingWriter
from inkeek.drivers.recording.recorder import record
from inkeek.records import __version__
from inkeek.records.errors import joined_texts, message_of
from inkeek.service.errors import ErrorText, NotFound, ServiceError
from inkeek.service.games.repository import Games
from inkeek.service.settings import Settings
from inkeek.service.storage import BoardRow
from inkeek.service.storage.clock import Clock, stamp, utc_now

from .bindings import Boards
from .controller import BoardController, BoardReleased
from .identity import Identity
from .searches import Searches
from .status import read_status

log = logging.getLogger(__name__)

NAMES = "????????T??????.??????Z-*.jsonl"
FOLDER_SHARE = 4  # a file takes at most this part of the folder, so one long session does not replace all others


class Recordings:
    """Records sessions if the settings say so."""

    def __init__(self, settings: Settings, clock: Clock = utc_now) -> None:
        self._folder = Path(settings.recordings) if settings.recordings else None
        self._size = settings.recordings_size
        self._clock = clock

    def open(self, driver: Driver, board_id: str, url: str, resume: Resume | None) -> Connection:
        """Open the board, and record the session if possible. Without a recording the board is opened too.

        :raises DriverError: as `Driver.open`.
        """
        if self._folder is None:
            return driver.open(url, resume)
        try:
            return record(driver, url, resume, lambda: RecordingWriter(*self._file(driver, board_id, url, resume)))
        except RecordingError as error:
            log.warning("no recording of board %s at %s: %s", board_id, url, error)
            return driver.open(url, resume)

    def _file(self, driver: Driver, board_id: str, url: str, resume: Resume | None) -> tuple[Path, Header, int]:
        """Make room for a recording: its path, its header, and how many bytes it may have."""
        assert self._folder is not None
        now = self._clock()
        limit = min(MAX_SIZE, self._size // FOLDER_SHARE)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            make_room(self._folder, self._size - limit)
        except OSError as error:
            raise RecordingError(f"cannot record to {self._folder}: {error.strerror}") from error
        path = self._folder / f"{now:%Y%m%dT%H%M%S.%fZ}-{board_id}.jsonl"
        return path, Header(driver.name, url, stamp(now), f"inkeek {__version__}", resume), limit


def make_room(folder: Path, size: int) -> None:
    """Delete the oldest recordings until the rest have at most `size` bytes.

    :raises OSError: the folder cannot be read, or a file cannot be deleted.
    """
    files = sorted(folder.glob(NAMES), reverse=True)  # their names begin with the time
    kept = 0
    for file in files:
        kept += file.stat().st_size
        if kept > size:
            file.unlink()


AVOIDED_FOR = 10.0  # seconds that a port is left alone on which another board was found


class RememberingDriver:
    """The driver it is made of; its environment for a ``board:`` URL, which knows the ports it has asked, is kept until
    another one is searched."""

    def __init__(self, driver: Driver) -> None:
        assert isinstance(driver, SupportsRecording)
        self.name, self.title = driver.name, driver.title
        self.check_url = getattr(driver, "check_url", check_url)
        self._driver: SupportsRecording = driver
        self._searches: dict[str, Environment] = {}

    def open(self, url: str, resume: Resume | None = None) -> Connection:
        """See `base.Driver.open`."""
        return self.connect(self.environment(url), resume)

    def environment(self, url: str) -> Environment:
        """See `base.SupportsRecording.environment`."""
        if not url.startswith("board:"):
            return self._driver.environment(url)
        if url not in self._searches:
            self._searches = {url: self._driver.environment(url)}
        return self._searches[url]

    def connect(self, environment: Environment, resume: Resume | None = None) -> Connection:
        """See `base.SupportsRecording.connect`."""
        return self._driver.connect(environment, resume)


class Opener:
    """Opens one board again and again. `open_with` opens a URL with a driver; `ports` lists this machine's ports."""

    def __init__(
        self,
        driver: Driver,
        url: str,
        open_with: Callable[[Driver, str, Resume | None], Connection],
        ports: Callable[[], Sequence[registry.Port]] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._driver = RememberingDriver(driver) if isinstance(driver, SupportsRecording) else driver
        self._url = url
        self._open_with = open_with
        self._ports = ports or registry.ports
        self._clock = clock
        self._bound: Identity | None = None
        self._avoided: dict[str, tuple[float, str]] = {}  # until when, and why, by URL

    def open(
        self, bound: Identity | None, resume: Resume | None, *, search: bool = True, seen: Sequence[str] = ()
    ) -> Connection:
        """Open the port of the `bound` board; None: of whichever is there. Without `search` other ports are not asked
        for its serial number. `seen`: other ports where it was seen.

        :raises DriverError: it cannot be opened now, or the board is on no port.
        """
        if bound != self._bound:
            self._bound = bound
            self._avoided.clear()
        problems: list[str] = []
        for url in dict.fromkeys(self._candidates(bound, search, seen)):
            until, why = self._avoided.get(url, (0.0, ""))
            if until > self._clock():
                problems.append(why)
                continue
            try:
                return self._open_with(self._driver, url, resume)
            except DriverError as error:
                problems.append(message_of(error))
        raise DriverError(joined_texts(problems, "; "))

    def avoid(self, url: str, *, is_another: bool) -> None:
        """Leave this port alone for a while: another board is there, or nobody."""
        why = ErrorText("nobody answered at %(port)s", port=url)
        if is_another:
            why = ErrorText("another board is at %(port)s", port=url)
        self._avoided[url] = self._clock() + AVOIDED_FOR, why

    def can_follow(self, bound: Identity | None) -> bool:
        """Whether the board may be found on another port."""
        return len(self._candidates(bound, True, ())) > 1 and any(port.url != self._url for port in self._ports())

    def _candidates(self, bound: Identity | None, searches: bool, seen: Sequence[str]) -> list[str]:
        """The URLs where the board may be, the likeliest first."""
        home = self._url
        if bound is None or "://" in home or home.startswith(("board:", "recorded:")):
            return [home, *seen]
        found = [home, *seen]
        if bound.adapter is not None:
            there = [port.url for port in self._ports() if port.serial_number == bound.adapter]
            if len(there) == 1 and real_name(there[0]) != real_name(home):
                found.insert(0, there[0])
        search = f"board:{bound.serial}"
        if searches and bound.has_name(self._driver.name):
            try:
                if isinstance(self._driver, RememberingDriver):
                    registry.check_url(self._driver, search)
                    found.append(search)
            except DriverError:  # this driver cannot search, or not for such a number
                return found
        return found


GONE_AFTER = 10.0  # seconds without the board until it is looked for on other ports
REOPEN_AFTER = 1.0  # seconds until a board that could not be opened, or that failed, is opened again
TRY_AGAIN_AFTER = 10.0  # seconds until a board is opened again at which something failed that never should


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
