"""A gunicorn worker in which only the application needs threads, never a client that is slow.

One thread, gevent's event loop, reads requests and writes responses, both with deadlines. A request runs in a pool of
threads once all of it has arrived. The event loop also serves the live streams; a stream needs a thread only while it
reads what is stored.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import socket
import ssl
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from http import HTTPStatus
from types import TracebackType
from typing import IO, Any

import gevent  # type: ignore[import-untyped]
from gevent import socket as gevent_socket
from gevent import ssl as gevent_ssl
from gevent.event import Event  # type: ignore[import-untyped]
from gevent.hub import reinit  # type: ignore[import-untyped]
from gevent.pool import Pool  # type: ignore[import-untyped]
from gevent.server import StreamServer  # type: ignore[import-untyped]
from gunicorn import util  # type: ignore[import-untyped]
from gunicorn.http import wsgi  # type: ignore[import-untyped]
from gunicorn.http.errors import (  # type: ignore[import-untyped]
    ConfigurationProblem,
    ExpectationFailed,
    InvalidResponseHeader,
    InvalidResponseHeaderName,
    LimitRequestHeaders,
    LimitRequestLine,
    NoMoreData,
    ParseException,
    UnsupportedTransferCoding,
)
from gunicorn.workers.base_async import AsyncWorker  # type: ignore[import-untyped]

from service.http.api.operation import long_paths
from service.http.context import services_of
from service.http.problems import INTERNAL, MEDIA_TYPE, server_problem

from .call_threads import CallThreads
from .web_answer import AnswerParts

REQUEST_LINE = 4094  # bytes
HEADERS = 100  # of a request
HEADER = 8190  # bytes of one
WRITE_TIMEOUTS = 6  # how many times `client_timeout` a client may take longer to read a part than at `SLOWEST`
SLOWEST = 16 << 10  # bytes per second
FIRST_CHUNK = 2 << 10  # bytes of a response of unknown length that are produced at once, at first
CHUNK = 16 << 10  # the same, at most
# For such responses once they have begun, and for the beginning of those and of streams: for each thread that computes,
# requests wait longer for the interpreter's lock.
LONG_THREADS = 1
OPENING_THREADS = 1
ACCEPTED = 4  # connections that are accepted before others are served again
BUSY_FOR = 0.05  # seconds after the start of a request for which such responses make room for it
MAX_REST = 0.02  # seconds that they rest at once
SWITCH_EVERY = 0.0002  # seconds that one thread may compute while others wait
IN_MEMORY = 64 << 10  # bytes of a request's body; a longer one goes to a temporary file
MAX_BODIES = 256 << 20  # bytes of all bodies that have arrived or are arriving
SEND_BUFFER = 32 << 10  # bytes in the kernel for a client that does not read; Linux doubles them
UNREAD_BUFFER = 4 << 10  # the same during a response of unknown length, until the client has taken `TAKEN` bytes of it
TAKEN = 256 << 10  # more than what the kernel on the client's side takes for a client that does not read
SILENT_MS = 60_000  # milliseconds after which a client that acknowledges nothing is gone
STATUSES: dict[Any, int] = {  # of what the web server refuses
    LimitRequestLine: 414,
    LimitRequestHeaders: 431,
    ExpectationFailed: 417,
    UnsupportedTransferCoding: 501,
    (ConfigurationProblem, InvalidResponseHeader, InvalidResponseHeaderName): 500,
    ParseException: 400,
}
DETAILS = {
    414: f"The request line has more than {REQUEST_LINE} bytes. Send less in the path and the query.",
    431: f"There are more than {HEADERS} headers, or one has more than {HEADER} bytes. Send fewer or shorter ones.",
    500: INTERNAL,
}
CHECK_EVERY = 0.25  # seconds between two looks whether the worker is to stop
STOP_CHECK_EVERY = 0.02  # seconds between two looks whether all requests are answered


class ClientSocket:
    """A client's socket. A write may take `timeout` seconds longer than at `SLOWEST`."""

    def __init__(self, client: Any, timeout: float) -> None:
        self._socket = client
        self._timeout = timeout
        self._held: list[bytes] | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._socket, name)

    def set_buffer(self, size: int) -> None:
        """Set how many bytes the kernel holds for the client."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, size)

    def sendall(self, data: bytes) -> None:
        """:raises BrokenPipeError: the client reads too slowly."""
        if self._held is not None:
            self._held.append(data)
            return
        data = data[self._send_now(data) :]
        if not data:
            return
        with gevent.Timeout(self._timeout + len(data) / SLOWEST, BrokenPipeError(errno.EPIPE, "too slow")):
            self._socket.sendall(data)

    def _send_now(self, data: bytes) -> int:
        """Send what the kernel takes at once, as it does of most responses; return how many bytes."""
        if isinstance(self._socket, gevent_ssl.SSLSocket):
            return 0
        try:
            sent: int = self._socket.send(data, 0, 0.0)
        except BlockingIOError:
            return 0
        return sent

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """Send at the end, in one step, what is sent within the block: headers and body."""
        self._held = []
        try:
            yield
        finally:
            data, self._held = b"".join(self._held), None
        self.sendall(data)


class WebWorker(AsyncWorker):  # type: ignore[misc]
    """The worker. `cfg.threads` is the number of threads for the application."""

    def init_process(self) -> None:
        reinit()
        sys.setswitchinterval(SWITCH_EVERY)
        self._threads = CallThreads(self.cfg.threads)
        self._long_threads = CallThreads(LONG_THREADS)
        self._opening_threads = CallThreads(OPENING_THREADS)
        self._running = 0  # calls in `_threads`
        self._last_call = 0.0
        self._opened_for = 0.0  # seconds that the last call in `_opening_threads` worked
        self._waiting: set[Any] = set()  # greenlets that wait for a request
        self._bodies = 0  # bytes of all bodies
        super().init_process()

    def load_wsgi(self) -> None:
        super().load_wsgi()
        settings = services_of(self.wsgi).settings
        self._max_body = max(settings.max_body, settings.max_import)
        self._timeout = settings.client_timeout
        self._long_paths = long_paths(self.wsgi)

    def run(self) -> None:
        """Serve until `alive` is unset; then answer the running requests."""
        self._tls = None
        if self.cfg.is_ssl:
            self._tls = gevent_ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._tls.load_cert_chain(self.cfg.certfile, self.cfg.keyfile)
        connections = Pool(self.worker_connections)
        servers = []
        for listener in self.sockets:
            own = gevent_socket.socket(listener.FAMILY, socket.SOCK_STREAM, fileno=listener.sock.detach())
            servers.append(StreamServer(own, handle=partial(self._serve, own), spawn=connections))
            servers[-1].max_accept = ACCEPTED
            servers[-1].start()
        while self.alive:
            self.notify()
            if self.ppid != os.getppid():
                return
            gevent.sleep(CHECK_EVERY)
        for server in servers:
            server.close()
        deadline = time.monotonic() + self.cfg.graceful_timeout
        while len(connections) and time.monotonic() < deadline:
            for greenlet in list(self._waiting):
                gevent.kill(greenlet, NoMoreData())
            self.notify()
            gevent.sleep(STOP_CHECK_EVERY)
        if len(connections):
            self.log.warning(
                "Cut %d connections that did not end within %g s", len(connections), self.cfg.graceful_timeout
            )

    def handle_quit(self, sig: int, frame: Any) -> None:
        gevent.spawn(super().handle_quit, sig, frame)  # it blocks, which a signal handler must not

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Answer what cannot be read, or an error of the server, with a problem. The connection is closed then."""
        if isinstance(exc, ssl.SSLError):
            self.log.debug("TLS with %s: %s", addr, exc)
            return
        status = next((status for kinds, status in STATUSES.items() if isinstance(exc, kinds)), 500)
        if status == 500:
            self.log.error("Error handling request", exc_info=exc)
        else:
            self.log.warning("Invalid request from %s: %s", addr, exc)
        body = server_problem(status, DETAILS.get(status) or f"{exc}.")
        head = (
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\nConnection: close\r\nContent-Type: {MEDIA_TYPE}\r\n"
            f"Content-Length: {len(body)}\r\nDate: {util.http_date()}\r\n\r\n"
        )
        with contextlib.suppress(OSError):
            client.sendall(head.encode() + body)
            util.close_graceful(client)  # it may still send, and must get the response

    def timeout_ctx(self) -> _Headers:
        return _Headers(self._waiting, self._timeout)

    def _serve(self, listener: Any, client: Any, address: Any) -> None:
        """Serve a connection."""
        try:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
            if hasattr(socket, "TCP_USER_TIMEOUT"):
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, SILENT_MS)
            if self._tls is not None:
                with gevent.Timeout(self._timeout, ConnectionResetError(errno.ECONNRESET, "too slow")):
                    client = self._tls.wrap_socket(client, server_side=True)
        except OSError as error:  # ssl.SSLError too
            self.log.debug("connection from %s: %s", address, error)
            util.close(client)
            return
        self.handle(listener, ClientSocket(client, WRITE_TIMEOUTS * self._timeout), address)

    def handle_request(self, listener_name: Any, req: Any, sock: Any, addr: Any) -> None:
        """Answer a request.

        :raises StopIteration: the connection is to be closed.
        """
        body: IO[bytes] | None = None
        resp: Any = None
        try:
            resp, environ = wsgi.create(req, sock, addr, listener_name, self.cfg)
            environ["wsgi.multithread"] = True
            del environ["wsgi.file_wrapper"]  # it would read the file in the event loop
            if not self.alive:
                resp.force_close()
            body, is_whole = self._read_body(req, environ)
            if not is_whole:
                resp.force_close()
            environ["wsgi.input"] = body
            self._respond(environ, resp)
            resp.close()
            if resp.should_close():
                if not is_whole:
                    util.close_graceful(sock)  # the client may still send, and must get the response
                raise StopIteration
        except (OSError, StopIteration):
            raise
        except Exception:
            if resp is None or not resp.headers_sent:
                raise
            self.log.exception("Error handling request")
            raise StopIteration from None  # another response within this one would look like part of it
        finally:
            if body is not None:
                self._bodies -= _size(body)
                body.close()

    def _read_body(self, req: Any, environ: dict[str, Any]) -> tuple[IO[bytes], bool]:
        """Read the body of a request. Return it, and whether that is all of it: the application refuses a longer one.

        :raises OSError: it arrives too slowly, or the bodies of all requests are too long.
        """
        length = int(environ.get("CONTENT_LENGTH") or 0)
        is_chunked = "HTTP_TRANSFER_ENCODING" in environ
        if not length and not is_chunked:
            return io.BytesIO(), True
        if length > self._max_body:
            return io.BytesIO(), False
        body = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - its reader closes it
        started, size = time.monotonic(), 0
        try:
            while size <= self._max_body:
                left = started + self._timeout + size / SLOWEST - time.monotonic()
                with gevent.Timeout(max(left, 0.0), ConnectionResetError(errno.ECONNRESET, "too slow")):
                    data = req.body.read(CHUNK)
                if not data:
                    break
                size += len(data)
                self._bodies += len(data)
                if self._bodies > MAX_BODIES:
                    self.log.error("more than %d bytes of requests arrive at once: one is refused", MAX_BODIES)
                    raise ConnectionResetError(errno.ECONNRESET, "too many")
                body.write(data)
                if size == length and not is_chunked:
                    break
            body.seek(0)
        except BaseException:
            self._bodies -= size
            body.close()
            raise
        return body, size <= self._max_body

    def _respond(self, environ: dict[str, Any], resp: Any) -> None:
        """Run the application, and write what it answers."""
        run = self._run
        if environ["REQUEST_METHOD"] == "GET" and self._long_paths.fullmatch(environ["PATH_INFO"]):
            run = partial(self._opening_threads.run, self._open)
        answer = run(AnswerParts, self.wsgi, environ, resp)
        if resp.status_code == 413:
            resp.force_close()
        try:
            if answer.stream is None:
                with resp.sock.together():
                    resp.write(answer.part)
                taken = 0
                while not answer.is_over:
                    resp.sock.set_buffer(UNREAD_BUFFER if taken < TAKEN else SEND_BUFFER)
                    size = min(max(FIRST_CHUNK, taken), CHUNK)
                    part = self._long_threads.run(answer.next_part, size, self._rest)
                    resp.write(part)
                    taken += len(part)
                if taken:
                    resp.sock.set_buffer(SEND_BUFFER)
            else:
                answer.stream.run = run
                answer.stream.subscriber.wake_by(HubEvent())
                for part in answer.stream:
                    resp.write(part)
        finally:
            if not answer.is_over:
                self._run(answer.close)  # before the connection is closed

    def _run(self, call: Callable[..., Any], *arguments: Any) -> Any:
        self._running += 1
        self._last_call = time.monotonic()
        try:
            return self._threads.run(call, *arguments)
        finally:
            self._running -= 1

    def _open(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """In the thread for beginnings, of which hundreds may wait: make room for requests between two of them."""
        self._rest(self._opened_for)
        began = time.monotonic()
        try:
            return call(*arguments)
        finally:
            self._opened_for = time.monotonic() - began

    def _rest(self, worked: float) -> None:
        """In a thread that has worked so many seconds for long responses: make room for requests that run.

        They would wait for the interpreter's lock at each of their statements.
        """
        if self._running and time.monotonic() - self._last_call < BUSY_FOR:
            time.sleep(min(worked, MAX_REST))


class HubEvent:
    """An event that any thread may set, and that greenlets of this thread wait for."""

    def __init__(self) -> None:
        self._event = Event()
        self._loop = gevent.get_hub().loop

    def set(self) -> None:
        self._loop.run_callback_threadsafe(self._event.set)

    def clear(self) -> None:
        self._event.clear()

    def wait(self, seconds: float) -> object:
        return self._event.wait(seconds)


class _Headers:
    """The time in which a connection waits for the headers of a request. What takes too long is given up silently."""

    def __init__(self, waiting: set[Any], seconds: float) -> None:
        self._waiting = waiting
        self._timeout = gevent.Timeout(seconds, False)

    def __enter__(self) -> None:
        self._greenlet = gevent.getcurrent()
        self._waiting.add(self._greenlet)
        self._timeout.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self._timeout.close()
        self._waiting.discard(self._greenlet)
        return error is self._timeout


def _size(body: IO[bytes]) -> int:
    return body.seek(0, io.SEEK_END)
