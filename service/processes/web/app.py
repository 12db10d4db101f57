"""The service as an ASGI application: the Flask application answers the requests that uvicorn reads.

The event loop reads bodies and sends responses. A large request is checked on its headers before its body is waited
for, and each runs in a thread once all of it has arrived. Only the application needs threads, never a slow client.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import IO, Any
from urllib.parse import unquote_to_bytes

from flask import Flask
from werkzeug.exceptions import RequestEntityTooLarge

from inkeek.service.errors import ServiceError, TooBusy, TooSlow
from inkeek.service.http.access import NOBODY
from inkeek.service.http.access.guard import SAFE_METHODS
from inkeek.service.http.api.operation import long_paths, waiting_paths
from inkeek.service.http.context import CALLER, HEADERS_ONLY, MAX_BODY, ON_HANG_UP, REFUSAL, services_of
from inkeek.service.http.problems import INTERNAL, MEDIA_TYPE, server_problem
from inkeek.service.http.request_log import REQUEST_ID
from inkeek.service.http.sse import Stream
from inkeek.service.processes.places import Places, Sender

from .connection import CONNECTION, SLOWEST, WebConnection

REQUEST_LINE = 4094  # bytes
HEADERS = 100  # of a request
HEADER = 8190  # bytes of one
VERSION = len("  HTTP/1.1\r\n")  # of the request line, with spaces
ONCE = (b"authorization", b"content-type")  # headers that may not be sent twice


def wsgi_environ(scope: Any) -> dict[str, Any]:
    """The WSGI environment of a request, without its body."""
    server, client = scope["server"] or ("", 0), scope["client"] or ("", 0)
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": server[0],
        "SERVER_PORT": str(server[1]),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": client[0],
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        "wsgi.input_terminated": True,
        ON_HANG_UP: CONNECTION.get().on_hang_up,
    }
    for name, value in scope["headers"]:
        if b"_" in name:
            continue  # it would look like another header
        key = name.decode("latin-1").upper().replace("-", "_")
        key = key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"
        text = value.decode("latin-1")
        environ[key] = f"{environ[key]},{text}" if key in environ else text
    return environ


def refusal(scope: Any, environ: dict[str, Any]) -> tuple[int, str] | None:
    """The status and the reason, if the web server refuses a request for its headers."""
    if len(scope["method"]) + len(scope["raw_path"]) + len(scope["query_string"]) + VERSION > REQUEST_LINE:
        return 414, f"The request line has more than {REQUEST_LINE} bytes. Send less in the path and the query."
    headers = scope["headers"]
    if len(headers) > HEADERS or any(len(name) + len(value) > HEADER for name, value in headers):
        return 431, (
            f"There are more than {HEADERS} headers, or one has more than {HEADER} bytes. Send fewer or shorter ones."
        )
    names = [name for name, _ in headers]
    if len(set(names)) < len(names):
        twice = next((name for name in ONCE if names.count(name) > 1), None)
        if twice is not None:
            return 400, f"The header {twice.decode()!r} is sent twice. Send it once."
    if "HTTP_TRANSFER_ENCODING" in environ and "CONTENT_LENGTH" in environ:
        return 400, "The request has Content-Length and Transfer-Encoding. Send one of them."
    if environ.get("HTTP_EXPECT", "100-continue").lower() != "100-continue":
        return 417, f"Expect is {environ['HTTP_EXPECT'][:40]!r}. Expected '100-continue'."
    return None


IN_MEMORY = 64 << 10  # bytes of a body; a larger one needs a place, and its rest goes to a temporary file
LARGE = 16  # bodies that are larger, at once
TIME = 60.0  # seconds that a body may take, unless `client_timeout` is longer

Receive = Callable[[], Awaitable[Any]]


class HungUp(Exception):
    """The client is gone: nobody waits for an answer."""


class Body:
    """The body of a request, which `receive` (of ASGI) receives. `length` is what the headers say; None: chunks."""

    def __init__(self, environ: dict[str, Any], receive: Receive, timeout: float) -> None:
        self.length = None if "HTTP_TRANSFER_ENCODING" in environ else int(environ.get("CONTENT_LENGTH") or 0)
        self.file: IO[bytes] = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - `close` does
        self.size = 0
        self._receive = receive
        self._timeout = timeout
        self._give_back: Callable[[], None] | None = None

    async def read(self, most: int, places: Places, sender: Sender) -> bool:
        """Read a body of at most `most` bytes. Return whether that is all of it.

        :raises TooSlow: it takes too long. :raises TooManyRequests: the sender has its share of the places.
        :raises HungUp: the client is gone.
        """
        started, has_more = time.monotonic(), True
        while has_more:
            if self._give_back is None and max(self.length or 0, self.size) > IN_MEMORY:
                self._give_back = places.take(sender)
            left = min(self._timeout + self.size / SLOWEST, max(self._timeout, TIME)) + started - time.monotonic()
            try:
                async with asyncio.timeout(max(left, 0.0)):
                    message = await self._receive()
            except TimeoutError:
                raise TooSlow(
                    f"The body took more than {self._timeout:g} s and a second for each {SLOWEST >> 10} KiB, or "
                    f"{TIME:g} s."
                ) from None
            if message["type"] != "http.request":
                raise HungUp
            self.file.write(message["body"])
            self.size += len(message["body"])
            has_more = message["more_body"]
            if self.size > most:
                return False
        self.file.seek(0)
        return True

    def close(self) -> None:
        self.file.close()
        if self._give_back is not None:
            self._give_back()


Headers = list[tuple[bytes, bytes]]


class AnswerParts:
    """What the application answers, in parts; all methods run in one of the threads.

    `part` is its beginning. `stream` is set instead if it is a live stream. `status` is 0 if it gave no answer.
    """

    def __init__(self, app: Any, environ: dict[str, Any]) -> None:
        self.is_over = False
        self.stream: Stream | None = None
        self.part = b""
        self.status = 0
        self.headers: Headers = []
        self._answer: Iterable[bytes] = app(environ, self._start)
        if isinstance(self._answer, Stream):
            self.stream = self._answer
        else:
            self._parts: Iterator[bytes] = iter(self._answer)
            self.part = self.next_part(sys.maxsize if self.has_length else 1)

    @property
    def has_length(self) -> bool:
        """Whether the headers say how long it is."""
        return any(name == b"content-length" for name, _ in self.headers)

    @property
    def says_later(self) -> bool:
        """Whether it is a refusal that names a time after which to try again."""
        return any(name == b"retry-after" for name, _ in self.headers)

    def next_part(self, least: int) -> bytes:
        """The next bytes, at least so many or what is left."""
        parts, size = [], 0
        try:
            for part in self._parts:
                parts.append(part)
                size += len(part)
                if size >= least:
                    return b"".join(parts)
        except BaseException:
            self.close()
            raise
        self.close()
        return b"".join(parts)

    def close(self) -> None:
        if not self.is_over:
            self.is_over = True
            if hasattr(self._answer, "close"):
                self._answer.close()

    def _start(self, status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> None:
        self.status = int(status[:3])
        self.headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers]


Run = Callable[..., Awaitable[Any]]


async def stream_parts(stream: Stream, run: Run) -> AsyncIterator[bytes]:
    """The bytes to send. `run` runs in a thread what may wait for the database."""
    loop, arrived = asyncio.get_running_loop(), asyncio.Event()

    def wake() -> None:
        with suppress(RuntimeError):  # the loop is closed: the process ends
            loop.call_soon_threadsafe(arrived.set)

    stream.subscriber.wake_by(wake)
    steps, result = stream.steps(), None
    while True:
        try:
            step, result = steps.send(result), None
        except StopIteration:
            return
        if isinstance(step, bytes):
            yield step
        elif isinstance(step, float):
            with suppress(TimeoutError):
                async with asyncio.timeout(step):
                    await arrived.wait()
            arrived.clear()  # before looking: what arrives from now on sets it again
            result = stream.subscriber.wait(0.0)
        else:
            result = await run(step)
        del step  # the next one may be hours away, and thousands of clients may wait for it


log = logging.getLogger(__name__)

SMALL = 16 << 10  # bytes of a body that is read before the headers are checked
FIRST_CHUNK = 2 << 10  # bytes of a response of unknown length that are produced at once, at first
CHUNK = 16 << 10  # the same, at most
LINGER = 5.0  # seconds for which the rest of a refused request is thrown away
MAX_LINGER = 32 << 20  # bytes of it
HOLD = 0.5  # seconds for which an answer that says "later" is held, so that who asks again at once asks seldom
READERS = 2  # threads
HEALTH = frozenset({"/healthz", "/readyz", "/metrics"})


class Threads:
    """The threads of a web process, in pools that do not wait for each other. `threads` may write, and as many may wait
    for a board or a calculation. Few read, as they would only compete for the interpreter; one has large writes, and
    one long responses. Who watches the service has some too: the others may all wait for a database that does not
    answer."""

    def __init__(self, app: Flask, threads: int) -> None:
        self._long_paths = long_paths(app)
        self._waiting_paths = waiting_paths(app)
        self._reads, self._writes, self._waits = map(ThreadPoolExecutor, (READERS, threads, threads))
        self._large_writes, self.long = ThreadPoolExecutor(1), ThreadPoolExecutor(1)
        self._health = ThreadPoolExecutor(2)

    def pool(self, environ: dict[str, Any], size: int) -> Executor:
        """Where a request with a body of `size` bytes runs."""
        reads, path = environ["REQUEST_METHOD"] in SAFE_METHODS, environ["PATH_INFO"]
        if path in HEALTH:
            return self._health
        if reads and self._long_paths.fullmatch(path):
            return self.long
        if self._waiting_paths.fullmatch(path):
            return self._waits
        if reads:
            return self._reads
        return self._large_writes if size > SMALL else self._writes


async def run_in(pool: Executor, call: Callable[..., Any], *arguments: Any) -> Any:
    """What a function returns in a thread of a pool."""
    return await asyncio.get_running_loop().run_in_executor(pool, call, *arguments)


class WebApp:
    """The ASGI application. `app` is the Flask application; `on_start` is called when the server is about to serve."""

    def __init__(self, app: Flask, on_start: Callable[[], None]) -> None:
        services = services_of(app)
        self._app = app
        self._on_start = on_start
        self._threads = Threads(app, services.settings.threads)
        self._places = Places("Large requests", LARGE)
        self._timeout = services.settings.client_timeout
        self._stopping = services.stopping

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        connection = CONNECTION.get()
        with connection.answering():
            exchange = Exchange(scope, receive, send, connection, self._stopping)
            try:
                await self._answer(exchange)
            except HungUp:
                pass
            except asyncio.CancelledError:  # the service stops, and waits no longer
                await exchange.cut()
            except Exception as error:
                if not exchange.has_begun:
                    log.exception("a request failed")
                    await exchange.refuse(500, INTERNAL)
                    return
                if not isinstance(error, ServiceError) or error.status == ServiceError.status:
                    log.exception("a response broke off", extra={"request": exchange.environ.get(REQUEST_ID)})
                await exchange.cut()  # another response within this one would look like part of it

    async def _live(self, receive: Any, send: Any) -> None:
        for event in ("startup", "shutdown"):
            await receive()
            if event == "startup":
                self._on_start()
            await send({"type": f"lifespan.{event}.complete"})

    async def _answer(self, exchange: Exchange) -> None:
        refused = refusal(exchange.scope, exchange.environ)
        if refused is not None:
            await exchange.refuse(*refused)
            return
        environ, body = exchange.environ, Body(exchange.environ, exchange.receive, self._timeout)
        try:
            answer = None
            is_whole = body.length == 0
            if not is_whole and environ["REQUEST_METHOD"] not in SAFE_METHODS:
                is_small = body.length is not None and body.length <= SMALL and not exchange.expects_continue
                answer = None if is_small else await self._check_headers(environ)
                is_whole = answer is None and await self._read(body, environ)
            environ["wsgi.input"] = body.file
            pool = self._threads.pool(environ, body.size)
            run: Any = partial(run_in, pool)
            if environ["REQUEST_METHOD"] in SAFE_METHODS:
                run = partial(run_in, pool, _if_there, exchange.connection)
            if answer is None:  # what was sent is done, also for a client that has lost the connection
                answer = await run(AnswerParts, self._app, environ)
            if answer.says_later:
                await asyncio.sleep(HOLD)
            try:
                if not is_whole and answer.has_length:
                    await exchange.refuse_with(answer.status, answer.headers, answer.part)
                else:
                    await self._send(answer, run, exchange)
            finally:
                if not answer.is_over:
                    await run_in(pool, answer.close)
        finally:
            body.close()

    async def _check_headers(self, environ: dict[str, Any]) -> AnswerParts | None:
        """Let the application check a request whose body was not read. Return how it refuses, None if it does not."""
        environ[HEADERS_ONLY] = True
        answer: AnswerParts = await run_in(self._threads.pool(environ, 0), AnswerParts, self._app, environ)
        del environ[HEADERS_ONLY]
        return answer if answer.status else None

    async def _read(self, body: Body, environ: dict[str, Any]) -> bool:
        """Read the body of a request. Return whether that is all; if not, the application learns why."""
        try:
            sender = environ.get(CALLER, NOBODY).sender(environ["REMOTE_ADDR"])
            if await body.read(environ.get(MAX_BODY, SMALL), self._places, sender):
                return True
            environ[REFUSAL] = RequestEntityTooLarge()
        except (TooSlow, TooBusy) as error:
            environ[REFUSAL] = error
        return False

    async def _send(self, answer: AnswerParts, run: Any, exchange: Exchange) -> None:
        await exchange.begin(answer.status, answer.headers)
        if answer.stream is not None:
            async for part in stream_parts(answer.stream, run):
                await exchange.send_part(part)
            await exchange.end(b"")
            return
        if answer.is_over:
            await exchange.end(answer.part)
            return
        await exchange.send_part(answer.part)
        taken = 0
        while not answer.is_over:
            part = await run_in(self._threads.long, answer.next_part, min(max(FIRST_CHUNK, taken), CHUNK))
            await exchange.send_part(part)
            taken += len(part)
        await exchange.end(b"")


def _if_there(connection: WebConnection, call: Callable[..., Any], *arguments: Any) -> Any:
    """In a thread: what a function returns.

    :raises HungUp: the client is gone, so nobody needs it.
    """
    if connection.is_gone:
        raise HungUp
    return call(*arguments)


class Exchange:
    """One request and its response, which is the last one on its connection once the service is `stopping`."""

    def __init__(
        self, scope: Any, receive: Any, send: Any, connection: WebConnection, stopping: threading.Event
    ) -> None:
        self.scope = scope
        self.environ = wsgi_environ(scope)
        self.connection = connection
        self.receive = receive
        self.has_begun = False
        self._send = send
        self._stopping = stopping

    @property
    def expects_continue(self) -> bool:
        """Whether the client sends its body only when it is asked for it."""
        return "HTTP_EXPECT" in self.environ

    async def begin(self, status: int, headers: Headers) -> None:
        if self._stopping.is_set():
            headers = [*headers, (b"connection", b"close")]
        self.has_begun = True
        await self._send({"type": "http.response.start", "status": status, "headers": headers})

    async def send_part(self, part: bytes) -> None:
        """:raises HungUp: the client is gone, or was too slow."""
        await self._send({"type": "http.response.body", "body": part, "more_body": True})
        if self.connection.is_gone:
            raise HungUp

    async def end(self, part: bytes) -> None:
        await self._send({"type": "http.response.body", "body": part, "more_body": False})

    async def cut(self) -> None:
        """Cut the connection: the client sees that the response is not whole."""
        self.connection.abort()
        while (await self.receive())["type"] != "http.disconnect":
            pass

    async def refuse(self, status: int, detail: str) -> None:
        """Answer with a problem."""
        await self.refuse_with(status, [(b"content-type", MEDIA_TYPE.encode())], server_problem(status, detail))

    async def refuse_with(self, status: int, headers: Headers, body: bytes) -> None:
        """Answer a request that was not read to its end. What still comes is thrown away for a while: if the kernel had
        unread bytes, it would reset the connection, and the client might lose the answer."""
        headers = [pair for pair in headers if pair[0] not in (b"content-length", b"connection")]
        headers += [(b"content-length", str(len(body)).encode()), (b"connection", b"close")]
        await self.begin(status, headers)
        await self._send({"type": "http.response.body", "body": body, "more_body": True})
        left = 0 if self.expects_continue else MAX_LINGER
        with suppress(TimeoutError):
            async with asyncio.timeout(LINGER):
                while left > 0 and (message := await self.receive()).get("more_body"):
                    left -= len(message["body"])
        await self.end(b"")
