"""The web processes: gunicorn, told everything by this module and nothing by files or its own environment variable.

``python -m service.webserver <fd>`` serves on a listening socket that is open already as file descriptor ``fd``.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

from flask import Flask
from gunicorn.app.base import BaseApplication  # type: ignore[import-untyped]

from . import leash
from .app import create_app
from .settings import Settings, read_settings

GRACE = 2  # seconds that open streams get when the service stops


class WebServer(BaseApplication):  # type: ignore[misc]
    """gunicorn with threads: a live stream holds one for as long as it lasts."""

    def __init__(self, settings: Settings, fd: int) -> None:
        self._settings = settings
        self._fd = fd
        super().__init__()

    def load_config(self) -> None:
        options: dict[str, Any] = {
            "bind": f"fd://{self._fd}",
            "workers": self._settings.workers,
            "threads": self._settings.threads,
            "worker_class": "gthread",
            "worker_connections": 4 * self._settings.threads,
            "graceful_timeout": GRACE,
            "timeout": 60,
            "keepalive": 5,
            "loglevel": "warning",
            "proc_name": "inkeek-web",
            "control_socket_disable": True,
        }
        for name, value in options.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        return create_app()


def main(arguments: list[str]) -> None:
    """Serve until the parent lets go or a signal says stop."""
    os.environ.pop("GUNICORN_CMD_ARGS", None)
    settings = read_settings(os.environ)
    leash.watch(lambda: os.kill(os.getpid(), signal.SIGQUIT))
    WebServer(settings, int(arguments[0])).run()


if __name__ == "__main__":
    main(sys.argv[1:])
