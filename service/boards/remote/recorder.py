"""The recorder: an event of the board is acknowledged once it is in the spool."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence

from drivers.base import Connection, Resume
from drivers.errors import DriverError, SpoolError, SpoolFull
from drivers.events import Button, Connected, Disconnected, Event, Gap, Numbered, Refused, Status

from .lights import BoardLights
from .spool import Spool

POLL = 0.1  # seconds that new lights may wait for a silent board
REOPEN_AFTER = 1.0  # seconds until a port or a spool that failed is tried again
STATUS_EVERY = 60.0  # seconds between health reports that say nothing new

log = logging.getLogger(__name__)


class Recorder:
    """Reads one board, in one thread. `open_board` opens it after an event, `notify` tells people,
    `wake_uploader` is called when there is something to deliver, and `clock` is monotonic time."""

    def __init__(
        self,
        spool: Spool,
        lights: BoardLights,
        open_board: Callable[[Resume | None], Connection],
        wake_uploader: Callable[[], None],
        notify: Callable[[str], None],
        clock: Callable[[], float],
    ) -> None:
        self._spool = spool
        self._lights = lights
        self._open_board = open_board
        self._wake_uploader = wake_uploader
        self._notify_people = notify
        self._clock = clock
        self._connection: Connection | None = None
        self._last_message = ""
        self._is_full = False
        self._status: tuple[float, tuple[str, ...]] | None = None  # when the last health report was kept, its faults

    def run(self, stop: threading.Event) -> None:
        """Record until `stop` is set, whatever happens to the board, its port and the disk."""
        try:
            while not stop.is_set():
                problem = self._step()
                if problem is not None:
                    self._notify(problem)
                    self._close()
                    stop.wait(REOPEN_AFTER)
        finally:
            self._close()
        try:
            self._spool.append([Disconnected("inkeek board attach was stopped")])
        except SpoolError as error:
            self._notify_people(str(error))

    def _step(self) -> str | None:
        """Read once; the problem if that failed."""
        try:
            if self._is_full and self._spool.waiting > self._spool.limit // 2:
                return self._last_message
            self._is_full = False
            if self._connection is None:
                self._connection = self._open_board(self._spool.resume)
            self._keep(self._connection.poll(POLL))
            self._show(self._connection)
        except SpoolError as error:
            self._is_full = isinstance(error, SpoolFull)
            return f"{error}. The board keeps what it can, and is read again once there is room."
        except DriverError as error:
            return f"The board cannot be read: {error}. It is tried again every second."
        except Exception as error:  # a driver is foreign code
            log.exception("the board's driver failed")
            return f"The board's driver failed: {type(error).__name__}: {error}. It is tried again every second."
        return None

    def _show(self, connection: Connection) -> None:
        guidance = self._lights.take_next()
        if guidance is not None:
            connection.show(guidance)

    def _keep(self, events: Sequence[Event]) -> None:
        """Put the events into the spool, then acknowledge them."""
        kept = [event for event in events if not isinstance(event, Status) or self._is_worth_keeping(event)]
        if not kept:
            return
        first = self._spool.last + 1
        self._spool.append(kept)
        self._wake_uploader()
        last: Numbered | None = None
        assert self._connection is not None
        for number, event in enumerate(kept, first):
            self._notify_of(event)
            if isinstance(event, Numbered):
                last = event
            if isinstance(event, Button):
                self._lights.button_pressed(number, event.side)
        if last is not None:
            # First the blinking row: after the acknowledgment the board would take its old lights for the answer.
            self._show(self._connection)
            self._connection.acknowledge(last)

    def _is_worth_keeping(self, status: Status) -> bool:
        """Whether a health report says something new: an idle board sends one every few seconds."""
        now = self._clock()
        if self._status is not None and self._status[1] == status.faults and now - self._status[0] < STATUS_EVERY:
            return False
        self._status = now, status.faults
        return True

    def _notify_of(self, event: Event) -> None:
        match event:
            case Connected():
                self._notify(f"Board {event.serial} is connected.")
            case Disconnected():
                self._notify(f"The board is disconnected: {event.reason}.")
            case Refused():
                self._notify(f"The board cannot be used: {event.reason}.")
            case Gap():
                self._notify(f"Events of the board were lost: {event.reason}.")

    def _notify(self, message: str) -> None:
        """Tell people, but not the same again and again."""
        if message != self._last_message:
            self._last_message = message
            self._notify_people(message)

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            try:
                connection.close()
            except Exception:  # foreign code; the connection is given up in any case
                log.exception("closing the board failed")
