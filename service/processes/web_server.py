"""The web server, gunicorn. This module sets all of its options.

``python -m service.processes.web_server <fd>`` serves on the open listening socket with file descriptor ``fd``.
"""

from __future__ import annotations

import logging
import os
import resource
import signal
import sys
from typing import Any

from flask import Flask
from gunicorn.app.base import BaseApplication  # type: ignore[import-untyped]
from gunicorn.glogging import Logger  # type: ignore[import-untyped]

from service.app import create_app
from service.http.context import services_of
from service.http.request_log import WithRequest
from service.settings import Settings, memory_folder, read_settings

from . import child_process, logs
from .garbage import SHORT, collect_less
from .metrics import merge_ended
from .watch import keep_watch
from .web_worker import HEADER, HEADERS, REQUEST_LINE, WebWorker

GRACE = int(child_process.STOP_WITHIN) - 1  # seconds for running requests when the service stops
OTHER_CONNECTIONS = 2000  # of a worker process, besides its live streams
OTHER_FILES = 256  # open files of a process, besides connections


def serve(settings: Settings, fd: int) -> None:
    """Serve until a signal."""

    class Logs(Logger):  # type: ignore[misc]
        """Leaves lines to the handlers of this process, which remove secrets."""

        def setup(self, cfg: Any) -> None:
            for log in (self.error_log, self.access_log):
                log.handlers[:] = []
                log.propagate = True
            self.error_log.setLevel(logging.WARNING)

    class WebServer(BaseApplication):  # type: ignore[misc]
        def load_config(self) -> None:
            options: dict[str, Any] = {
                "bind": f"fd://{fd}",
                "workers": settings.workers,
                "threads": settings.threads,
                "worker_class": WebWorker,
                "worker_connections": connections,
                "limit_request_line": REQUEST_LINE,
                "limit_request_fields": HEADERS,
                "limit_request_field_size": HEADER,
                "graceful_timeout": GRACE,
                "timeout": 60,
                "logger_class": Logs,
                "proc_name": "inkeek-web",
                "worker_tmp_dir": memory_folder(),
                "control_socket_disable": True,
                "certfile": settings.tls_cert or None,
                "keyfile": settings.tls_key or None,
                # ProxyFix alone decides which headers of a proxy to trust, by the setting `proxies`.
                "forwarded_allow_ips": "",
                "post_worker_init": lambda worker: prepare_worker(worker.app.callable),
                "child_exit": lambda server, worker: merge_ended(worker.pid),
            }
            for name, value in options.items():
                self.cfg.set(name, value)

        def load(self) -> Flask:
            return create_app()

    merge_ended()  # the workers of the web server before this one, if it was killed
    connections = settings.max_streams + OTHER_CONNECTIONS
    _allow_files(connections)
    WebServer().run()


def _allow_files(count: int) -> None:
    """Allow this process and its children to have so many files open, if the system lets them."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + OTHER_FILES if hard == resource.RLIM_INFINITY else min(count + OTHER_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def prepare_worker(app: Flask) -> None:
    """Prepare a worker process after its application was created."""
    end_streams_on_stop(app)
    services = services_of(app)
    keep_watch(services.watch, services.stopping, 0.0)  # the desk checks the games
    collect_less(SHORT)


def end_streams_on_stop(app: Flask) -> None:
    """In a worker: end live streams on SIGTERM, so that the worker need not wait for them."""
    services = services_of(app)
    before = signal.getsignal(signal.SIGTERM)

    def stop(number: int, frame: Any) -> None:
        services.stopping.set()
        if callable(before):
            before(number, frame)

    signal.signal(signal.SIGTERM, stop)


def main(arguments: list[str]) -> None:
    """Serve until a signal, or until the parent is gone."""
    os.environ.pop("GUNICORN_CMD_ARGS", None)
    settings = read_settings(os.environ)
    logs.set_up(settings, "web", WithRequest())
    fd = int(arguments[0])
    if not child_process.wait_release():
        return
    child_process.watch(lambda: os.kill(os.getpid(), signal.SIGTERM))
    serve(settings, fd)


if __name__ == "__main__":
    main(sys.argv[1:])
