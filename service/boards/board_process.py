"""The work of one board in a process of its own: what its driver does wrong harms no other board.

The process says again and again that it goes on. The desk ends one that does not, and starts another one in its place.
"""

from __future__ import annotations

import gc
import logging
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterable
from contextlib import suppress
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from inkeek.drivers import registry
from inkeek.drivers.attention import Attention
from inkeek.drivers.errors import MessageError, UnknownDriverError
from inkeek.drivers.events import Event
from inkeek.drivers.gate import Gate
from inkeek.drivers.recording.json_form import event_json
from inkeek.records.errors import ErrorText
from inkeek.service.games.repository import Games
from inkeek.service.processes import system
from inkeek.service.processes.child_process import end_with_parent
from inkeek.service.processes.workers.calculator import CONTEXT
from inkeek.service.settings import Settings
from inkeek.service.storage import BoardRow
from inkeek.service.storage.store import Store

from .bindings import Boards
from .board_work import BoardWork
from .searches import Searches

SILENT_FOR = 30.0  # seconds after which a process that says nothing is ended
STARTS_WITHIN = 120.0  # the same until it says something for the first time: the machine may be busy
BEAT_EVERY = 0.5  # seconds
RELEASE_WITHIN = 3.0  # seconds that it has to close its port
MEMORY = 512 << 20  # bytes of address space that it may need besides what it has at the start
SHARE, WINDOW = 0.75, 10.0  # of a processor that it may use on average over so many seconds
MAX_EVENTS = 10_000  # that one call returns
MAX_TEXT = 500  # characters of what a driver says that are kept
SWITCH_EVERY = 0.001  # seconds that a thread of a driver may compute while others wait
TELL, RELEASE = "tell", "release"  # what the desk sends
BEAT, LOG, FAULT = "beat", "log", "fault"  # what the process sends

log = logging.getLogger(__name__)


class BoardProcess:
    """The process of a board. `fault` says how it ended, if nobody has released the board."""

    def __init__(self, board: BoardRow, settings: Settings) -> None:
        """:raises OSError, EOFError: it cannot be started."""
        self.url = board.url
        self.fault: str | None = None
        self._channel, there = CONTEXT.Pipe()
        with there:
            self._process = CONTEXT.Process(  # type: ignore[attr-defined]
                target=_run, args=(there, board.id, board.driver, settings), name=f"board {board.id}"
            )
            self._process.start()
        self._heard = time.monotonic()
        self._patience = STARTS_WITHIN
        self._attention = Attention(self._heard)  # a pause of this machine is also one of the process
        self._released: float | None = None
        self._has_ended = False

    def is_alive(self) -> bool:
        """Whether it goes on. One that is silent, or takes long to close its port, is ended here."""
        if self._has_ended:
            return False
        now = self._attention.at(time.monotonic())
        with suppress(EOFError, OSError):  # it has just ended
            while self._channel.poll():
                self._take(self._channel.recv(), now)
        if not self._process.is_alive():
            self._end(self._status())
        elif self._released is not None and now - self._released > RELEASE_WITHIN:
            self._end("")
        elif now - self._heard > self._patience:
            self._end(ErrorText("it gave no sign of life for %(seconds)g seconds", seconds=self._patience))
        return not self._has_ended

    def tell(self) -> None:
        """See `BoardWork.tell`."""
        with suppress(OSError):
            self._channel.send(TELL)

    def release(self) -> None:
        """Have it close its port soon."""
        if self._released is None:
            self._released = self._attention.at(time.monotonic())
            with suppress(OSError):
                self._channel.send(RELEASE)

    def end(self) -> None:
        """Wait until it has ended."""
        self.release()
        while self.is_alive():
            self._process.join(0.05)

    def _take(self, message: tuple[Any, ...], now: float) -> None:
        self._heard, self._patience = now, SILENT_FOR
        if message[0] == LOG:
            log.log(message[1], "%s", message[2])
        elif message[0] == FAULT:
            self.fault = message[1]

    def _status(self) -> str:
        status = self._process.exitcode
        if status is not None and status < 0:
            with suppress(ValueError):
                return ErrorText("its process was killed by %(signal)s", signal=signal.Signals(-status).name)
        return ErrorText("its process ended with status %(status)s", status=status)

    def _end(self, why: str) -> None:
        """Kill it, with all that it started in its group."""
        system.kill(self._process)
        self._process.kill()
        self._process.join()
        self._process.close()
        self._channel.close()
        self._has_ended = True
        self.fault = None if self._released is not None else self.fault or why


def own_process(board: BoardRow, settings: Settings) -> BoardProcess | None:
    """The process of a board that needs one: it runs code of another distribution, or may do so.

    :raises OSError, EOFError: it cannot be started.
    """
    try:
        is_strange = board.driver == "recorded" or not registry.is_own(board.driver)
    except UnknownDriverError:
        is_strange = False
    return BoardProcess(board, settings) if is_strange else None


class StrictGate(Gate):
    """The gate for a driver of which nobody knows whether what it returns are events, and what it raises."""

    is_strict = True

    def admit(self, events: Iterable[Event]) -> list[Event]:
        """See `Gate.admit`.

        :raises TypeError: something is no event. :raises ValueError: there are more than `MAX_EVENTS`.
        """
        events = list(islice(events, MAX_EVENTS + 1))
        if len(events) > MAX_EVENTS:
            raise ValueError(f"poll returned more than {MAX_EVENTS} events at once")
        for event in events:
            try:
                event_json(event)
            except MessageError as error:
                raise TypeError(f"an event is not valid: {error}") from error
        return super().admit(events)


class TooMuch(Exception):
    """A driver needs too much of a processor; `reason` says how much."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _Life:
    """What the process says to the desk. With `limited`, it may use so much of a processor."""

    def __init__(self, channel: Connection, *, limited: bool) -> None:
        self._channel = channel
        self._lock = threading.Lock()
        self._limited = limited
        self._beaten = 0.0
        self._since, self._used = time.monotonic(), time.process_time()

    def say(self, *message: Any) -> None:
        with self._lock:
            self._channel.send(message)

    def beat(self) -> None:
        """Say that it goes on.

        :raises TooMuch: it needs too much of a processor.
        """
        now = time.monotonic()
        if now - self._beaten < BEAT_EVERY:
            return
        self._beaten = now
        self.say(BEAT)
        if (passed := now - self._since) < WINDOW:
            return
        used = (time.process_time() - self._used) / passed
        self._since, self._used = now, time.process_time()
        if self._limited and used > SHARE:
            reason = ErrorText(
                "it used %(used)s %% of a processor for %(seconds)s seconds; the limit is %(most)s %%",
                used=round(100 * used),
                seconds=round(passed),
                most=round(100 * SHARE),
            )
            raise TooMuch(reason)


class _LogHandler(logging.Handler):
    """Has the desk log what this process logs."""

    def __init__(self, life: _Life) -> None:
        super().__init__()
        self._life = life

    def emit(self, record: logging.LogRecord) -> None:
        self._life.say(LOG, record.levelno, self.format(record))


def _run(channel: Connection, board_id: str, driver: str, settings: Settings) -> None:
    """In the process."""
    gc.freeze()  # else the collector would copy what all of them share
    end_with_parent()
    system.lead_group()
    is_strange = not registry.is_own(driver)
    if is_strange:
        system.limit_memory(MEMORY)
        system.print_nothing()
    life = _Life(channel, limited=is_strange)
    root = logging.getLogger()
    root.handlers[:] = [_LogHandler(life)]
    root.setLevel(settings.log_level.upper())
    sys.setswitchinterval(SWITCH_EVERY)
    store = Store(settings.database_url, settings.lock_timeout, connections=1)
    searches = Searches()
    try:
        games = Games.of(store, settings)
        boards = Boards(store, max_boards=settings.max_boards)
        gate = StrictGate if is_strange else Gate
        work = BoardWork(board_id, games, boards, settings, searches, beat=life.beat, gate=gate)
        threading.Thread(target=_listen, args=(channel, work), name="desk", daemon=True).start()
        work.run()
    except BaseException as error:  # noqa: BLE001 - a driver may raise anything
        life.say(FAULT, _said(error))
    finally:
        searches.close()
        store.close()


def _listen(channel: Connection, work: BoardWork) -> None:
    while channel.recv() == TELL:
        work.tell()
    work.released.set()


def _said(error: BaseException) -> str:
    """What went wrong, and where, as one short printable text."""
    if isinstance(error, TooMuch):
        return error.reason
    if isinstance(error, MemoryError):
        return ErrorText("it needs more than %(size)s MB of memory", size=MEMORY >> 20)
    try:
        text = str(error)[:MAX_TEXT]
    except BaseException:  # noqa: BLE001 - also in __str__
        text = "?"
    text = text.encode("unicode_escape").decode("ascii") if not text.isprintable() else text
    steps = traceback.extract_tb(error.__traceback__)
    at = f" ({Path(steps[-1].filename).name}, line {steps[-1].lineno}, in {steps[-1].name})" if steps else ""
    return ErrorText("it raised %(error)s", error=f"{type(error).__name__}: {text}{at}")
