"""A board session on a port: reads, writes, and reopens a lost port."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Protocol, runtime_checkable

from inkeek.drivers.base import (
    ByteStream,
    Environment,
    Guidance,
    NamesPort,
    PortReport,
    RefusedLine,
    SupportsSelfTest,
    SupportsSnapshots,
)
from inkeek.drivers.errors import DriverError, TransportError
from inkeek.drivers.events import Connected, Disconnected, Event, Numbered, Refused
from inkeek.drivers.protocol.limits import REOPEN_EVERY
from inkeek.records.errors import ErrorText, message_of

MAX_HEARD = 200  # bytes that are kept for a report


class BoardSession(Protocol):
    """The protocol of one board without a port: bytes and times go in, events and bytes come out.

    It acts only when called. Examples: `protocol.session.ProtocolSession`, `boards.unnumbered.TextSession`.
    """

    @property
    def gave_up(self) -> bool:
        """Whether the board seems to be gone: the port is then closed and opened again."""

    @property
    def counters(self) -> Mapping[str, int]:
        """See `base.SupportsCounters.counters`."""

    def port_opened(self, now: float) -> None: ...

    def port_closed(self, reason: str) -> list[Event]: ...

    def receive(self, data: bytes, now: float) -> list[Event]:
        """Return the events in bytes from the board."""

    def tick(self, now: float) -> list[Event]:
        """Do what is due; called several times a second."""

    def bytes_to_send(self) -> bytes:
        """Return the bytes to send now, each once."""

    def acknowledge(self, event: Numbered) -> None: ...

    def show(self, guidance: Guidance) -> None: ...

    def calibrate(self, pit: int | None, seeds: int) -> None: ...


@runtime_checkable
class SupportsRefusedLines(Protocol):
    """A session that says why it does not accept what comes.

    `is_understood`: whether it has accepted some line since the port was opened.
    """

    is_understood: bool

    @property
    def refused_lines(self) -> Sequence[RefusedLine]:
        """The last lines that were not accepted since the port was opened; a few."""


class PortConnection:
    """A `base.Connection` made of a session and a port, which is opened at once.

    :raises DriverError: the port cannot be opened now.
    """

    def __init__(self, session: BoardSession, environment: Environment) -> None:
        self._session = session
        self._environment = environment
        self._stream: ByteStream | None = None
        self._retry_at = 0.0
        self._closed = False
        self._reason = ""  # why the port is closed
        self._heard = b""  # the last bytes since the port was opened
        self._answers = False  # whether a board does, be it one that is refused
        self._open()

    @property
    def counters(self) -> Mapping[str, int]:
        """See `base.SupportsCounters.counters`."""
        return self._session.counters

    @property
    def port_report(self) -> PortReport:
        """See `base.SupportsPortReport.port_report`."""
        if self._stream is None:
            return PortReport("closed", reason=self._reason)
        port = self._environment.open_port if isinstance(self._environment, NamesPort) else None
        lines: tuple[RefusedLine, ...] = ()
        is_understood = False
        if isinstance(self._session, SupportsRefusedLines):
            lines, is_understood = tuple(self._session.refused_lines), self._session.is_understood
        if self._answers or (is_understood and not lines):
            return PortReport("connected", port, lines=lines)
        if not lines and self._heard:
            text = self._heard.decode("latin-1").encode("unicode_escape").decode("ascii")
            lines = (RefusedLine(text, ErrorText("this is no line of a board, or its end is missing")),)
        return PortReport("unreadable" if lines else "silent", port, lines=lines)

    def poll(self, timeout: float) -> Sequence[Event]:
        """See `base.Connection.poll`. One read may exceed `timeout` by `transport.READ_WAIT`, opening a network port by
        five seconds, finding a board by its serial number by `environment.ANSWER_WITHIN`.

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
        self._session.acknowledge(event)

    def show(self, guidance: Guidance) -> None:
        self._session.show(guidance)

    def calibrate(self, pit: int | None, seeds: int = 0) -> None:
        """See `base.SupportsCalibration.calibrate`."""
        self._session.calibrate(pit, seeds)

    def request_snapshot(self) -> bool:
        """See `base.SupportsSnapshots.request_snapshot`."""
        return isinstance(self._session, SupportsSnapshots) and self._session.request_snapshot()

    def run_self_test(self, stop: bool = False) -> None:
        """See `base.SupportsSelfTest.run_self_test`."""
        if not isinstance(self._session, SupportsSelfTest):
            raise DriverError("this kind of board has no self-test")
        self._session.run_self_test(stop)

    def close(self) -> None:
        """Send what is due (such as a last acknowledgement) and release the port."""
        if self._closed:
            return
        self._closed = True
        if self._stream is not None:
            stream, self._stream = self._stream, None
            try:
                with suppress(TransportError):  # the port may be gone
                    stream.write(self._session.bytes_to_send())
            finally:
                self._session.port_closed("closed")
                stream.close()

    def _step(self, deadline: float) -> list[Event]:
        if self._stream is None and not self._reopen(deadline):
            return []
        assert self._stream is not None
        events: list[Event] = []
        try:
            self._stream.write(self._session.bytes_to_send())
            data = self._stream.read()
            self._heard = (self._heard + data)[-MAX_HEARD:]
            now = self._environment.clock()
            events += self._session.receive(data, now)
            events += self._session.tick(now)
            if self._session.gave_up:
                self._drop(ErrorText("the board was silent"))
            else:
                self._stream.write(self._session.bytes_to_send())
        except TransportError as error:
            self._drop(message_of(error))
            events += self._session.port_closed(message_of(error))
        for event in events:
            if isinstance(event, Connected | Disconnected | Refused):
                self._answers = not isinstance(event, Disconnected)
        return events

    def _reopen(self, deadline: float) -> bool:
        now = self._environment.clock()
        if now < self._retry_at:
            self._environment.wait(max(0.0, min(deadline, self._retry_at) - now))
            return False
        try:
            self._open()
        except TransportError as error:  # still away: the caller had `Disconnected` once
            self._reason = message_of(error)
            self._retry_at = self._environment.clock() + REOPEN_EVERY
            return False
        return True

    def _open(self) -> None:
        self._stream = self._environment.open()
        self._heard = b""
        self._session.port_opened(self._environment.clock())

    def _drop(self, reason: str) -> None:
        self._reason, self._answers = reason, False
        stream, self._stream = self._stream, None
        self._retry_at = self._environment.clock() + REOPEN_EVERY
        if stream is not None:
            with suppress(TransportError):  # the loss itself is reported
                stream.close()
