"""`inkeek serve`: a parent process that owns the listening socket, and two child processes, web server and desk."""

from __future__ import annotations

import logging
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

from service.errors import ServiceError
from service.settings import METRICS_FOLDER, Settings, as_environ, memory_folder

from . import child_process

if TYPE_CHECKING:
    from service.http.access.keys import Keys

log = logging.getLogger(__name__)

CHECK_EVERY = 0.2  # seconds between checks of the children
BIND_WITHIN = 5.0  # seconds to wait for a port that a service that just died may still hold
RESTART_AFTER = (1.0, 30.0)  # seconds until a crashed desk is restarted: at first, at most
HEALTHY_AFTER = 60.0  # seconds after which a desk counts as healthy


class PortTaken(ServiceError):
    """The address cannot be served on."""

    slug = "port-taken"
    title = "The port is taken"


def serve(settings: Settings, *, exit_with_parent: bool, ready: Callable[[str, str | None], None]) -> int:
    """Serve until a signal, or with `exit_with_parent` until the parent is gone. Return the exit status.

    Once requests are accepted, `ready` gets the address and, if nobody has a key yet, a link that signs a browser in.
    Call this from the main thread.

    :raises ServiceError: the database or the port cannot be used.
    """
    if not settings.is_local and not settings.tls_cert and not settings.proxies:
        log.warning(
            "serving on %s without TLS: others on the network can read tokens and use them. Set tls_cert and tls_key, "
            "or use a proxy with TLS (docs/operation.md)",
            settings.host,
        )
    stop = threading.Event()
    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: stop.set())
    if exit_with_parent:
        child_process.watch(stop.set)
    with (
        listen(settings.host, settings.port) as listener,
        tempfile.TemporaryDirectory(prefix="inkeek-figures-", dir=memory_folder()) as figures,
    ):
        host, port = listener.getsockname()[:2]
        environ = as_environ(settings)
        fd = listener.fileno()
        web = child_process.start(
            ["-m", "service.processes.web_server", str(fd)], {**environ, METRICS_FOLDER: figures}, pass_fds=(fd,)
        )
        try:
            # While the web server imports its modules, which takes longest: migrate, then let it answer requests.
            from service.http.access.keys import open_keys

            with open_keys(settings) as keys:
                first = first_link(keys, settings)
            child_process.release(web)
            url = address(settings, host, port)
            ready(url, first and sign_in_url(url, first))
            return _supervise(web, lambda: child_process.start(["-m", "service.boards.desk"], environ), stop)
        finally:
            child_process.stop(web)


def first_link(keys: Keys, settings: Settings) -> str | None:
    """Make a link that signs the first browser in and return its secret; None if somebody already has a key."""
    from service.http.access.caller import LINK

    if any(keys.is_good(key) for key in keys.list()):
        return None
    return keys.create(LINK, "page", ("admin",), timedelta(seconds=settings.link_lifetime))[1]


def address(settings: Settings, host: str, port: int) -> str:
    """The service's root URL for a browser on this machine."""
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    scheme = "https" if settings.tls_cert else "http"
    return f"{scheme}://[{shown}]:{port}/" if ":" in shown else f"{scheme}://{shown}:{port}/"


def sign_in_url(root: str, secret: str) -> str:
    """The link with this secret."""
    return f"{root.rstrip('/')}/sign-in?key={secret}"


def listen(host: str, port: int) -> socket.socket:
    """A listening socket.

    :raises PortTaken: another program keeps the port.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    deadline = time.monotonic() + BIND_WITHIN
    while True:
        try:
            return socket.create_server((host.strip("[]"), port), family=family, backlog=128)
        except OSError as error:
            if time.monotonic() >= deadline:
                message = f"cannot serve on {host} port {port}: {error.strerror}; choose another with --port"
                raise PortTaken(message) from error
            time.sleep(CHECK_EVERY)


def _supervise(
    web: subprocess.Popen[bytes], start_desk: Callable[[], subprocess.Popen[bytes]], stop: threading.Event
) -> int:
    """Keep a desk running until `stop`, or until the web server ends. Return the exit status."""
    desk = start_desk()
    started, wait, restart_at = time.monotonic(), RESTART_AFTER[0] / 2, None
    try:
        while not stop.wait(CHECK_EVERY):
            if web.poll() is not None:
                log.error("the web server ended with status %s", web.returncode)
                return 1
            now = time.monotonic()
            if restart_at is not None:
                if now >= restart_at:
                    child_process.stop(desk)
                    desk, started, restart_at = start_desk(), now, None
            elif desk.poll() is not None:
                wait = RESTART_AFTER[0] if now - started > HEALTHY_AFTER else min(2 * wait, RESTART_AFTER[1])
                log.error("the desk ended with status %s; it is restarted in %g s", desk.returncode, wait)
                restart_at = now + wait
        return 0
    finally:
        child_process.stop(desk)
