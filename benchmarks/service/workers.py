"""What web processes bring and cost: ``python -m benchmarks.service.workers``.

For each number of workers a new service on SQLite, and 16 clients on the same machine that read a game, then append
turns. Memory is that of all processes of the service, shared pages counted once (PSS): when it is ready, and after the
load. Requests are counted for each second of a core that all these processes used. The numbers of workers come in turn;
the figures are medians of all rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from .http_client import Connection, rate
from .throughput import lines, playing, reading, served

CLIENTS = 16


def descendants(pid: int) -> Iterator[int]:
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, children.read_text().split()):
            yield child
            yield from descendants(child)


def memory() -> float:
    """The memory of all that this process has started, in MB."""
    rollups = [Path(f"/proc/{pid}/smaps_rollup").read_text() for pid in descendants(os.getpid())]
    return sum(int(line.split()[1]) for text in rollups for line in text.splitlines() if line.startswith("Pss:")) / 1000


def core_seconds() -> float:
    """The processor time of all that this process has started."""
    stats = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in descendants(os.getpid())]
    return sum(int(stat[11]) + int(stat[12]) for stat in stats) / os.sysconf("SC_CLK_TCK")


def measure(workers: int, seconds: float, games: list[list[str]]) -> tuple[float, ...]:
    with tempfile.TemporaryDirectory() as name, served(Path(name), workers=workers, rate=0) as (port, headers):
        ready, figures = memory(), []
        made = json.loads(Connection(port, headers).ask("POST", "/api/v1/games", b'{"game": "layli-goobalay"}')[1])
        path = f"/api/v1/games/{made['id']}"
        for clients in ([reading(path) for _ in range(CLIENTS)], [playing(games, number) for number in range(CLIENTS)]):
            before = core_seconds()
            _, times = rate(port, headers, clients, seconds)
            figures.append(len(times) / (core_seconds() - before))
        return ready, memory(), *figures


def main() -> None:
    parser = argparse.ArgumentParser(description="What web processes bring and cost.")
    parser.add_argument("--seconds", type=float, default=4.0, help="for each measurement")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    options = parser.parse_args()
    games = lines(40)
    rounds = [[measure(count, options.seconds, games) for count in options.workers] for _ in range(options.rounds)]
    print("| workers | MB when ready | MB after load | reads per second of a core | appends per second of a core |")
    print("|---|--:|--:|--:|--:|")
    for number, count in enumerate(options.workers):
        figures = [statistics.median(values) for values in zip(*(each[number] for each in rounds), strict=True)]
        print(f"| {count} | {' | '.join(f'{figure:,.0f}' for figure in figures)} |")


if __name__ == "__main__":
    main()
