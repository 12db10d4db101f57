"""The recorder: an event of the board is acknowledged once it is in the spool."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence

from inkeek.drivers.base import Connection, Resume
from inkeek.drivers.errors import DriverError, SpoolError, SpoolFull
from inkeek.drivers.events import Button, Connected, Disconnected, Event, Gap, Numbered, Refused, Status
from inkeek.drivers.foreign.faults import DriverFault
from inkeek.drivers.gate import Gate
from inkeek.service.boards.identity import Identity, clean_serial
from inkeek.service.boards.quarantine import TRY_AGAIN_AFTER

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
        driver: str = "",
        avoid_port: Callable[[], None] = lambda: None,
    ) -> None:
        """:param driver: its name. :param avoid_port: called when another board than the bound one is on the port."""
        self._spool = spool
        self._lights = lights
        self._open_board = open_board
        self._wake_uploader = wake_uploader
        self._notify_people = notify
        self._clock = clock
        self._driver = driver
        self._avoid_port = avoid_port
        self._found: str | None = None  # the serial number of the board on the port
        self._refused: str | None = None  # the serial number of the refused board that was reported last
        self._connection: Connection | None = None
        self._gate = Gate()
        self._last_message = ""
        self._is_full = False
        self._pause = REOPEN_AFTER  # until the port is opened again
        self._status: tuple[float, Status] | None = None  # when the last health report was kept, and what it said

    def run(self, stop: threading.Event) -> None:
        """Record until `stop` is set, whatever happens to the board, its port and the disk."""
        try:
            while not stop.is_set():
                problem = self._step()
                if problem is not None:
                    self._notify(problem)
                    self._close()
                    stop.wait(self._pause)
        finally:
            self._close()
        try:
            self._spool.append([Disconnected("inkeek board attach was stopped")])
        except SpoolError as error:
            self._notify_people(str(error))

    def _step(self) -> str | None:
        """Read once; the problem if that failed."""
        self._pause = REOPEN_AFTER
        try:
            if self._is_full and self._spool.waiting > self._spool.limit // 2:
                return self._last_message
            self._is_full = False
            if self._connection is None:
                self._connection = self._open_board(self._spool.resume)
            if self._is_other(self._found):
                self._close()  # the service has bound another board meanwhile
                return None
            events = self._gate.admit(self._connection.poll(POLL))
            for refusal in self._gate.take_refusals():
                self._notify(
                    f"An event of the board ({refusal.kind}) does not fit it and is refused: {refusal.reason}."
                )
            other = next((at for at, event in enumerate(events) if self._is_other_board(event)), None)
            if other is not None:
                return self._refuse(events[:other], events[other])
            self._keep(events)
            self._show(self._connection)
        except SpoolError as error:
            self._is_full = isinstance(error, SpoolFull)
            return f"{error}. The board keeps what it can, and is read again once there is room."
        except DriverFault as fault:
            self._pause = TRY_AGAIN_AFTER
            return f"The {fault}. It is tried again every {TRY_AGAIN_AFTER:g} seconds."
        except DriverError as error:
            if self._refused is not None:
                return self._last_message  # what is there has been said
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
        reported, kept = self._status, list[Event]()
        for event in events:
            if isinstance(event, Status):
                if not self._is_worth_keeping(event, reported):
                    continue
                reported = self._clock(), event
            kept.append(event)
        if not kept:
            return
        first = self._spool.last + 1
        self._spool.append(kept)
        self._status = reported
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
        for event in kept:
            if isinstance(event, Connected) and not self._is_other_board(event):
                self._note_board(event)

    def _is_other(self, serial: str | None) -> bool:
        bound = self._spool.bound
        return serial is not None and bound is not None and Identity(serial).is_other(Identity(bound), self._driver)

    def _is_other_board(self, event: Event) -> bool:
        return isinstance(event, Connected) and self._is_other(clean_serial(event.serial))

    def _refuse(self, events: Sequence[Event], found: Event) -> str:
        """Keep what came before another board, and tell the service which one is there. It keeps its own events."""
        assert isinstance(found, Connected)
        serial = clean_serial(found.serial)
        self._keep(events)
        if serial != self._refused:
            self._keep([found])
            self._refused = serial
        self._avoid_port()
        return (
            f"Board {serial} is on the port, but board {self._spool.bound} is bound: nothing of it is recorded. "
            f"Plug in board {self._spool.bound}, or confirm board {serial} on the service's page or with --serial."
        )

    def _note_board(self, board: Connected) -> None:
        """Note the board whose events are recorded from now on."""
        self._found, self._refused = clean_serial(board.serial), None
        if self._spool.bound is None and Identity(self._found).has_name(self._driver):
            self._spool.bind_serial(self._found)

    def _is_worth_keeping(self, status: Status, last: tuple[float, Status] | None) -> bool:
        """Whether a health report says something new after the `last` one: an idle board sends many."""
        return last is None or status.is_news(last[1]) or self._clock() - last[0] >= STATUS_EVERY

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
        connection, self._connection, self._found = self._connection, None, None
        if connection is not None:
            try:
                connection.close()
            except Exception:  # foreign code; the connection is given up in any case
                log.exception("closing the board failed")
