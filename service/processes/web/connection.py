"""A connection of the web server: uvicorn's, with limits of its own on headers, on silent clients and on addresses."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections import Counter
from collections.abc import Callable
from http import HTTPStatus
from threading import Event
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from service.http.access import NOBODY
from service.http.problems import MEDIA_TYPE, server_problem

CLIENT = "inkeek.client"  # extension of the ASGI scope: the `WebClient`
HEAD = 64 << 10  # bytes of headers, or of what frames a body, that are read; the application has stricter limits
FRAMING = 16  # bytes around each byte of a body that clients may need to frame it, as in chunks of one byte
SLOWEST = 16 << 10  # bytes per second
WRITE_TIMEOUTS = 6  # how many times the timeout a client may take longer to read what is sent than at `SLOWEST`
SEND_BUFFER = 32 << 10  # bytes in the kernel for a client that does not read; Linux doubles them
SILENT_MS = 60_000  # milliseconds after which a client that acknowledges nothing is gone
LINGER = 1.0  # seconds for which a client whose request could not be read may take its answer
LAST_REQUEST = 0.5  # seconds in which a connection may bring one more request when the process stops
FACTOR = 3  # see `Connections`


class Connections:
    """Counts connections: `total` at most, of which an address has a share, as in `places`: it may have one more while
    it has less than `FACTOR` times as many as are free. Behind a proxy, which has all, nobody has a share."""

    def __init__(self, total: int, *, by_address: bool) -> None:
        self._total = total
        self._by_address = by_address
        self._counts: Counter[str] = Counter()
        self._held = 0

    def take(self, address: str) -> bool:
        """Count one more connection of an address, if it may have it."""
        name = self._name(address)
        free = self._total - self._held
        if free < 1 or (self._by_address and self._counts[name] >= FACTOR * free):
            return False
        self._counts[name] += 1
        self._held += 1
        return True

    def give_back(self, address: str) -> None:
        name = self._name(address)
        self._held -= 1
        self._counts[name] -= 1
        if not self._counts[name]:
            del self._counts[name]

    def _name(self, address: str) -> str:
        return NOBODY.sender(address).name if self._by_address else ""


class WebClient:
    """Who sent a request, for what answers it."""

    def __init__(self, connection: WebConnection, cycle: RequestResponseCycle) -> None:
        self._connection = connection
        self._cycle = cycle

    @property
    def has_sent_all(self) -> bool:
        """Whether all of the body has arrived."""
        return not self._cycle.more_body

    @property
    def is_gone(self) -> bool:
        return self._connection.is_gone

    @property
    def is_broken(self) -> bool:
        """Whether what the client sends cannot be read."""
        return self._connection.is_refused

    def on_hang_up(self, call: Callable[[], None]) -> None:
        """From any thread: have a function called when the client hangs up before it has its answer. It may be called
        twice, and must not wait."""
        self._connection.hang_up_calls.append(call)
        if self._connection.is_gone:  # looked at last: what was added later is not called by the connection
            call()

    def set_buffer(self, size: int) -> None:
        """Set how many bytes the kernel holds for the client, and as many this process."""
        self._connection.set_buffer(size)

    def abort(self) -> None:
        """Cut the connection."""
        self._cycle.disconnected = True
        self._connection.transport.abort()

    def end_with_connection(self) -> None:
        """Before the response: for a client that knows no chunks, the end of the connection is the end of it."""
        self._cycle.chunked_encoding, self._cycle.expected_content_length = False, sys.maxsize

    def end(self) -> None:
        """Before the last part of a response of unknown length."""
        self._cycle.expected_content_length = 0

    def end_sending(self) -> None:
        """After all bytes of a response: tell the client that it is over; what the client still sends can be read."""
        transport = self._connection.transport
        if not transport.is_closing() and transport.can_write_eof():
            transport.write_eof()

    def close(self) -> None:
        """After `end_sending`: close the connection."""
        self._cycle.response_complete = True
        self._connection.close()


class WebConnection(HttpToolsProtocol):
    """Gives up clients whose headers take longer than `timeout` seconds, or that do not read what they get. While the
    process is `stopping`, each answer is the last one on its connection."""

    def __init__(self, connections: Connections, timeout: float, stopping: Event, **options: Any) -> None:
        super().__init__(**options)
        self._stopping = stopping
        self.is_gone = False
        self.hang_up_calls: list[Callable[[], None]] = []
        self._all = connections
        self._timeout = timeout
        self._address: str | None = None
        self.is_refused = False
        self._in_head = False
        self._unframed = 0  # bytes that are neither a body nor `FRAMING` times as many around it, since the headers
        self._late: asyncio.TimerHandle | None = None  # for headers
        self._unread: asyncio.TimerHandle | None = None  # for what was sent

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        address = self.client[0] if self.client is not None else ""
        if not self._all.take(address):
            self._answer(503, "Too many connections are open. Try again.")
            transport.close()
            return
        self._address = address
        own = transport.get_extra_info("socket")
        own.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        if hasattr(socket, "TCP_USER_TIMEOUT") and own.family != getattr(socket, "AF_UNIX", None):
            own.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, SILENT_MS)
        transport.set_write_buffer_limits(high=SEND_BUFFER)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_gone = True
        for timer in (self._late, self._unread):
            if timer is not None:
                timer.cancel()
        if self._address is not None:
            self._all.give_back(self._address)
            self._address = None
        super().connection_lost(exc)
        calls, self.hang_up_calls = self.hang_up_calls, []
        for call in calls:
            call()

    def data_received(self, data: bytes) -> None:
        while data and not (self.is_refused or self.transport.is_closing()):
            part, data = (data, b"") if len(data) <= HEAD else (data[:HEAD], data[HEAD:])
            self._unframed += len(part)
            super().data_received(part)
            if self._unframed > HEAD:
                self._refuse(431, "The headers are too long. Send fewer or shorter ones.")
        if self._in_head or self.cycle is None or self.cycle.response_complete:
            self._await_head()  # also for empty lines before it, which the parser skips
        elif self._late is not None:
            self._late.cancel()
            self._late = None

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head = True

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._in_head:  # others are trailers, which nobody needs
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head, self._unframed = False, 0
        super().on_headers_complete()
        self.scope["extensions"] = {CLIENT: WebClient(self, self.cycle)}  # type: ignore[dict-item]
        if self.parser.should_upgrade() or self._stopping.is_set():
            self.cycle.keep_alive = False  # the parser reads no further requests; or another process answers them

    def on_body(self, body: bytes) -> None:
        self._unframed = max(self._unframed - FRAMING * len(body), 0)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._unframed = 0
        super().on_message_complete()
        if not self.pipeline:
            self.flow.resume_reading()  # else a client that hangs up would not be noticed

    def on_response_complete(self) -> None:
        self.hang_up_calls.clear()
        super().on_response_complete()
        if self.transport.is_closing():
            self._limit_reading()

    def shutdown(self) -> None:
        """When the process stops: a request that is on its way is answered too."""
        if self.cycle is None or self.cycle.response_complete:
            self.loop.call_later(LAST_REQUEST, super().shutdown)
        else:
            super().shutdown()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._limit_reading()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._unread is not None and not self.transport.is_closing():
            self._unread.cancel()
            self._unread = None

    def timeout_keep_alive_handler(self) -> None:
        if self.transport.get_write_buffer_size() and not self.transport.is_closing():
            self._limit_reading()  # it still reads its answer, for which it has a time of its own
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )
        else:
            super().timeout_keep_alive_handler()

    def send_400_response(self, msg: str) -> None:
        self._refuse(400, msg)

    def _unsupported_upgrade_warning(self) -> None:
        """Many clients ask for HTTP/2."""

    def set_buffer(self, size: int) -> None:
        if not self.transport.is_closing():
            self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, size)
            self.transport.set_write_buffer_limits(high=size)

    def close(self) -> None:
        self.transport.close()
        self._limit_reading()

    def _await_head(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(self._timeout, self.transport.abort)

    def _limit_reading(self) -> None:
        """Give the client a time to read what was sent."""
        if self._unread is None:
            seconds = WRITE_TIMEOUTS * self._timeout + self.transport.get_write_buffer_size() / SLOWEST
            self._unread = self.loop.call_later(seconds, self.transport.abort)

    def _refuse(self, status: int, detail: str) -> None:
        """Answer a request that cannot be read. What still comes is thrown away for a moment: were the connection
        closed at once, the client could lose the answer."""
        if self.is_refused:
            return
        self.is_refused = True
        if self.cycle is not None and not self.cycle.response_complete:
            # That request has its own answer: another one would look like a part of it.
            self.cycle.keep_alive = False
            self.cycle.message_event.set()  # who waits for its body looks at `WebClient.is_broken`
            return
        self._answer(status, detail)
        self.loop.call_later(LINGER, self.transport.close)

    def _answer(self, status: int, detail: str) -> None:
        body = server_problem(status, detail)
        lines = (
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
            "Connection: close",
            f"Content-Type: {MEDIA_TYPE}",
            f"Content-Length: {len(body)}",
        )
        self.transport.write("\r\n".join((*lines, "", "")).encode() + body)
