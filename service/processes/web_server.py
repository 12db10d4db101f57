"""The web server, uvicorn. This module sets all of its options.

``python -m inkeek.service.processes.entry inkeek.service.processes.web_server <fd> <serves>`` serves on the open
listening socket with file descriptor ``fd``, or with -1 on one that it opens itself, and writes to the pipe ``serves``
when it does.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import uvicorn
from flask import Flask

try:
    import uvloop
except ImportError:  # there is none for Windows
    uvloop = None  # type: ignore[assignment]

from inkeek.service.app import create_app
from inkeek.service.http.context import services_of
from inkeek.service.http.request_log import WithRequest
from inkeek.service.settings import read_settings

from . import child_process, logs, system
from .garbage import SHORT, collect_less
from .listening import listen
from .web.app import WebApp
from .web.connection import ConnectionLimits, WebConnection

GRACE = int(child_process.STOP_WITHIN) - 1  # seconds for running requests when the service stops
LAST_REQUEST = 0.5  # seconds in which connections may bring one more request when the process stops
OTHER_CONNECTIONS = 2000  # of a process, besides its live streams
OTHER_FILES = 256  # open files of a process, besides connections
BACKLOG = 128  # connections that wait to be accepted
HEAD = 64 << 10  # bytes of headers; the application has stricter limits
SEND_BUFFER = 32 << 10  # bytes in the kernel for a client that does not read; Linux doubles them
SILENT_MS = 60_000  # milliseconds after which a client that acknowledges nothing is gone
SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name)]


class _Loop(asyncio.SelectorEventLoop if uvloop is None else uvloop.Loop):  # type: ignore[misc]
    """Gives all connections that it accepts their deadlines, TLS handshakes included."""

    def __init__(self, limits: ConnectionLimits) -> None:
        super().__init__()
        self._limits = limits
        self._servers: list[asyncio.Server] = []

    async def create_server(self, protocol_factory: Callable[[], asyncio.Protocol], **options: Any) -> Any:
        if options.get("ssl") is not None:
            options["ssl_handshake_timeout"] = self._limits.timeout
        server = await super().create_server(lambda: WebConnection(self._limits, protocol_factory()), **options)
        self._servers.append(server)
        return server

    def stop_accepting(self) -> None:
        """Leave new connections to the next process, if it has the same socket."""
        for server in self._servers:
            server.close()


def serve(app: Flask, fd: int, serves: int) -> None:
    """Serve until a signal."""
    services = services_of(app)
    settings = services.settings
    total = min(settings.max_streams + OTHER_CONNECTIONS, system.MAX_SOCKETS)
    system.allow_files(total + OTHER_FILES)
    inherited = fd != system.NOT_INHERITED
    listener = socket.socket(fileno=fd) if inherited else listen(settings.host, settings.port)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)  # connections inherit both
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, SILENT_MS)
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    services.watch.keep(services.stopping, 0.0)  # the desk checks the games
    collect_less(SHORT)

    def begin() -> None:
        """uvicorn listens to signals now."""
        for number in SIGNALS:
            stop_uvicorn = signal.getsignal(number)
            assert callable(stop_uvicorn)
            signal.signal(number, partial(stop_later, stop_uvicorn))
        if serves != system.NOT_INHERITED:
            with suppress(BrokenPipeError):  # the parent is gone, and this process ends
                os.write(serves, b"\n")

    def stop_later(stop: Callable[..., Any], *arguments: Any) -> None:
        """End live streams at once: else uvicorn would wait for them. It closes connections without a request, also
        those that it has just accepted, so they have some time to bring one."""
        services.stopping.set()
        loop.call_soon_threadsafe(loop.stop_accepting)
        loop.call_soon_threadsafe(loop.call_later, LAST_REQUEST, stop, *arguments)

    config = uvicorn.Config(
        WebApp(app, begin),
        http="h11",
        h11_max_incomplete_event_size=HEAD,
        ws="none",
        lifespan="on",
        interface="asgi3",
        log_config=None,
        access_log=False,
        proxy_headers=False,  # ProxyFix alone decides which headers of a proxy to trust, by the setting `proxies`
        server_header=False,
        backlog=BACKLOG,
        timeout_keep_alive=max(1, int(settings.client_timeout)),
        timeout_graceful_shutdown=GRACE,
        ssl_certfile=settings.tls_cert or None,
        ssl_keyfile=settings.tls_key or None,
    )
    loop = _Loop(ConnectionLimits(total, settings.client_timeout))
    for number in SIGNALS:  # that uvicorn has got, it raises again when it has stopped
        signal.signal(number, lambda *_: services.stopping.set())
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(uvicorn.Server(config).serve([listener]))


def main(arguments: list[str]) -> None:
    """Serve until a signal, or until the parent is gone. All is made ready while the parent upgrades the database."""
    settings = read_settings(os.environ)
    logs.set_up(settings, "web", WithRequest())
    app = create_app()
    if not child_process.wait_release():
        return
    child_process.watch(system.stop_this_process)
    serve(app, *map(int, arguments))
