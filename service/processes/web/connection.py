"""Deadlines of connections, around any protocol: for headers, for silence, and for reading what was sent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import h11

SLOWEST = 16 << 10  # bytes per second
WRITE_TIMEOUTS = 6  # how many times the timeout a client may take longer to read what is sent than at `SLOWEST`
BUFFER = 64 << 10  # bytes that wait in this process for a client that does not read


class ConnectionLimits:
    """What the connections of a process share: `total` may be open, and each is closed after `timeout` seconds without
    the headers of a request."""

    def __init__(self, total: int, timeout: float) -> None:
        self.total = total
        self.timeout = timeout
        self.open = 0


class WebConnection(asyncio.Protocol):
    """A connection to a client, which `protocol` serves: the protocol of the web server, of which this knows only what
    all have."""

    def __init__(self, limits: ConnectionLimits, protocol: asyncio.Protocol) -> None:
        self.is_gone = False
        self.hang_up_calls: list[Callable[[], None]] = []
        self._limits = limits
        self._protocol = protocol
        self._loop = asyncio.get_running_loop()
        self._answering = 0  # requests
        self._idle: asyncio.TimerHandle | None = None  # while there is none
        self._unread: asyncio.TimerHandle | None = None  # while the client has to read

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._transport = transport
        transport.set_write_buffer_limits(BUFFER, 0)
        self._protocol.connection_made(transport)
        self._limits.open += 1
        if self._limits.open > self._limits.total:
            transport.abort()
        self._idle = self._loop.call_later(self._limits.timeout, self._end_idle)

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_gone = True
        self._limits.open -= 1
        for timer in (self._idle, self._unread):
            if timer is not None:
                timer.cancel()
        self._protocol.connection_lost(exc)
        calls, self.hang_up_calls = self.hang_up_calls, []
        for call in calls:
            call()

    def data_received(self, data: bytes) -> None:
        CONNECTION.set(self)
        try:
            self._protocol.data_received(data)
        except h11.LocalProtocolError:  # nonsense behind a request whose answer has begun: it gets no other answer
            self._transport.abort()

    def eof_received(self) -> bool | None:
        return self._protocol.eof_received()

    def pause_writing(self) -> None:
        self._protocol.pause_writing()
        self._unread = self._loop.call_later(self._reading_time(), self._transport.abort)

    def resume_writing(self) -> None:
        self._protocol.resume_writing()
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    @contextmanager
    def answering(self) -> Iterator[None]:
        """For the time of one request, once its headers are there. Those behind it wait."""
        self._answering += 1
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        try:
            yield
        finally:
            self.hang_up_calls.clear()
            self._answering -= 1
            if not self._answering and not self.is_gone:
                self._idle = self._loop.call_later(self._limits.timeout, self._end_idle)

    def on_hang_up(self, call: Callable[[], None]) -> None:
        """From any thread: have a function called when the client hangs up before it has its answer. It may be called
        twice, and must not wait."""
        self.hang_up_calls.append(call)
        if self.is_gone:  # looked at last: what was added later is not called by `connection_lost`
            call()

    def abort(self) -> None:
        """Cut the connection."""
        self._transport.abort()

    def _end_idle(self) -> None:
        if self._transport.get_write_buffer_size():  # it still reads its answer
            self._idle = self._loop.call_later(self._reading_time(), self._transport.abort)
        else:
            self._transport.abort()

    def _reading_time(self) -> float:
        return WRITE_TIMEOUTS * self._limits.timeout + self._transport.get_write_buffer_size() / SLOWEST


CONNECTION: ContextVar[WebConnection] = ContextVar("connection")  # of the request that a task answers
