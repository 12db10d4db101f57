"""The service as an ASGI application: the Flask application answers the requests that uvicorn reads.

The event loop reads bodies and sends responses. A request is checked on its headers before its body is waited for, and
runs in a thread once all of it has arrived. Only the application needs threads, never a client that is slow.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from flask import Flask
from werkzeug.exceptions import BadRequest, RequestEntityTooLarge

from service.errors import ServiceError, TooBusy, TooManyRequests, TooSlow
from service.http.access.guard import SAFE_METHODS
from service.http.context import CALLER, HEADERS_ONLY, MAX_BODY, REFUSAL, services_of
from service.http.problems import INTERNAL, MEDIA_TYPE, server_problem
from service.http.request_log import REQUEST_ID
from service.processes.scheduling.call_threads import LoopCalls
from service.processes.scheduling.lanes import READERS, READERS_OF_SERVER

from . import stream as web_stream
from .answer import AnswerParts, Headers
from .body import Body, BodyShares, HungUp
from .connection import CLIENT, SEND_BUFFER, WebClient
from .environ import refusal, wsgi_environ
from .threads import WebThreads

log = logging.getLogger(__name__)

FIRST_CHUNK = 2 << 10  # bytes of a response of unknown length that are produced at once, at first
CHUNK = 16 << 10  # the same, at most
UNREAD_BUFFER = 4 << 10  # bytes in the kernel during such a response, until the client has taken `TAKEN` bytes of it
TAKEN = 256 << 10  # more than what the kernel on the client's side takes for a client that does not read
LINGER = 5.0  # seconds for which the rest of a refused request is thrown away
MAX_LINGER = 32 << 20  # bytes of it
HOLD = 0.5  # seconds for which an answer that says "later" is held, so that who asks again at once asks seldom


class WebApp:
    """The ASGI application, for one event loop. `app` is the Flask application."""

    def __init__(self, app: Flask, loop_calls: LoopCalls) -> None:
        settings = services_of(app).settings
        self._app = app
        self._loop_calls = loop_calls
        readers = READERS if settings.database_url.startswith("sqlite") else READERS_OF_SERVER
        self._threads = WebThreads(app, settings.threads, readers, loop_calls)
        self._shares = BodyShares(settings.max_import)
        self._timeout = settings.client_timeout

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        exchange = Exchange(scope, receive, send)
        try:
            await self._answer(exchange)
        except HungUp:
            return
        except ServiceError as error:
            if not exchange.has_begun:
                raise
            if error.status == ServiceError.status:
                log.error("a response broke off", exc_info=error, extra={"request": exchange.environ[REQUEST_ID]})
            exchange.client.abort()  # what was sent is not all: the right to the rest has ended
        except asyncio.CancelledError:  # the service stops, and waits no longer
            exchange.client.abort()
        except Exception:
            if exchange.has_begun:
                raise  # uvicorn cuts the connection; another response within this one would look like part of it
            log.exception("a request failed")
            await exchange.refuse(500, INTERNAL)

    async def _answer(self, exchange: Exchange) -> None:
        refused = refusal(exchange.scope, exchange.environ)
        if refused is not None:
            await exchange.refuse(*refused)
            return
        environ, body = exchange.environ, Body(exchange.environ, exchange.receive, exchange.client)
        try:
            answer = None
            is_whole = body.length == 0
            if not is_whole and exchange.client.has_sent_all:
                await body.read_arrived()
                is_whole = True
            elif not is_whole and environ["REQUEST_METHOD"] not in SAFE_METHODS:
                answer = await self._check_headers(environ)
                is_whole = answer is None and await self._read(body, environ)
            environ["wsgi.input"] = body.file
            run = self._threads.answering(environ, body.size)
            if environ["REQUEST_METHOD"] in SAFE_METHODS:
                read: Any = partial(run, _if_there, exchange.client)
            else:
                read = run  # what was sent is done, also for a client that has lost the connection
            if answer is None:
                answer = await read(AnswerParts, self._app, environ)
            if answer.says_later:
                await asyncio.sleep(HOLD)
            if answer.status == 413 or not is_whole:
                answer.headers.append((b"connection", b"close"))
            try:
                if not is_whole and answer.has_length:
                    await exchange.refuse_with(answer.status, answer.headers, answer.part)
                else:
                    await self._send(answer, read, exchange)
            finally:
                if not answer.is_over:
                    await run(answer.close)
        finally:
            body.close()

    async def _check_headers(self, environ: dict[str, Any]) -> AnswerParts | None:
        """Let the application check a request whose body was not read. Return how it refuses, None if it does not."""
        environ[HEADERS_ONLY] = True
        answer: AnswerParts = await self._threads.lane(environ, 0)(AnswerParts, self._app, environ)
        del environ[HEADERS_ONLY]
        return answer if answer.status else None

    async def _read(self, body: Body, environ: dict[str, Any]) -> bool:
        """Read the body of a request whose headers were checked. Return whether that is all; if not, the application
        learns why."""
        try:
            sender = environ[CALLER].sender(environ["REMOTE_ADDR"])
            if await body.read(environ[MAX_BODY], sender, self._shares, self._timeout):
                return True
            environ[REFUSAL] = RequestEntityTooLarge()
        except (TooSlow, TooManyRequests, TooBusy, BadRequest) as error:
            environ[REFUSAL] = error
        return False

    async def _send(self, answer: AnswerParts, run: Any, exchange: Exchange) -> None:
        await exchange.begin(answer.status, answer.headers, has_length=answer.has_length)
        if answer.stream is not None:
            async for part in web_stream.parts(answer.stream, run, self._loop_calls):
                await exchange.send_part(part)
            await exchange.end(b"")
            return
        if answer.is_over:
            await exchange.end(answer.part)
            return
        await exchange.send_part(answer.part)
        taken, client = 0, exchange.client
        while not answer.is_over:
            client.set_buffer(UNREAD_BUFFER if taken < TAKEN else SEND_BUFFER)
            part = await self._threads.next_part(answer.next_part, min(max(FIRST_CHUNK, taken), CHUNK))
            await exchange.send_part(part)
            taken += len(part)
        client.set_buffer(SEND_BUFFER)
        await exchange.end(b"")


def _if_there(client: WebClient, call: Callable[..., Any], *arguments: Any) -> Any:
    """In a thread: what a function returns.

    :raises HungUp: the client is gone, so nobody needs it.
    """
    if client.is_gone:
        raise HungUp
    return call(*arguments)


class Exchange:
    """One request and its response."""

    def __init__(self, scope: Any, receive: Any, send: Any) -> None:
        self.scope = scope
        self.environ = wsgi_environ(scope)
        self.client: WebClient = scope["extensions"][CLIENT]
        self.receive = receive
        self.has_begun = False
        self._send = send
        self._ends_with_connection = False

    async def begin(self, status: int, headers: Headers, *, has_length: bool) -> None:
        if self.scope["http_version"] == "1.0" and not has_length:
            self._ends_with_connection = True
            self.client.end_with_connection()
        self.has_begun = True
        await self._send({"type": "http.response.start", "status": status, "headers": headers})

    async def send_part(self, part: bytes) -> None:
        """:raises HungUp: the client is gone, or was too slow."""
        await self._send({"type": "http.response.body", "body": part, "more_body": True})
        if self.client.is_gone:
            raise HungUp

    async def end(self, part: bytes) -> None:
        if self._ends_with_connection:
            await self.send_part(part)
            part = b""
            self.client.end()
        await self._send({"type": "http.response.body", "body": part, "more_body": False})

    async def refuse(self, status: int, detail: str) -> None:
        """Answer with a problem."""
        await self.refuse_with(status, [(b"content-type", MEDIA_TYPE.encode())], server_problem(status, detail))

    async def refuse_with(self, status: int, headers: Headers, body: bytes) -> None:
        """Answer a request that was not read to its end. What still comes is thrown away for a while: if the kernel had
        unread bytes, it would reset the connection, and the client might lose the answer."""
        headers = [pair for pair in headers if pair[0] not in (b"content-length", b"connection")]
        headers += [(b"content-length", str(len(body)).encode()), (b"connection", b"close")]
        await self.begin(status, headers, has_length=True)
        await self._send({"type": "http.response.body", "body": body, "more_body": True})
        self.client.end_sending()
        with suppress(TimeoutError):
            async with asyncio.timeout(LINGER):
                left = MAX_LINGER
                while left > 0 and not self.client.has_sent_all and not self.client.is_gone:
                    message = await self.receive()
                    left -= len(message.get("body", b""))
        self.client.close()
