"""A board's machine on a port: reads, writes, and opens the port again when it was lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Protocol

from drivers.base import ByteStream, Environment, Guidance
from drivers.errors import DriverError, TransportError
from drivers.events import Event, Numbered
from drivers.protocol.limits import REOPEN_EVERY


class BoardSession(Protocol):
    """One board's conversation without a port (`session.Session`): bytes and times go in, events and bytes come out.

    It does nothing but in answer to these calls, and gives no bytes and no events when there is nothing to say.
    """

    @property
    def gave_up(self) -> bool:
        """Whether it takes the board for gone: the port is then opened anew."""

    @property
    def counters(self) -> Mapping[str, int]:
        """See `base.SupportsCounters.counters`."""

    def opened(self, now: float) -> None: ...

    def closed(self, reason: str) -> list[Event]: ...

    def receive(self, data: bytes, now: float) -> list[Event]: ...

    def tick(self, now: float) -> list[Event]: ...

    def take(self) -> bytes:
        """The bytes to send now; each is handed out once."""

    def acknowledge(self, event: Numbered) -> None: ...

    def guide(self, guidance: Guidance) -> None: ...

    def calibrate(self, pit: int | None, seeds: int) -> None: ...


class PortConnection:
    """A `base.Connection` of a machine and a port, which is opened at once.

    :raises DriverError: the port cannot be opened now.
    """

    def __init__(self, machine: BoardSession, environment: Environment) -> None:
        self._machine = machine
        self._environment = environment
        self._line: ByteStream | None = environment.open()
        self._retry_at = 0.0
        self._closed = False
        machine.opened(environment.clock())

    @property
    def counters(self) -> Mapping[str, int]:
        """See `base.SupportsCounters.counters`."""
        return self._machine.counters

    def poll(self, timeout: float) -> Sequence[Event]:
        """See `base.Connection.poll`; one read may exceed `timeout` by `transport.READ_WAIT`, opening a network port
        that does not answer by five seconds, looking for a board by its number by `finder.ANSWER_WITHIN`.

        :raises DriverError: the connection was closed.
        """
        deadline = self._environment.clock() + timeout
        while True:
            if self._closed:
                raise DriverError("the connection to the board is closed")
            events = self._step(deadline)
            if events or self._environment.clock() >= deadline:
                return events

    def acknowledge(self, event: Numbered) -> None:
        self._machine.acknowledge(event)

    def show(self, guidance: Guidance) -> None:
        self._machine.guide(guidance)

    def calibrate(self, pit: int | None, seeds: int = 0) -> None:
        """See `base.SupportsCalibration.calibrate`."""
        self._machine.calibrate(pit, seeds)

    def close(self) -> None:
        """Send what is due (a last acknowledgement, say) and give the port back."""
        if self._closed:
            return
        self._closed = True
        if self._line is not None:
            line, self._line = self._line, None
            try:
                with suppress(TransportError):  # a port that is gone takes no last words, and needs none
                    line.write(self._machine.take())
            finally:
                self._machine.closed("closed")
                line.close()

    def _step(self, deadline: float) -> list[Event]:
        if self._line is None and not self._open(deadline):
            return []
        assert self._line is not None
        events: list[Event] = []
        try:
            self._line.write(self._machine.take())
            data = self._line.read()
            now = self._environment.clock()
            events += self._machine.receive(data, now)
            events += self._machine.tick(now)
            if self._machine.gave_up:
                self._drop()
            else:
                self._line.write(self._machine.take())
        except TransportError as error:
            self._drop()
            events += self._machine.closed(str(error))
        return events

    def _open(self, deadline: float) -> bool:
        now = self._environment.clock()
        if now < self._retry_at:
            self._environment.wait(max(0.0, min(deadline, self._retry_at) - now))
            return False
        try:
            self._line = self._environment.open()
        except TransportError:
            # Still away: the caller has been told so by `Disconnected`, once.
            self._retry_at = self._environment.clock() + REOPEN_EVERY
            return False
        self._machine.opened(self._environment.clock())
        return True

    def _drop(self) -> None:
        line, self._line = self._line, None
        self._retry_at = self._environment.clock() + REOPEN_EVERY
        if line is not None:
            with suppress(TransportError):  # it is lost already: that is what gets reported
                line.close()
