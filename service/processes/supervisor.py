"""The process that keeps the web servers, the desk and the process of jobs running.

``python -m service.processes.supervisor <fd> <family>`` serves on the open listening socket with file descriptor
``fd``, or with -1 has the web server open one. It runs the parts that the setting `roles` names. All its processes
inherit ``family``, so that `service.processes.launcher` knows when they are gone, and hears when one serves. With the
argument ``browser`` it opens the first page in one; ``beside`` says that the supervisor before a reload still runs.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from functools import partial
from importlib.util import resolve_name
from pathlib import Path
from urllib.parse import urlsplit

from service.errors import ServiceError, SettingError
from service.http.addresses import ANY
from service.settings import DESK, JOBS, METRICS_FOLDER, WEB, Settings, read_settings

from . import child_process, logs, system
from .garbage import importing
from .handover import SERVES, SUPERVISOR_STOPS_WITHIN, WAITS
from .heartbeats import note_restart
from .launcher import BESIDE, BROWSER, CHECK_EVERY, stop_on_signals
from .local_name import LocalName, keep_announced
from .restarts import RestartedChild
from .web_processes import WebProcesses

log = logging.getLogger(__name__)

_ENTRY = ("-m", f"{__package__}.entry")
WEB_SERVER = (*_ENTRY, f"{__package__}.web_server")
DESK_PROCESS = (*_ENTRY, resolve_name("..boards.desk", __package__))
JOBS_PROCESS = (*_ENTRY, resolve_name("..jobs.process", __package__))
STDERR = 2  # the file descriptor; nothing but this process has to say anything on standard output
NAME_WITHDRAWN_WITHIN = 1.0  # seconds


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
    figures = {METRICS_FOLDER: os.environ.pop(METRICS_FOLDER)}
    folder = Path(figures[METRICS_FOLDER])
    ended = {file.stem.rpartition("_")[2] for file in folder.glob("*_[0-9]*.db")}  # processes, when it is alone

    def start_web() -> subprocess.Popen[bytes]:
        command = [*WEB_SERVER, str(fd), str(family)]
        return child_process.start(command, figures, inherited=(fd, family), stdout=STDERR)

    def keep_metrics(pid: int) -> None:
        """Keep the metrics of a process that has ended."""
        from .metrics import merge_ended  # slow, and seldom needed

        merge_ended(folder, pid)

    def note_end(part: str, pid: int) -> None:
        keep_metrics(pid)
        note_restart(folder, part)

    def start_desk() -> subprocess.Popen[bytes]:
        from drivers.ports.holder import DATABASE
        from service.storage import shown_url  # slow: when this is first called, the web server has long been started

        # Whoever finds a port taken reads there by whom.
        database = shown_url(settings.database_url, with_options=False)
        command = (*DESK_PROCESS, DATABASE, database)
        return child_process.start(command, figures, inherited=(family,), stdout=STDERR)

    def start_jobs() -> subprocess.Popen[bytes]:
        return child_process.start(JOBS_PROCESS, figures, inherited=(family,), gives_way=True, stdout=STDERR)

    has_web, has_socket = WEB in settings.parts, fd != system.NOT_INHERITED
    if has_web and settings.workers > 1 and not has_socket:
        log.warning("workers is %d, but on this system there is one web process", settings.workers)
    web = WebProcesses(settings.workers if has_socket else 1, start_web, partial(note_end, "web")) if has_web else None
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
        with importing():
            from . import announcement  # takes longer than all else here, so a web server starts before it

        url, link = announcement.announce(settings, fd, browser=browser)
        if web is not None:
            web.release()
        if browser:
            announcement.open_browser(fd, link)
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
                keep_metrics(int(pid))
            if DESK in settings.parts:
                others.append(RestartedChild("the desk", start_desk, on_end=partial(note_end, "desk")))
            if JOBS in settings.parts:
                others.append(RestartedChild("the process of jobs", start_jobs, on_end=partial(note_end, "jobs")))
            if has_web and settings.host in ANY:
                name = LocalName(settings.local_name, urlsplit(url).port or 80, folder) if settings.local_name else None
                announcing = threading.Thread(
                    target=keep_announced, args=(name, stop, partial(announcement.show_change, url)), daemon=True
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
