"""Which boards are plugged in and play nothing: the desk lists the ports of its machine, and asks each new one once.

A port at which a board is bound is left alone. So is one that did not answer, until it is unplugged: the device there
may belong to somebody else. The built-in serial ports are never asked: a console may be there.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Sequence

from inkeek.drivers import registry
from inkeek.drivers.ports.environment import ASK_AGAIN, MAX_ASKED, NOBODY, HelloProbe, probe_ports
from inkeek.drivers.ports.transport import Port, real_name
from inkeek.service.storage import BoardRow, PluggedRow

from .bindings import Boards
from .identity import clean_serial
from .status import read_status

BUILT_IN = ("/dev/ttyS", "/dev/ttyAMA")
ASKED, BOARD, NO_ANSWER, CLOSED = "asked", "board", "nobody", "closed"  # states of a port


class PluggedPorts:
    """Keeps the list of free ports in the store. `look` is for one thread; `every`: seconds between two looks."""

    def __init__(self, boards: Boards, every: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._boards = boards
        self._every = every
        self._clock = clock
        self._due = clock()
        self._lock = threading.Lock()
        self._found: dict[Port, PluggedRow] = {}
        self._again: dict[Port, float] = {}  # when a port that could not be opened is tried again
        self._bound: list[BoardRow] = []
        self._seen: object = None  # the ports and open boards of the last look

    @property
    def asked(self) -> set[str]:
        """The ports that are open, because somebody is asked there."""
        with self._lock:
            return {row.url for row in self._found.values() if row.state == ASKED}

    def look(self, open_boards: Collection[str], busy: Collection[str]) -> None:
        """Look whether ports came or went. `open_boards`: the ids of all; `busy`: the ports that are not closed yet.

        :raises ServiceError: the database fails.
        """
        now = self._clock()
        if not self._every or now < self._due:
            return
        self._due = now + self._every
        try:
            listed = [port for port in registry.ports() if not port.url.startswith(BUILT_IN)]
        except OSError:  # of a device that is just coming or going
            return
        if (seen := (listed, set(open_boards))) != self._seen:
            self._bound, self._seen = self._boards.open(), seen
        urls, taken = {real_name(port.url) for port in listed}, set(map(real_name, busy))
        free = [port for port in listed if real_name(port.url) not in taken and not _is_used(port, self._bound, urls)]
        with self._lock:
            self._found = {port: row for port, row in self._found.items() if port in free}
            asked = sum(row.state == ASKED for row in self._found.values())
            due = [port for port in free if port not in self._found or self._again.get(port, now + 1) <= now]
            for port in due[: MAX_ASKED - asked]:
                self._again.pop(port, None)
                self._found[port] = PluggedRow(port.url, port.description, ASKED)
                threading.Thread(target=self._ask, args=(port,), name=f"asks {port.url}", daemon=True).start()
            rows = sorted(self._found.values(), key=lambda row: row.url)
        if rows != self._boards.plugged():
            self._boards.put_plugged(rows)

    def end(self) -> None:
        """Say that no port is looked at any more."""
        self._boards.put_plugged([])

    def _ask(self, port: Port) -> None:
        probe = HelloProbe()
        (result,), _ = probe_ports([port], lambda: probe)
        row = PluggedRow(port.url, port.description, NO_ANSWER)
        if probe.board is not None:
            board = probe.board
            row = row._replace(state=BOARD, serial=clean_serial(board.serial), row=board.row, stores=board.stores)
        elif result.title != NOBODY:
            row = row._replace(state=CLOSED, reason=result.title)
        with self._lock:
            if port in self._found:
                self._found[port] = row
            if row.state == CLOSED:
                self._again[port] = self._clock() + ASK_AGAIN
            self._due = self._clock()


def _is_used(port: Port, boards: Sequence[BoardRow], listed: Collection[str]) -> bool:
    """Whether an open board is bound at a port, or has come back there with its adapter."""
    name = real_name(port.url)
    return any(
        name in (real_name(board.url), real_name(read_status(board.status).port or ""))
        or (real_name(board.url) not in listed and board.adapter is not None and board.adapter == port.serial_number)
        for board in boards
    )
