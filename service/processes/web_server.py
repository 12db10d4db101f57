"""The web processes: gunicorn, or waitress where there is no fork, told everything by this module and nothing by files
or their own environment variables.

``python -m service.webserver <fd>`` serves on a listening socket that is open already as file descriptor ``fd``.
"""

from __future__ import annotations

import gc
import logging
import os
import signal
import socket
import sys
import threading
import time
from typing import Any

from flask import Flask

from service.app import create_app
from service.http.context import services_of
from service.http.request_log import WithRequest
from service.settings import Settings, memory_folder, read_settings

from . import child_process, logs
from .metrics import process_died

GRACE = int(child_process.STOP_WITHIN) - 1  # seconds in which requests are answered yet when the service stops
GC_THRESHOLD = 20_000  # new objects between two looks of the garbage collector; 700 by default
LOOK_EVERY = 0.05  # seconds between looks whether all is answered


def uses_gunicorn(settings: Settings) -> bool:
    """Whether gunicorn serves: it forks."""
    return settings.server == "gunicorn" or (settings.server == "auto" and hasattr(os, "fork"))


def run_gunicorn(settings: Settings, fd: int) -> None:
    """Serve with threads, of which a live stream holds one for as long as it lasts. Returns when a signal said stop."""
    # Not where there is no fork: these cannot be imported there.
    from gunicorn.app.base import BaseApplication  # type: ignore[import-untyped]
    from gunicorn.glogging import Logger  # type: ignore[import-untyped]

    class Logs(Logger):  # type: ignore[misc]
        """Leaves lines to the handlers of this process, which know what must not be told."""

        def setup(self, cfg: Any) -> None:
            for told in (self.error_log, self.access_log):
                told.handlers[:] = []
                told.propagate = True
            self.error_log.setLevel(logging.WARNING)

    class WebServer(BaseApplication):  # type: ignore[misc]
        def load_config(self) -> None:
            options: dict[str, Any] = {
                "bind": f"fd://{fd}",
                "workers": settings.workers,
                "threads": settings.threads,
                "worker_class": "gthread",
                "worker_connections": 4 * settings.threads,
                "graceful_timeout": GRACE,
                "timeout": 60,
                "keepalive": 5,
                "logger_class": Logs,
                "proc_name": "inkeek-web",
                "worker_tmp_dir": memory_folder(),
                "control_socket_disable": True,
                "certfile": settings.tls_cert or None,
                "keyfile": settings.tls_key or None,
                # ProxyFix alone decides what to believe of a proxy, by the setting `proxies`.
                "forwarded_allow_ips": "",
                "post_worker_init": lambda worker: prepare_worker(worker.app.callable),
                "child_exit": lambda server, worker: process_died(worker.pid),
            }
            for name, value in options.items():
                self.cfg.set(name, value)

        def load(self) -> Flask:
            return create_app()

    WebServer().run()


def prepare_worker(app: Flask) -> None:
    """Settle a worker process in which the application has been made."""
    end_streams_on_stop(app)
    # The application's own objects never become garbage: do not look through them again and again.
    gc.collect()
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD, 20, 20)


def end_streams_on_stop(app: Flask) -> None:
    """In a worker: have live streams end as soon as it is told to stop, so that it need not wait for them."""
    services = services_of(app)
    before = signal.getsignal(signal.SIGTERM)

    def stop(number: int, frame: Any) -> None:
        services.stopping.set()
        if callable(before):
            before(number, frame)

    signal.signal(signal.SIGTERM, stop)


def run_waitress(settings: Settings, fd: int) -> None:
    """Serve from one process. Returns when a signal said stop and what was begun is answered, at most `GRACE` later."""
    from waitress.server import create_server

    app = create_app()
    services = services_of(app)
    listener = socket.socket(fileno=fd)
    server: Any = create_server(app, sockets=[listener], threads=settings.threads, ident=None)
    stop = threading.Event()

    def serve() -> None:
        try:
            server.run()
        finally:
            stop.set()

    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    threading.Thread(target=serve, name="serve", daemon=True).start()
    stop.wait()
    services.stopping.set()
    server.accepting = False
    deadline = time.monotonic() + GRACE
    while time.monotonic() < deadline and any(
        channel.requests or channel.total_outbufs_len for channel in list(server.active_channels.values())
    ):
        time.sleep(LOOK_EVERY)


def main(arguments: list[str]) -> None:
    """Serve until the parent lets go or a signal says stop."""
    os.environ.pop("GUNICORN_CMD_ARGS", None)
    settings = read_settings(os.environ)
    logs.set_up(settings, "web", WithRequest())
    fd = int(arguments[0])
    if not child_process.wait_release():
        return
    if uses_gunicorn(settings):
        child_process.watch(lambda: os.kill(os.getpid(), signal.SIGQUIT))
        run_gunicorn(settings, fd)
    else:
        child_process.watch(lambda: os.kill(os.getpid(), signal.SIGTERM))
        run_waitress(settings, fd)


if __name__ == "__main__":
    main(sys.argv[1:])
