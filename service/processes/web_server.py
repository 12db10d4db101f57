"""The web server, uvicorn. This module sets all of its options.

``python -m service.processes.entry service.processes.web_server <fd> <serves>`` serves on the open listening socket
with file descriptor ``fd``, or with -1 on one that it opens itself, and writes to the pipe ``serves`` when it does.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import sys
from contextlib import suppress
from functools import partial
from typing import Any

import uvicorn
from flask import Flask

try:
    import uvloop
except ImportError:  # there is none for Windows
    uvloop = None  # type: ignore[assignment]

from service.app import create_app
from service.http.context import services_of
from service.http.request_log import WithRequest
from service.settings import DESK, read_settings

from . import child_process, logs, system
from .garbage import SHORT, collect_less
from .listening import listen
from .scheduling.call_threads import LoopCalls
from .scheduling.one_cpu import keep_on_one_cpu
from .watch import keep_watch
from .web.app import WebApp
from .web.connection import Connections, WebConnection

GRACE = int(child_process.STOP_WITHIN) - 1  # seconds for running requests when the service stops
OTHER_CONNECTIONS = 2000  # of a process, besides its live streams
OTHER_FILES = 256  # open files of a process, besides connections
BACKLOG = 128  # connections that wait to be accepted
SWITCH_EVERY = 0.0002  # seconds that one thread may compute while others wait


class Server(uvicorn.Server):
    """Says when it serves. Ends live streams on a signal: else the server would wait for them."""

    def __init__(self, config: uvicorn.Config, stopping: Any, serves: int) -> None:
        super().__init__(config)
        self._stopping = stopping
        self._serves = serves

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self._serves != system.NOT_INHERITED:
            with suppress(BrokenPipeError):  # the parent is gone, and this process ends
                os.write(self._serves, b"\n")

    def handle_exit(self, sig: int, frame: Any) -> None:
        self._stopping.set()
        self.should_exit = True


class _Loop(asyncio.SelectorEventLoop if uvloop is None else uvloop.Loop):  # type: ignore[misc]
    """Ends TLS handshakes after `handshake` seconds; by itself it gives them 60."""

    handshake: float

    async def create_server(self, *arguments: Any, **options: Any) -> Any:
        if options.get("ssl") is not None:
            options["ssl_handshake_timeout"] = self.handshake
        return await super().create_server(*arguments, **options)


def serve(app: Flask, fd: int, serves: int) -> None:
    """Serve until a signal."""
    services = services_of(app)
    settings = services.settings
    total = min(settings.max_streams + OTHER_CONNECTIONS, system.MAX_SOCKETS)
    system.allow_files(total + OTHER_FILES)
    inherited = fd != system.NOT_INHERITED
    listener = socket.socket(fileno=fd) if inherited else listen(settings.host, settings.port)
    sys.setswitchinterval(SWITCH_EVERY)
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    has_desk = DESK in settings.parts  # it checks the games, and warns
    keep_watch(services.watch, services.clocks, services.stopping, 0.0, warns=not has_desk)
    collect_less(SHORT)

    async def run() -> None:
        loop_calls = LoopCalls(asyncio.get_running_loop())
        keep_on_one_cpu(asyncio.get_running_loop())
        connections = Connections(total, by_address=not settings.proxies)
        config = uvicorn.Config(
            WebApp(app, loop_calls),
            http=partial(WebConnection, connections, settings.client_timeout, services.stopping),  # type: ignore[arg-type]
            ws="none",
            lifespan="off",
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
        await Server(config, services.stopping, serves).serve([listener])

    loop = _Loop()
    loop.handshake = settings.client_timeout
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(run())


def main(arguments: list[str]) -> None:
    """Serve until a signal, or until the parent is gone. All is made ready while the parent upgrades the database."""
    settings = read_settings(os.environ)
    logs.set_up(settings, "web", WithRequest())
    app = create_app()
    if not child_process.wait_release():
        return
    child_process.watch(system.stop_this_process)
    serve(app, *map(int, arguments))
