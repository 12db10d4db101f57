"""The process that keeps the web servers, the desk and the process of jobs running.

``python -m service.processes.supervisor <fd> <family>`` serves on the open listening socket with file descriptor
``fd``, or with -1 has the web server open one. It runs the parts that the setting `roles` names. All its processes
inherit ``family``, so that `service.processes.launcher` knows when they are gone, and hears when one serves. With the
argument ``browser`` it opens the first page in one; ``beside`` says that the supervisor before a reload still runs.
"""

from __future__ import annotations

import logging
import os
import shlex
import subprocess
import sys
import threading
import time
from contextlib import suppress
from datetime import timedelta
from functools import partial
from importlib.util import resolve_name
from pathlib import Path
from socket import create_connection, socket
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from service.errors import ServiceError, SettingError
from service.http.addresses import ANY, reachable_url
from service.settings import DESK, JOBS, METRICS_FOLDER, WEB, Settings, read_settings

from . import child_process, logs, system
from .handover import SERVES, SUPERVISOR_STOPS_WITHIN, WAITS
from .launcher import BESIDE, BROWSER, CHECK_EVERY, stop_on_signals
from .local_name import LocalName, keep_announced
from .restarts import RestartedChild
from .web_processes import WebProcesses

if TYPE_CHECKING:
    from service.http.access.keys import Keys

log = logging.getLogger(__name__)

WEB_SERVER = ("-m", f"{__package__}.web_server")
DESK_PROCESS = ("-m", resolve_name("..boards.desk", __package__))
JOBS_PROCESS = ("-m", resolve_name("..jobs.process", __package__))
NAME_WITHDRAWN_WITHIN = 1.0  # seconds
HTTPS = 443  # the port that URLs need not name
OPEN_WITHIN = 10.0  # seconds that a browser waits for a web server that opens its own socket


def supervise(
    settings: Settings,
    fd: int,
    family: int,
    stop: threading.Event,
    alone: threading.Event,
    *,
    browser: bool,
    beside: bool,
) -> int:
    """Migrate the database, say where the service is, and keep its processes running until `stop`. What only one
    service can do begins when it is `alone`, and a web server serves.

    Return the exit status: not 0 if the web server, or without one another process, cannot start.

    :raises ServiceError: the database cannot be used.
    """
    from service.storage import shown_url

    figures = {METRICS_FOLDER: os.environ.pop(METRICS_FOLDER)}
    folder = Path(figures[METRICS_FOLDER])
    ended = {file.stem.rpartition("_")[2] for file in folder.glob("*_[0-9]*.db")}  # web servers, when it is alone

    def start_web() -> subprocess.Popen[bytes]:
        return child_process.start([*WEB_SERVER, str(fd), str(family)], figures, inherited=(fd, family))

    def merge(pid: int) -> None:
        """Keep the metrics of a web server that has ended."""
        from .metrics import merge_ended  # slow, and seldom needed

        merge_ended(folder, pid)

    def start_desk() -> subprocess.Popen[bytes]:
        from drivers.ports.holder import DATABASE

        # Whoever finds a port taken reads there by whom.
        database = shown_url(settings.database_url, with_options=False)
        return child_process.start((*DESK_PROCESS, DATABASE, database), figures, inherited=(family,))

    def start_jobs() -> subprocess.Popen[bytes]:
        return child_process.start(JOBS_PROCESS, figures, inherited=(family,), gives_way=True)

    has_web, has_socket = WEB in settings.parts, fd != system.NOT_INHERITED
    if has_web and settings.workers > 1 and not has_socket:
        log.warning("workers is %d, but on this system there is one web process", settings.workers)
    web = WebProcesses(settings.workers if has_socket else 1, start_web, merge) if has_web else None
    others: list[RestartedChild] = []
    has_begun = False
    announcing: threading.Thread | None = None
    try:
        # While a web server imports its modules, which takes longest: migrate, then let it answer requests.
        if not alone.is_set() and (not has_web or (beside and _must_upgrade(settings))):
            os.write(family, WAITS if has_web else SERVES)
            while not alone.wait(CHECK_EVERY):
                if stop.is_set():
                    return 0
        url, link = _announce(settings, fd, browser=browser)
        if web is not None:
            web.release()
        if browser:
            _open_browser(fd, link)
        while not stop.wait(CHECK_EVERY):
            statuses = [other.check() for other in others]
            if web is not None:
                statuses = [web.check()]  # without the others, the pages and the API still work
            for status in statuses:
                if status is not None:
                    return status
            if has_begun or not alone.is_set():
                continue
            has_begun = True
            for pid in ended:
                merge(int(pid))
            if DESK in settings.parts:
                others.append(RestartedChild("the desk", start_desk))
            if JOBS in settings.parts:
                others.append(RestartedChild("the process of jobs", start_jobs))
            if has_web and settings.host in ANY:
                name = LocalName(settings.local_name, urlsplit(url).port or 80, folder) if settings.local_name else None
                announcing = threading.Thread(
                    target=keep_announced, args=(name, stop, partial(_show_change, url)), daemon=True
                )
                announcing.start()
        return 0
    finally:
        stop.set()
        if has_socket:
            os.close(fd)
        child_process.stop(*(web.children if web is not None else ()), *(other.child for other in others))
        if announcing is not None:
            announcing.join(NAME_WITHDRAWN_WITHIN)


def _must_upgrade(settings: Settings) -> bool:
    """Whether the database has tables of an earlier version."""
    from service.storage import Store

    store = Store(settings.database_url, settings.lock_timeout)
    try:
        found, needed = store.revisions()
    finally:
        store.close()
    return found is not None and found < needed


def _announce(settings: Settings, fd: int, *, browser: bool) -> tuple[str, str]:
    """Migrate the database, and print the address and how to sign in, if nobody has a key or a browser is opened that
    does. Return the address, and the link for this machine, empty without either; and without the web server.

    The link is printed on a terminal only, and not with JSON. It is a secret, and a log is kept for others to read.
    """
    from service.http.access.keys import open_keys
    from service.storage import shown_url

    with open_keys(settings) as keys:
        nobody = not any(keys.is_good(key) for key in keys.list())
        shows = sys.stdout.isatty() and settings.log_format == "text"
        secret = first_link(keys, settings) if browser or (nobody and shows and WEB in settings.parts) else ""
    database = shown_url(settings.database_url)
    if WEB not in settings.parts:
        parts = ", ".join(sorted(settings.parts))
        print(f"Inkeek runs {parts} (games in {database}). Press Ctrl-C to stop it.", flush=True)
        return "", ""
    host, port = _listening_at(settings, fd)
    url = address(settings, host, port)
    print(f"Inkeek is at {url} (games in {database}). Press Ctrl-C to stop it.", flush=True)
    if settings.host in ANY:
        _show_code(url)
    if secret and shows:
        print(owners_link(settings, sign_in_url(public_address(settings, host, port), secret)), flush=True)
    elif nobody and not browser:
        given = [f"--{name}={value}" for name in ("config", "data") if (value := getattr(settings, name))]
        command = shlex.join(["inkeek", "token", "link", *given])
        print(f"Nobody has a key yet. To sign in, run as the user of the service, or as root: {command}", flush=True)
    return url, sign_in_url(f"{urlsplit(url).scheme}://127.0.0.1:{port}", secret) if secret else ""


def _show_code(url: str) -> None:
    """On a terminal: the address as a code."""
    if sys.stdout.isatty():
        import segno

        print("Phones in the same network scan this:", flush=True)
        segno.make(url).terminal(compact=True)


def _show_change(url: str, ip: str, name: str) -> None:
    """Say that the service at `url` has got another address, or is found by a name."""
    parts = urlsplit(url)
    if ip:
        url = parts._replace(netloc=f"{ip}:{parts.port}").geturl()
        print(f"The network has changed. Inkeek is at {url} now.", flush=True)
        _show_code(url)
    if name:
        print(f"Most phones also find it as {parts._replace(netloc=f'{name}:{parts.port}').geturl()}", flush=True)


def _open_browser(fd: int, link: str) -> None:
    """Open the link that signs in whoever is at this machine."""
    import webbrowser

    deadline = time.monotonic() + OPEN_WITHIN
    while fd == system.NOT_INHERITED and not _is_open(urlsplit(link).port or 0) and time.monotonic() < deadline:
        time.sleep(CHECK_EVERY)
    webbrowser.open(link)


def _listening_at(settings: Settings, fd: int) -> tuple[str, int]:
    """The host and the port of the listening socket."""
    if fd == system.NOT_INHERITED:
        return settings.host.strip("[]"), settings.port
    with socket(fileno=os.dup(fd)) as listener:
        host, port = listener.getsockname()[:2]
        return host, port


def _is_open(port: int) -> bool:
    """Whether somebody listens on a port of this machine."""
    with suppress(OSError), create_connection(("127.0.0.1", port), CHECK_EVERY):
        return True
    return False


def first_link(keys: Keys, settings: Settings) -> str:
    """Make a link that signs the first browser in, and return its secret."""
    from service.http.access.caller import LINK, UNNAMED

    return keys.create(LINK, UNNAMED, ("admin",), timedelta(seconds=settings.link_lifetime))[1]


def owners_link(settings: Settings, link: str) -> str:
    return f"The owner's link, good once and for {settings.link_lifetime / 60:g} minutes: {link}"


def address(settings: Settings, host: str, port: int) -> str:
    """The service's root URL, for other devices too if they reach it."""
    scheme = "https" if settings.tls_cert else "http"
    return reachable_url(f"{scheme}://[{host}]:{port}/" if ":" in host else f"{scheme}://{host}:{port}/", host)


def public_address(settings: Settings, host: str, port: int, proxy_port: int = HTTPS) -> str:
    """The root URL for links: with the name in the settings, and the port of the proxy if there is one."""
    if not settings.public_name:
        return address(settings, host, port)
    shown = proxy_port if settings.proxies else port
    return f"https://{settings.public_name}{'' if shown == HTTPS else f':{shown}'}/"


def sign_in_url(root: str, secret: str) -> str:
    """The link with this secret."""
    return f"{root.rstrip('/')}/sign-in?key={secret}"


def main(arguments: list[str]) -> int:
    """Supervise until a signal, or until the parent is gone."""
    settings = read_settings(os.environ)
    logs.set_up(settings, "serve")
    stop, alone = stop_on_signals(), threading.Event()
    child_process.watch(stop.set, within=SUPERVISOR_STOPS_WITHIN, on_release=alone.set)
    fd, family = map(int, arguments[:2])
    if family == system.NOT_INHERITED:  # nobody hears when a web server serves
        alone.set()
    try:
        return supervise(settings, fd, family, stop, alone, browser=BROWSER in arguments, beside=BESIDE in arguments)
    except ServiceError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2 if isinstance(error, SettingError) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
