"""`inkeek serve`: the first process. It owns the listening socket, upgrades the database, and keeps the web servers,
the desk and the process of jobs running, or those that the setting `roles` names.

If it is killed, all other processes end by themselves.
"""

from __future__ import annotations

import contextlib
import logging
import os
import select
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from cryptography.x509 import load_pem_x509_certificate

from inkeek.drivers.ports.transport import DATABASE
from inkeek.records.version import __version__
from inkeek.service.errors import SettingError
from inkeek.service.files import MAX_CERTIFICATES, read_bounded
from inkeek.service.http.addresses import ANY
from inkeek.service.settings import DESK, ENCRYPTED, JOBS, METRICS_FOLDER, WEB, Settings, as_environ, memory_folder
from inkeek.service.storage.clock import utc_now
from inkeek.service.storage.database.engine import shown_url

from . import announcement, child_process, system
from .certificate import with_own_certificate
from .heartbeats import note_restart
from .listening import listen, notify, passed_listener
from .metrics import forget_process
from .run_file import noted

log = logging.getLogger(__name__)

RESTART_AFTER = (0.25, 15.0)  # seconds until a process is started again: at first, at most
HEALTHY_AFTER = 10.0  # seconds after which a process counts as healthy


class RestartedChild:
    """A child process, called `name` in the log, that is started again whenever it ends.

    It is started at once after a healthy run, and twice as late after each run that was short. `child` is the first
    process if it runs already; `on_end` gets the id of each that has ended.
    """

    def __init__(
        self,
        name: str,
        start: Callable[[], subprocess.Popen[bytes]],
        child: subprocess.Popen[bytes] | None = None,
        clock: Callable[[], float] = time.monotonic,
        on_end: Callable[[int], None] = lambda pid: None,
    ) -> None:
        self._name = name
        self._start = start
        self._clock = clock
        self._on_end = on_end
        self.child = start() if child is None else child
        self._started = clock()
        self._restart_at: float | None = None
        self._short_runs = 0
        self._has_worked = False

    def check(self) -> int | None:
        """Start the process again if it has ended and the time has come.

        Return an exit status once the process has ended by itself and never worked before: it cannot start.
        """
        now = self._clock()
        if self._restart_at is not None:
            if now >= self._restart_at:
                try:
                    self.child = self._start()
                except OSError as error:  # no memory for another process
                    log.error("%s cannot be started again now: %s", self._name, error)
                    self._restart_at = now + RESTART_AFTER[1]
                else:
                    self._started, self._restart_at = self._clock(), None
            return None
        status = child_process.ended(self.child)
        if status is None:
            return None
        self._on_end(self.child.pid)
        is_healthy = now - self._started > HEALTHY_AFTER
        self._has_worked |= is_healthy or status <= 0
        self._short_runs = 0 if is_healthy else self._short_runs + 1
        wait = min(RESTART_AFTER[0] * 2 ** min(self._short_runs - 1, 16), RESTART_AFTER[1]) if self._short_runs else 0.0
        if not self._has_worked:
            log.error("%s %s soon after its first start", self._name, _describe(status))
            return status
        again = f", {self._short_runs} times in a row soon after its start" if self._short_runs > 1 else ""
        log.error("%s %s%s; it is started again in %g s", self._name, _describe(status), again, wait)
        self._restart_at = now + wait
        return None if wait else self.check()


def _describe(status: int) -> str:
    if status >= 0:
        return f"ended with status {status}"
    try:
        return f"was killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"was killed by signal {-status}"


_ENTRY = ("-m", "inkeek.service.processes.entry")
WEB_SERVER = (*_ENTRY, "inkeek.service.processes.web_server")
DESK_PROCESS = (*_ENTRY, "inkeek.service.boards.desk_process")
JOBS_PROCESS = (*_ENTRY, "inkeek.service.jobs.process")
STDERR = 2  # the file descriptor; nothing but this process has to say anything on standard output
CHECK_EVERY = 0.2  # seconds between checks of the processes
REOPEN_AFTER = 2.0  # seconds, in which the page of the choice loads what it needs
FIGURES = "inkeek-figures-"  # how the names of folders of metrics begin


def serve(settings: Settings, *, exit_with_parent: bool, browser: bool = False) -> int:
    """Serve until a signal, or with `exit_with_parent` until the parent is gone. Return the exit status. `browser`:
    open the first page in one.

    Call this from the main thread.

    :raises ServiceError: the port, the certificate or the database cannot be used.
    """
    passed = passed_listener()
    stop = stop_on_signals()
    system.write_in_background()
    log.info("Inkeek %s", __version__)
    if exit_with_parent:
        child_process.watch(stop.set, within=child_process.STOP_FAMILY_WITHIN)
    if WEB not in settings.parts:
        if passed is not None:
            passed.close()
        return _supervise(None, settings, stop, choice=None, browser=False) or 0
    while True:
        choice = settings.phones_choice
        now = replace(settings, host="0.0.0.0") if choice else settings
        if passed is not None:  # its address counts; a name in the settings stays one of the service
            names = f"{settings.allowed_hosts},{settings.host}"
            now = replace(now, host=passed.getsockname()[0], allowed_hosts=names)
        if choice == ENCRYPTED:
            now = with_own_certificate(now)
        with passed or listen(now.host, now.port) as listener:
            settings = replace(settings, port=listener.getsockname()[1])  # it stays when it is opened again
            now = replace(now, port=settings.port)
            with noted(now):
                status = _serve_on(listener, now, stop, choice=choice, browser=browser)
        if status is not None:
            return status
        browser, passed = False, None


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
    check_certificate(settings)
    try:
        check_validity(settings)
    except SettingError as error:  # better than no service
        log.warning("%s", error)
    return _supervise(listener, settings, stop, choice=choice, browser=browser)


def _supervise(
    listener: socket.socket | None, settings: Settings, stop: threading.Event, *, choice: str | None, browser: bool
) -> int | None:
    """Upgrade the database, say where the service is, and keep its processes running until `stop`.

    Return as `_serve_on`; `listener` and `choice` are None without the web server. The exit status is not 0 if the web
    server, or without one another process, cannot start.

    :raises ServiceError: the database cannot be used.
    """
    if listener is not None and not system.IS_UNIX:
        listener.close()  # the web server opens its own; its number is `NOT_INHERITED` from now on
    fd = system.NOT_INHERITED if listener is None else listener.fileno()
    has_socket = fd != system.NOT_INHERITED
    count = 0 if listener is None else settings.workers if has_socket else 1
    if listener is not None and count < settings.workers:
        log.warning("workers is %d, but on this system there is one web process", settings.workers)
    # Web servers say there that they serve, if they inherit it.
    ready, serves = os.pipe() if has_socket else (system.NOT_INHERITED, system.NOT_INHERITED)
    web: list[RestartedChild] = []
    others: list[RestartedChild] = []
    ends = threading.Event()
    with _metrics_folder() as (folder, lock):
        environ = {**as_environ(settings), METRICS_FOLDER: str(folder)}

        def start_waiting() -> subprocess.Popen[bytes]:
            inherited = (*lock, fd, serves) if has_socket else lock
            command = (*WEB_SERVER, str(fd), str(serves))
            return child_process.start(command, environ, inherited=inherited, stdout=STDERR)

        def start_web() -> subprocess.Popen[bytes]:
            child = start_waiting()
            child_process.release(child)
            return child

        def start_desk() -> subprocess.Popen[bytes]:
            # Whoever finds a port taken reads there by whom.
            database = shown_url(settings.database_url, with_options=False)
            command = (*DESK_PROCESS, DATABASE, database)
            return child_process.start(command, environ, inherited=lock, stdout=STDERR)

        def start_jobs() -> subprocess.Popen[bytes]:
            return child_process.start(JOBS_PROCESS, environ, inherited=lock, gives_way=True, stdout=STDERR)

        def note_end(part: str, pid: int) -> None:
            forget_process(folder, pid)
            note_restart(folder, part)

        # While web servers import their modules, which takes longest: upgrade, then let them answer requests.
        waiting = [start_waiting() for _ in range(count)]
        try:
            url, link = announcement.announce(settings, fd, browser=browser)
            for number, child in enumerate(waiting, 1):
                name = "the web server" if count == 1 else f"web server {number}"
                web.append(RestartedChild(name, start_web, child, on_end=partial(note_end, "web")))
                child_process.release(child)
            if browser:
                announcement.open_browser(fd, link)
            has_begun = False
            while not stop.wait(CHECK_EVERY):
                statuses = [other.check() for other in others]
                if web:
                    statuses = [server.check() for server in web]  # without the others, pages and API still work
                for status in statuses:
                    if status is not None:
                        return status
                if choice not in (None, settings.phones_choice):
                    stop.wait(REOPEN_AFTER)
                    return None
                if (has_socket and not _hears(ready)) or has_begun:
                    continue
                has_begun = True
                notify("READY=1")
                if DESK in settings.parts:
                    others.append(RestartedChild("the desk", start_desk, on_end=partial(note_end, "desk")))
                if JOBS in settings.parts:
                    others.append(RestartedChild("the process of jobs", start_jobs, on_end=partial(note_end, "jobs")))
                if web and settings.host in ANY:
                    threading.Thread(target=announcement.show_changes, args=(url, ends), daemon=True).start()
            notify("STOPPING=1")
            return 0
        finally:
            ends.set()
            if listener is not None:
                listener.close()  # who connects now is refused at once, instead of when all processes are gone
            child_process.stop(*waiting, *(kept.child for kept in (*web, *others)))
            if has_socket:
                os.close(ready)
                os.close(serves)


def _hears(pipe: int) -> bool:
    """Whether somebody has written to a pipe since it was asked last."""
    return bool(select.select([pipe], [], [], 0.0)[0] and os.read(pipe, 64))


def stop_on_signals() -> threading.Event:
    """An event that is set by the signals that stop the service."""
    stop = threading.Event()
    names = ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK")  # the last on Windows, also when its window is closed
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
        numbers.remove(signal.SIGHUP)  # with `nohup`
    system.set_on_signals(stop, *numbers)
    return stop


def check_certificate(settings: Settings) -> None:
    """:raises SettingError: the certificate or its key cannot be used."""
    if settings.tls_cert:
        try:
            for path in (settings.tls_cert, settings.tls_key):
                read_bounded(path, MAX_CERTIFICATES)  # a device has no end
            ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(settings.tls_cert, settings.tls_key)
        except OSError as error:  # ssl.SSLError too
            raise SettingError(
                f"tls_cert is {settings.tls_cert!r} and tls_key {settings.tls_key!r}: cannot be used: {error}"
            ) from error


def check_validity(settings: Settings) -> None:
    """:raises SettingError: the certificate has expired, or is not valid yet."""
    if settings.tls_cert:
        certificate = load_pem_x509_certificate(Path(settings.tls_cert).read_bytes())
        begins, ends = certificate.not_valid_before_utc, certificate.not_valid_after_utc
        if not begins <= utc_now() <= ends:
            raise SettingError(
                f"tls_cert is {settings.tls_cert!r}, valid from {begins:%Y-%m-%d} to {ends:%Y-%m-%d}: browsers warn of "
                "it today. Renew it"
            )


@contextlib.contextmanager
def _metrics_folder() -> Iterator[tuple[Path, tuple[int, ...]]]:
    """A new folder for the metrics of all processes, and the lock that they inherit. Those of services that were killed
    are removed, once all of their processes are gone."""
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
                lock = (stack.enter_context(system.folder_lock(Path(name))),) if system.HAS_FOLDER_LOCKS else ()
            except OSError:
                continue  # another service that starts now took it for a remainder
            yield Path(name), lock
            return
