"""The recorder: what the board says goes into the spool, and only then is it acknowledged."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence

from drivers.base import Connection, Resume
from drivers.errors import DriverError, SpoolError, SpoolFull
from drivers.events import Button, Connected, Disconnected, Event, Gap, Numbered, Refused, Status

from .lights import Lamps
from .spool import Spool

log = logging.getLogger(__name__)

POLL = 0.1  # seconds that lights may wait for a board that says nothing
REOPEN_AFTER = 1.0  # seconds until a port or a spool that failed is tried again
STATUS_EVERY = 60.0  # seconds between reports of a board's health that tell nothing new


class Recorder:
    """Reads one board. One thread runs it; `wake` is called when there is something to deliver.

    `open_board` opens the board after an event, `say` tells people, `clock` is monotonic time.
    """

    def __init__(
        self,
        spool: Spool,
        lamps: Lamps,
        open_board: Callable[[Resume | None], Connection],
        wake: Callable[[], None],
        say: Callable[[str], None],
        clock: Callable[[], float],
    ) -> None:
        self._spool = spool
        self._lamps = lamps
        self._open_board = open_board
        self._wake = wake
        self._say = say
        self._clock = clock
        self._connection: Connection | None = None
        self._said = ""
        self._full = False
        self._status: tuple[float, tuple[str, ...]] | None = None  # when one was kept, and its faults

    def run(self, stop: threading.Event) -> None:
        """Record until `stop` is set, whatever happens to the board, its port and the disk."""
        try:
            while not stop.is_set():
                trouble = self._step()
                if trouble is not None:
                    self._tell(trouble)
                    self._drop()
                    stop.wait(REOPEN_AFTER)
        finally:
            self._drop()
        try:
            self._spool.append([Disconnected("its desk was stopped")])
        except SpoolError as error:
            self._say(str(error))

    def _step(self) -> str | None:
        """Read once; the answer says why that cannot go on."""
        try:
            if self._full and self._spool.waiting > self._spool.limit // 2:
                return self._said
            self._full = False
            if self._connection is None:
                self._connection = self._open_board(self._spool.resume)
            self._keep(self._connection.poll(POLL))
            guidance = self._lamps.due()
            if guidance is not None:
                self._connection.show(guidance)
        except SpoolError as error:
            self._full = isinstance(error, SpoolFull)
            return f"{error}. The board is read again when there is room; until then it keeps what it can."
        except DriverError as error:
            return f"The board cannot be read: {error}. It is tried again every second."
        except Exception as error:  # a driver is a stranger's code
            log.exception("the board's driver failed")
            return f"The board's driver failed: {type(error).__name__}: {error}. It is tried again every second."
        return None

    def _keep(self, events: Sequence[Event]) -> None:
        """Put the events on the disk, then acknowledge them."""
        kept = [event for event in events if not isinstance(event, Status) or self._is_news(event)]
        if not kept:
            return
        first = self._spool.last + 1
        self._spool.append(kept)
        self._wake()
        last: Numbered | None = None
        assert self._connection is not None
        for number, event in enumerate(kept, first):
            self._tell_of(event)
            if isinstance(event, Numbered):
                last = event
            if isinstance(event, Button):
                self._lamps.pressed(number, event.side)
        if last is not None:
            # Before the board hears that the button is safe: then it would show what its lights meant before.
            pending = self._lamps.due()
            if pending is not None:
                self._connection.show(pending)
            self._connection.acknowledge(last)

    def _is_news(self, status: Status) -> bool:
        """Whether a report of the board's health is worth keeping: a still board sends one every few seconds."""
        now = self._clock()
        if self._status is not None and self._status[1] == status.faults and now - self._status[0] < STATUS_EVERY:
            return False
        self._status = now, status.faults
        return True

    def _tell_of(self, event: Event) -> None:
        match event:
            case Connected():
                self._tell(f"Board {event.serial} is connected.")
            case Disconnected():
                self._tell(f"The board is gone: {event.reason}.")
            case Refused():
                self._tell(f"The board cannot be used: {event.reason}.")
            case Gap():
                self._tell(f"Events of the board are lost: {event.reason}.")

    def _tell(self, message: str) -> None:
        """Tell people, but not the same again and again."""
        if message != self._said:
            self._said = message
            self._say(message)

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            try:
                connection.close()
            except Exception:  # a stranger's code; what it holds is given up in any case
                log.exception("closing the board failed")
