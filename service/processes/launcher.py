"""`inkeek serve`: the first process. It owns the listening socket and keeps a supervisor running.

It does as little as possible, so that little can end it. If it is killed, all other processes end by themselves.
"""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from records.version import __version__
from service.errors import ServiceError, SettingError
from service.settings import ENCRYPTED, METRICS_FOLDER, Settings, as_environ, memory_folder

from . import child_process, system
from .certificate import with_own_certificate
from .restarts import RestartedChild
from .run_file import noted

log = logging.getLogger(__name__)

CHECK_EVERY = 0.2  # seconds between checks of the supervisor
BIND_WITHIN = 5.0  # seconds to wait for a port that a service that just died may still hold
REOPEN_AFTER = 2.0  # seconds, in which the page of the choice loads what it needs
SUPERVISOR_STOPS_WITHIN = child_process.STOP_WITHIN + 1  # seconds: it stops its children first
STOPS_WITHIN = SUPERVISOR_STOPS_WITHIN + 1
BROWSER = "browser"  # the argument of the supervisor that has it open one
FIGURES = "inkeek-figures-"  # how the names of folders of metrics begin


class PortTaken(ServiceError):
    """The address cannot be served on."""

    slug = "port-taken"
    title = "The port is taken"


def serve(settings: Settings, *, exit_with_parent: bool, browser: bool = False) -> int:
    """Serve until a signal, or with `exit_with_parent` until the parent is gone. Return the exit status. `browser`:
    open the first page in one.

    Call this from the main thread.

    :raises ServiceError: the port or the certificate cannot be used.
    """
    log.info("Inkeek %s", __version__)
    stop = stop_on_signals()
    if exit_with_parent:
        child_process.watch(stop.set, within=STOPS_WITHIN)
    while True:
        choice = settings.phones_choice
        now = replace(settings, host="0.0.0.0") if choice else settings
        if choice == ENCRYPTED:
            now = with_own_certificate(now)
        with listen(now.host, now.port) as listener:
            settings = replace(settings, port=listener.getsockname()[1])  # it stays when it is opened again
            now = replace(now, port=settings.port)
            with noted(now):
                status = _serve_on(listener, now, stop, choice=choice, browser=browser)
        if status is not None:
            return status
        browser = False


def _serve_on(
    listener: socket.socket, settings: Settings, stop: threading.Event, *, choice: str, browser: bool
) -> int | None:
    """Serve until `stop`, and return the exit status; None: until the choice about phones is no longer this one."""
    if not settings.is_local and not settings.tls_cert and not settings.proxies:
        log.warning(
            "serving on %s without TLS: others on the network can read tokens and use them. Set tls_cert and tls_key, "
            "or use a proxy with TLS (docs/operation.md)",
            settings.host,
        )
    _check_certificate(settings)
    with _metrics_folder() as figures:
        shared = replace(settings, ticket_secret=settings.ticket_secret or secrets.token_hex())
        environ = {**as_environ(shared), METRICS_FOLDER: figures}
        if not system.IS_UNIX:
            listener.close()  # the web server opens its own; its number is `NOT_INHERITED` from now on
        supervisor = Supervisor(listener.fileno(), environ, browser=browser)
        kept = RestartedChild("the supervisor", supervisor.start)
        try:
            while not stop.wait(CHECK_EVERY):
                status = kept.check()
                if status is not None:
                    return status
                if settings.phones_choice != choice:
                    stop.wait(REOPEN_AFTER)
                    return None
            return 0
        finally:
            child_process.stop(kept.child, within=SUPERVISOR_STOPS_WITHIN)
            supervisor.close()


def stop_on_signals() -> threading.Event:
    """An event that is set by the signals that stop the service."""
    stop = threading.Event()
    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK"):  # the last on Windows, also when its window is closed
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: stop.set())
    return stop


class Supervisor:
    """Starts `service.processes.supervisor` on the listening socket `fd`, after all processes of the last one are gone.

    All of them hold the write end of a pipe; its read end tells when the last one has closed it. Where nothing is
    inherited they get the time in which they end without their supervisor.
    """

    def __init__(self, fd: int, environ: dict[str, str], *, browser: bool) -> None:
        """:param browser: the first one opens the first page in a browser."""
        self._fd = fd
        self._environ = environ
        self._browser = browser
        self._has_started = False
        self._family: int | None = None

    def start(self) -> subprocess.Popen[bytes]:
        self.close()
        if self._fd == system.NOT_INHERITED:
            if self._has_started:
                time.sleep(STOPS_WITHIN)
            self._has_started = True
            return self._start(self._fd, self._fd)
        self._family, write_end = os.pipe()
        try:
            return self._start(self._fd, write_end)
        finally:
            os.close(write_end)

    def _start(self, *inherited: int) -> subprocess.Popen[bytes]:
        arguments = ["-m", f"{__package__}.supervisor", *map(str, inherited)]
        arguments += [BROWSER] if self._browser else []
        self._browser = False
        return child_process.start(arguments, self._environ, inherited=inherited)

    def close(self) -> None:
        """Wait until all processes of the supervisor are gone, but not for ever."""
        if self._family is None:
            return
        deadline = time.monotonic() + STOPS_WITHIN
        while not select.select([self._family], [], [], CHECK_EVERY)[0]:
            if time.monotonic() > deadline:
                log.error("processes of the last supervisor still run, after %g s", STOPS_WITHIN)
                break
        os.close(self._family)
        self._family = None


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


def free_or_any(port: int) -> int:
    """Return `port` if it is free, else 0, which means any."""
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return 0
    return port


def _check_certificate(settings: Settings) -> None:
    """:raises SettingError: the certificate or its key cannot be used."""
    if settings.tls_cert:
        import ssl  # slow, and seldom needed

        try:
            ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(settings.tls_cert, settings.tls_key)
        except OSError as error:  # ssl.SSLError too
            raise SettingError(
                f"tls_cert is {settings.tls_cert!r} and tls_key {settings.tls_key!r}: cannot be used: {error}"
            ) from error


@contextlib.contextmanager
def _metrics_folder() -> Iterator[str]:
    """A folder for the metrics of all processes. Removes those of services that were killed."""
    parent = Path(memory_folder() or tempfile.gettempdir())
    for folder in parent.glob(f"{FIGURES}*"):
        with contextlib.suppress(OSError), system.folder_lock(folder):
            shutil.rmtree(folder)
    while True:
        with (
            tempfile.TemporaryDirectory(prefix=FIGURES, dir=parent, ignore_cleanup_errors=True) as name,
            contextlib.ExitStack() as stack,
        ):
            try:
                if system.HAS_FOLDER_LOCKS:
                    stack.enter_context(system.folder_lock(Path(name)))
            except OSError:
                continue  # another service that starts now took it for a remainder
            yield name
            return
