"""What boards cost in one process, in a few, and in one each: ``python -m benchmarks.boards.processes``.

The boards are the firmware itself behind TCP ports of this process; the standard driver reads them in other processes,
a thread for each board. The delay is measured from the last byte of a button on the line until its acknowledgment.
Memory is the proportional set size of the processes that read, so pages that several share count once.
"""

from __future__ import annotations

import argparse
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from statistics import quantiles

from drivers.boards.standard import StandardBoard
from drivers.events import Numbered
from drivers.foreign.driver import ForeignDriver
from drivers.foreign.faults import Plugin
from drivers.foreign.limits import DriverLimits
from firmware_sim.firmware.buttons import contact
from records import ruleset

from .turns import OPTIONS, Table, processor_seconds
from .turns import new_table as table_at

POLL = 0.2  # seconds, as the desk
CONNECTED_WITHIN = 120.0
WALL = Plugin("inkeek", "drivers.boards.standard:StandardBoard", "inkeek", "")


def read(url: str, foreign: bool) -> None:
    """Read a board for ever, and acknowledge what it says."""
    driver = ForeignDriver(WALL, DriverLimits(load=CONNECTED_WITHIN)) if foreign else StandardBoard()
    with closing(driver.open(url)) as connection:
        while True:
            numbered = [event for event in connection.poll(POLL) if isinstance(event, Numbered)]
            if numbered:
                connection.acknowledge(numbered[-1])


def host(urls: Sequence[str], foreign: bool) -> None:
    """Read boards in this process, a thread each, until standard input is closed."""
    for url in urls:
        threading.Thread(target=read, args=(url, foreign), daemon=True).start()
    sys.stdin.read()
    os._exit(0)


def start(urls: Sequence[str], *more: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "benchmarks.boards.processes", "--host", *urls, *more]
    return subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)


def fork_each(urls: Sequence[str]) -> None:
    """Fork a process for each board from this one, and wait for the end of standard input."""
    for url in urls:
        if os.fork() == 0:
            host([url], False)
    sys.stdin.read()
    os.killpg(os.getpgid(0), signal.SIGKILL)


class Boards:
    """Boards on ports of this process, and how long their buttons waited for an acknowledgment."""

    def __init__(self, count: int) -> None:
        self._selector = selectors.DefaultSelector()
        start = ruleset("enkeshui", **OPTIONS).start()
        self._start = start
        self.tables = [table_at(number, start, self._selector) for number in range(count)]
        self.waited: list[float] = []

    @property
    def urls(self) -> list[str]:
        return [f"socket://127.0.0.1:{table.listener.getsockname()[1]}" for table in self.tables]

    def serve(self, seconds: float) -> None:
        until = time.perf_counter() + seconds
        while (left := until - time.perf_counter()) > 0:
            for key, _ in self._selector.select(left):
                table: Table = key.data
                if key.fileobj is table.listener:
                    table.accept(self._selector)
                    continue
                assert table.line is not None
                data = table.line.recv(65536)
                if b"ACK" in data and table.pressed:
                    self.waited.append(time.perf_counter() - table.pressed)
                    table.pressed = 0.0
                table.board.receive(data)
                table.send()

    def press(self, rounds: int, every: float) -> None:
        for _ in range(rounds):
            for table in self.tables:
                table.sense(self._start, contact("s", "commit"))
                table.send()
                table.pressed = time.perf_counter()
                table.sense(self._start)
                self.serve(every)
        self.serve(1.0)

    def close(self) -> None:
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]
        self._selector.close()


def memory(session: int) -> float:
    """Megabytes of all processes whose session or parent's is this one."""
    total = 0
    parents = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = open(f"/proc/{name}/stat").read().rpartition(")")[2].split()  # noqa: SIM115
        except OSError:
            continue
        parents[int(name)] = int(fields[1])
    for pid in parents:
        above = pid
        while above in parents and above != session:
            above = parents[above]
        if above == session:
            try:
                lines = open(f"/proc/{pid}/smaps_rollup").read().splitlines()  # noqa: SIM115
            except OSError:
                continue
            total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


def measure(
    name: str, count: int, run: Callable[[list[str]], list[subprocess.Popen[bytes]]], rounds: int, idle_for: float
) -> None:
    boards = Boards(count)
    processes = run(boards.urls)
    try:
        until = time.perf_counter() + CONNECTED_WITHIN
        while any(table.line is None for table in boards.tables):
            assert time.perf_counter() < until, "not all boards were opened"
            boards.serve(0.2)
        boards.serve(3.0)  # greetings
        boards.press(1, 0.01)
        boards.waited.clear()
        boards.press(rounds, 0.02)
        before = [processor_seconds(process.pid, "") for process in processes]
        boards.serve(idle_for)
        idle = sum(processor_seconds(process.pid, "") for process in processes) - sum(before)
        steps = quantiles(boards.waited, n=100, method="inclusive")
        times = [1000 * seconds for seconds in (steps[49], steps[98], max(boards.waited))]
        size = sum(memory(process.pid) for process in processes)
        shown = " | ".join(f"{value:.1f} ms" for value in times)
        busy = 100 * idle / idle_for
        print(f"| {name} | {size:.0f} MB | {size / count:.1f} MB | {shown} | {busy:.0f} % |", flush=True)
    finally:
        for process in processes:
            assert process.stdin is not None
            process.stdin.close()
        for process in processes:
            process.wait(30)
        boards.close()


def main() -> None:
    parser = argparse.ArgumentParser(description="What boards cost in one process, in a few, and in one each.")
    parser.add_argument("--boards", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5, help="presses at each board")
    parser.add_argument("--idle", type=float, default=5.0, help="seconds that the boards are only read")
    parser.add_argument("--host", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--how", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.host:
        if options.how == "fork":
            fork_each(options.host)
        host(options.host, options.how == "foreign")
    few = max(1, options.boards // 25)
    print("| processes | memory | a board | p50 | p99 | most | idle |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    count, rest = options.boards, (options.rounds, options.idle)
    measure("one", count, lambda urls: [start(urls)], *rest)
    measure(f"{few}", count, lambda urls: [start(urls[at::few]) for at in range(few)], *rest)
    measure("one each, forked", count, lambda urls: [start(urls, "--how", "fork")], *rest)
    measure("one each, started", count, lambda urls: [start([url]) for url in urls], *rest)
    measure("one each behind the channel", count, lambda urls: [start(urls, "--how", "foreign")], *rest)


if __name__ == "__main__":
    main()
