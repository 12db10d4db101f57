"""The service and the simulated board as real processes, and how to kill them."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from inkeek.service.demo.client import ServiceClient
from inkeek.service.demo.demo import Child
from tests.service.clients import token_in
from tests.service.waiting import alive, until

UP_WITHIN = 60.0  # seconds for a process to come up, on a busy machine
PARTS = ("all", "parent", "web", "desk", "jobs")  # of the service
MODULES = {
    "web": "inkeek.service.processes.web_server",
    "desk": "inkeek.service.boards.desk_process",
    "jobs": "inkeek.service.jobs.process",
}
BEATING = ("desk", "jobs")  # parts that say now and then that they go on
ENDS = ("all", "parent")  # whose death ends the service; it starts all others again
_migrating = threading.Lock()  # Alembic's context belongs to the process, and the soak plays games in several threads


class Service:
    """`inkeek serve` on its own folder, with further `settings`. It keeps its port over restarts."""

    def __init__(self, folder: Path, client: type[ServiceClient] = ServiceClient, **settings: object) -> None:
        self.folder = folder
        self._client = client
        self._settings = [f"{name} = {json.dumps(value)}\n" for name, value in settings.items()]
        self.port = 0
        self.starts = 0
        with _migrating:
            self.token = token_in(folder)
        self.client: ServiceClient
        self._stack = ExitStack()

    def start(self) -> None:
        """Start it and wait until it is ready."""
        arguments = [
            "-m",
            "inkeek.service.cli",
            "serve",
            "--exit-with-parent",
            "--port",
            str(self.port),
            "--data",
            str(self.folder),
        ]
        if self._settings:
            config = self.folder / "settings.toml"
            config.write_text("".join(self._settings))
            arguments += ["--config", str(config)]
        self.starts += 1
        log = self.folder / f"service-{self.starts}.log"
        self._child = self._stack.enter_context(Child("the service", arguments, log))
        url = next(word for word in self._child.line(UP_WITHIN).split() if word.startswith("http://")).rstrip("/")
        self.port = int(url.rpartition(":")[2])
        self.client = self._client(url, self._child, self.token)
        self.client.wait_ready(UP_WITHIN)

    def pids(self) -> dict[str, list[int]]:
        """The ids of the living processes: ``parent``, ``web``, ``desk``, ``jobs``."""
        found: dict[str, list[int]] = {"parent": [self._child.pid], "web": [], "desk": [], "jobs": []}
        for child in _children(self._child.pid):
            kind = next((kind for kind, module in MODULES.items() if module in _command(child)), None)
            if kind is not None:  # else it is just forked, and has no command of its own yet
                found[kind].append(child)
        return found

    def kill(self, part: str) -> None:
        """SIGKILL one of `PARTS`, and wait until all work again; start the service if that has ended it."""
        doomed, began = self.crash(part), time.monotonic()
        if part in ENDS:
            self.start()
        else:
            until(lambda: all((now := self.pids()).values()) and not doomed.intersection(*now.values()), UP_WITHIN)
            self.client.wait_ready(UP_WITHIN)
        until(lambda: {*BEATING} <= self._beating_since(began), UP_WITHIN)

    def _beating_since(self, began: float) -> set[str]:
        """The parts that have said since then that they go on."""
        idle = re.findall(r'^inkeek_part_idle_seconds{part="(\w+)"} (\S+)$', self.client.text("/metrics"), re.M)
        return {part for part, seconds in idle if float(seconds) < time.monotonic() - began}

    def crash(self, part: str = "all") -> set[int]:
        """SIGKILL one of `PARTS`, and wait until it and its children are dead. Return the ids of the killed."""
        until(lambda: all(self.pids().values()))
        pids = self.pids()
        doomed = {pid for found in pids.values() for pid in found} if part == "all" else set(pids[part])
        for pid in doomed:
            with contextlib.suppress(ProcessLookupError):  # its parent is dead, so it ended by itself
                os.kill(pid, signal.SIGKILL)
        until(lambda: not any(alive(pid) for pid in doomed))
        if part in ENDS:
            until(lambda: self._child.ended(0.01), UP_WITHIN)
            self.stop()
        return doomed

    def stop(self) -> None:
        self._stack.close()

    def errors(self) -> str:
        """All of its logs, since the first start."""
        logs = sorted(self.folder.glob("service-*.log"))
        return "\n".join(f"--- {log.name}\n{log.read_text('utf-8', 'replace')}" for log in logs)


class SimulatedBoard:
    """`python -m inkeek.firmware_sim --json`, and the events that it has printed so far."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self._child = Child(
            "the simulated board",
            ["-m", "inkeek.service.processes.child_process", "firmware_sim", "--json", *arguments],
            folder / "board.log",
        )
        self.events_so_far: list[dict[str, Any]] = []

    def __enter__(self) -> SimulatedBoard:
        self._child.__enter__()
        self.until("listening", UP_WITHIN)
        return self

    def __exit__(self, *error: object) -> None:
        self._child.__exit__(*error)

    @property
    def url(self) -> str:
        return str(self.events_so_far[0]["url"])

    def until(self, kind: str, timeout: float, ply: int = 0) -> dict[str, Any]:
        """The next event of this kind, of turn `ply` or later. `timeout`: seconds between two events.

        :raises DemoFailed: no event came in time, or the board has ended.
        """
        while True:
            event = self._child.event(timeout)
            self.events_so_far.append(event)
            if event["event"] == kind and event.get("ply", ply) >= ply:
                return event

    def events(self, kind: str) -> Iterator[dict[str, Any]]:
        return (event for event in self.events_so_far if event["event"] == kind)


def _children(pid: int) -> list[int]:
    with contextlib.suppress(OSError):
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def _command(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    return ""
