"""`inkeek serve`: the first process. It owns the listening socket and keeps a supervisor running.

It does as little as possible, so that little can end it. If it is killed, all other processes end by themselves.
"""

from __future__ import annotations

import contextlib
import logging
import os
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
from service.settings import ENCRYPTED, METRICS_FOLDER, WEB, Settings, as_environ, memory_folder
from service.storage.clock import utc_now

from . import child_process, handover, system
from .handover import Left, ProcessFamily, notify
from .heartbeats import note_restart
from .restarts import RestartedChild
from .run_file import noted

log = logging.getLogger(__name__)

CHECK_EVERY = 0.2  # seconds between checks of the supervisor
BIND_WITHIN = 5.0  # seconds to wait for a port that a service that just died may still hold
REOPEN_AFTER = 2.0  # seconds, in which the page of the choice loads what it needs
BROWSER = "browser"  # the argument of the supervisor that has it open one
BESIDE = "beside"  # the argument of a supervisor beside which the one before a reload still runs
FIGURES = "inkeek-figures-"  # how the names of folders of metrics begin


class PortTaken(ServiceError):
    """The address cannot be served on."""

    slug = "port-taken"
    title = "The port is taken"


def serve(settings: Settings, *, exit_with_parent: bool, browser: bool = False, reloads: bool = False) -> int:
    """Serve until a signal, or with `exit_with_parent` until the parent is gone. Return the exit status. `browser`:
    open the first page in one. `reloads`: SIGHUP runs the program again, unless it says that a terminal is closed.

    Call this from the main thread.

    :raises ServiceError: the port or the certificate cannot be used.
    """
    left, passed = handover.take_left(), handover.take_passed()
    reload = threading.Event()
    outlives_terminal = left is not None or not system.has_terminal() or _ignores_hangup()
    stop = stop_on_signals()
    if system.IS_UNIX and reloads and outlives_terminal:
        signal.signal(signal.SIGHUP, lambda *_: reload.set())
    system.hold_signals(False)
    system.write_in_background()
    log.info("Inkeek %s", __version__)
    if exit_with_parent:
        child_process.watch(stop.set, within=handover.STOPS_WITHIN)
    if WEB not in settings.parts:
        if passed is not None:
            passed.close()
        return _supervise(None, settings, stop, reload, left, choice=None, browser=False) or 0
    while True:
        choice = settings.phones_choice
        now = replace(settings, host="0.0.0.0") if choice else settings
        if passed is not None:  # its address counts; a name in the settings stays one of the service
            names = f"{settings.allowed_hosts},{settings.host}"
            now = replace(now, host=passed.getsockname()[0], allowed_hosts=names)
        if choice == ENCRYPTED:
            from .certificate import with_own_certificate  # slow, and seldom needed

            now = with_own_certificate(now)
        with passed or listen(now.host, now.port) as listener:
            settings = replace(settings, port=listener.getsockname()[1])  # it stays when it is opened again
            now = replace(now, port=settings.port)
            with noted(now):
                status = _serve_on(listener, now, stop, reload, left, choice=choice, browser=browser)
        if status is not None:
            return status
        browser, left, passed = False, None, None


def _serve_on(
    listener: socket.socket,
    settings: Settings,
    stop: threading.Event,
    reload: threading.Event,
    left: Left | None,
    *,
    choice: str,
    browser: bool,
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
    return _supervise(listener, settings, stop, reload, left, choice=choice, browser=browser)


def _supervise(
    listener: socket.socket | None,
    settings: Settings,
    stop: threading.Event,
    reload: threading.Event,
    left: Left | None,
    *,
    choice: str | None,
    browser: bool,
) -> int | None:
    """Keep a supervisor running; as `_serve_on`, where `listener` and `choice` are None without the web server."""
    with _metrics_folder(left.figures if left else "") as figures:
        environ = {**as_environ(settings), METRICS_FOLDER: figures}
        if listener is not None and not system.IS_UNIX:
            listener.close()  # the web server opens its own; its number is `NOT_INHERITED` from now on
        fd = system.NOT_INHERITED if listener is None else listener.fileno()
        supervisor = Supervisor(fd, environ, browser=browser, old=left.family if left else None)
        kept = RestartedChild(
            "the supervisor", supervisor.start, on_end=lambda _pid: note_restart(Path(figures), "serve")
        )
        failed: int | None = None
        try:
            while not stop.wait(CHECK_EVERY):
                if failed is None:
                    failed = kept.check()
                if failed is not None and not supervisor.falls_back():
                    return failed
                supervisor.look(kept.child)
                if choice not in (None, settings.phones_choice):
                    stop.wait(REOPEN_AFTER)
                    return None
                runs = failed is not None or child_process.ended(kept.child) is None
                if reload.is_set() and runs and supervisor.only is not None:
                    reload.clear()
                    _reload(listener, Left(supervisor.only, figures), stop)
            notify("STOPPING=1")
            return 0
        finally:
            if listener is not None:
                listener.close()  # who connects now is refused at once, instead of when all processes are gone
            supervisor.stop(kept.child)


def _reload(listener: socket.socket | None, left: Left, stop: threading.Event) -> None:
    """Run the program again; return if that on the disk cannot run, or `stop` is set meanwhile."""
    notify(f"RELOADING=1\nMONOTONIC_USEC={time.monotonic_ns() // 1000}")
    fault = handover.fault_on_disk()
    if not fault:
        log.info("the service is reloaded")
        system.hold_signals(True)  # those from now on are the next program's
        if not stop.is_set():
            handover.run_again(listener, left)
        system.hold_signals(False)
        return
    log.error("nothing is reloaded, and the service goes on as it is: %s", fault)
    notify("READY=1")


def stop_on_signals() -> threading.Event:
    """An event that is set by the signals that stop the service."""
    stop = threading.Event()
    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK"):  # the last on Windows, also when its window is closed
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: stop.set())
    return stop


def _ignores_hangup() -> bool:
    """Whether this process was started with `nohup`."""
    return system.IS_UNIX and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN


class Supervisor:
    """Starts `service.processes.supervisor` on the listening socket `fd`, if there is one, after all processes of the
    last one are gone.

    Where nothing is inherited they get the time in which they end without their supervisor. `old` is the one that ran
    before a reload: it goes on until the new one is ready.
    """

    def __init__(self, fd: int, environ: dict[str, str], *, browser: bool, old: ProcessFamily | None) -> None:
        """:param browser: the first one opens the first page in a browser."""
        self._fd = fd
        self._environ = environ
        self._browser = browser
        self._old = old
        self._has_started = False
        self._family: ProcessFamily | None = None

    @property
    def only(self) -> ProcessFamily | None:
        """The one that runs; None while there are two."""
        return None if self._family and self._old else self._family or self._old

    def start(self) -> subprocess.Popen[bytes]:
        self._wait_gone()
        if not system.IS_UNIX:
            if self._has_started:
                time.sleep(handover.STOPS_WITHIN)
            self._has_started = True
            return self._start(system.NOT_INHERITED)
        pipe, write_end = os.pipe()
        try:
            child = self._start(write_end)
        finally:
            os.close(write_end)
        assert child.stdin is not None
        self._family = ProcessFamily(child.pid, child.stdin.fileno(), pipe)
        return child

    def _start(self, family: int) -> subprocess.Popen[bytes]:
        inherited = [fd for fd in (self._fd, family) if fd != system.NOT_INHERITED]
        arguments = ["-m", f"{__package__}.supervisor", str(self._fd), str(family)]
        arguments += [BROWSER] if self._browser else []
        arguments += [BESIDE] if self._old else []
        self._browser = False
        return child_process.start(arguments, self._environ, inherited=inherited)

    def look(self, child: subprocess.Popen[bytes]) -> None:
        """When the new one is ready, end the old one, and let the new one do what only one can do."""
        words = self._family.words() if self._family else None
        if words:
            if self._old:
                self._old.end()
                self._old = None
            child_process.release(child)
            if handover.SERVES in words:
                notify("READY=1")

    def falls_back(self) -> bool:
        """When the new one cannot start: whether the old one goes on."""
        if self._old is None or self._old.words() == b"":
            return False
        if self._family:
            self._wait_gone()
            log.error("the reload has failed; what ran before goes on")
            notify("READY=1")
        return True

    def stop(self, child: subprocess.Popen[bytes]) -> None:
        """Stop all that runs."""
        child_process.stop(child, within=handover.SUPERVISOR_STOPS_WITHIN)
        if self._old:
            self._old.end()
        self._wait_gone()

    def _wait_gone(self) -> None:
        if self._family:
            self._family.wait_gone()
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


def check_certificate(settings: Settings) -> None:
    """:raises SettingError: the certificate or its key cannot be used."""
    if settings.tls_cert:
        import ssl  # slow, and seldom needed

        try:
            ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(settings.tls_cert, settings.tls_key)
        except OSError as error:  # ssl.SSLError too
            raise SettingError(
                f"tls_cert is {settings.tls_cert!r} and tls_key {settings.tls_key!r}: cannot be used: {error}"
            ) from error


def check_validity(settings: Settings) -> None:
    """:raises SettingError: the certificate has expired, or is not valid yet."""
    if settings.tls_cert:
        from cryptography.x509 import load_pem_x509_certificate  # slow, and seldom needed

        certificate = load_pem_x509_certificate(Path(settings.tls_cert).read_bytes())
        begins, ends = certificate.not_valid_before_utc, certificate.not_valid_after_utc
        if not begins <= utc_now() <= ends:
            raise SettingError(
                f"tls_cert is {settings.tls_cert!r}, valid from {begins:%Y-%m-%d} to {ends:%Y-%m-%d}: browsers warn of "
                "it today. Renew it"
            )


@contextlib.contextmanager
def _metrics_folder(left: str) -> Iterator[str]:
    """A folder for the metrics of all processes: the one that the program before a reload has left, or a new one, and
    then those of services that were killed are removed."""
    if left:
        try:
            yield left
        finally:
            shutil.rmtree(left, ignore_errors=True)
        return
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
