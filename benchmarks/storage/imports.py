"""Imports and exports: how fast, and how long appends wait meanwhile: ``python -m benchmarks.storage.imports``.

Files of random games, moves alone, are imported by `inkeek db import` into a new database; then into one that a service
uses, while clients append turns, by the command and over HTTP; then all games are exported. The plain insert is
`sqlite3` putting the same rows into the same tables. Appends are measured
before, during and after each import: by the clock, with everything on one machine.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from inkeek.records import ruleset, write_game

from ..corpus import mancala_game
from ..service.http_client import rate
from ..service.throughput import THREADS, at, lines, playing, served
from .plain import BATCH, plain

PART = 1.0  # seconds


def make(path: Path, games: int, seed: int) -> None:
    """Write a file of games that no file with another seed has."""
    chance, rules = Random(seed), ruleset("enkeshui")
    with path.open("w", encoding="utf-8") as file:
        for number in range(games):
            game = mancala_game(chance, rules, number, "moves").with_tags(Site=f"File {seed}")
            file.write(write_game(game) + "\n")


def run_command(path: Path, *where: str) -> int:
    """Import by the command line; return how many games were stored."""
    command = [sys.executable, "-m", "inkeek.service.cli", "db", "import", str(path), "--json", *where]
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return sum(not json.loads(line)["present"] for line in answer.splitlines())


def ask(port: int, headers: dict[str, str], method: str, path: str, body: bytes | None = None) -> Iterator[bytes]:
    """The lines of an answer as they come."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    connection.request(method, f"/api/v1/games/{path}", body, {**headers, "Content-Type": "text/plain"})
    answer = connection.getresponse()
    assert answer.status == 200, answer.read()
    yield from answer
    connection.close()


@contextmanager
def in_background(task: Callable[[], object]) -> Iterator[threading.Thread]:
    thread = threading.Thread(target=task)
    thread.start()
    yield thread
    thread.join()


class Appends:
    """Clients that append turns to a service."""

    def __init__(self, side: tuple[int, dict[str, str]], clients: int, seconds: float) -> None:
        self._side = side
        self._clients = clients
        self._seconds = seconds
        self._games = lines(40)

    def quiet(self) -> list[float]:
        """The sorted times of appends."""
        return rate(*self._side, [playing(self._games, number) for number in range(self._clients)], self._seconds)[1]

    def show(self, what: str, games: int, task: Callable[[], object]) -> None:
        """Print the times of appends before, during and after a task with so many games."""
        before = self.quiet()
        during: list[float] = []
        began = time.perf_counter()
        seconds = [0.0]

        def run() -> None:
            task()
            seconds[0] = time.perf_counter() - began

        with in_background(run) as thread:
            while thread.is_alive():
                clients = [playing(self._games, number) for number in range(self._clients)]
                during += rate(*self._side, clients, PART)[1]
        during.sort()
        quiet = sorted(before + self.quiet())
        print(
            f"| {what} | {games / seconds[0]:,.0f} | {at(quiet, 0.5):.1f}, {at(quiet, 0.99):.1f} "
            f"| {at(during, 0.5):.1f}, {at(during, 0.99):.1f} | {at(during, 0.99) / at(quiet, 0.99):.2f} |",
            flush=True,
        )


def alone(folder: Path, path: Path, games: int) -> float:
    """Print how fast the command imports into an empty database. Return how many games a second `sqlite3` stores there,
    with one commit for each."""
    upgrade = [sys.executable, "-m", "inkeek.service.cli", "db", "upgrade", "--data", str(folder)]
    subprocess.run(upgrade, check=True, capture_output=True)
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    assert run_command(path, "--data", str(folder)) == games
    seconds = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"inkeek db import, {games:,} games: {games / seconds:,.0f} games/s, {games / spent:,.0f} a second of a core")
    for batch in (BATCH, 1):
        bare = plain(folder, folder / "inkeek.sqlite3", batch)
        print(
            f"plain inserts of the same rows, {batch:,} games a commit: "
            f"{games / bare:,.0f} games/s, ratio {bare / seconds:.2f}",
            flush=True,
        )
    return games / bare


def main() -> None:
    parser = argparse.ArgumentParser(description="Imports and exports, and appends meanwhile.")
    parser.add_argument("--games", type=int, default=10_000, help="of each file")
    parser.add_argument("--seconds", type=float, default=5.0, help="of appends before and after an import")
    parser.add_argument("--clients", type=int, default=4, help="that append")
    parser.add_argument("--database", help="URL of an empty one, instead of SQLite files")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="inkeek-bench-") as name:
        folder = Path(name)
        files = [folder / f"{seed}.pmn" for seed in range(4)]
        for seed, path in enumerate(files):
            make(path, options.games, seed)
        bare = 0.0
        if options.database:
            os.environ["INKEEK_DATABASE"] = options.database
        else:
            bare = alone(folder / "alone", files[0], options.games)
        settings = {"threads": THREADS, "rate": 0, "max_import": 1 << 30, "max_import_games": 1_000_000}
        (folder / "service").mkdir()
        with served(folder / "service", **settings) as side:
            appends = Appends(side, options.clients, options.seconds)
            body, began = files[3].read_bytes(), time.perf_counter()
            assert len(list(ask(*side, "POST", "import", body))) == options.games
            speed = options.games / (time.perf_counter() - began)
            ratio = f", ratio {speed / bare:.2f}" if bare else ""
            print(f"import over HTTP, without appends: {speed:,.0f} games/s{ratio}", flush=True)
            appends.quiet()  # the database's log gets its size
            print("| what | games/s | quiet appends: p50, p99 ms | meanwhile: p50, p99 ms | ratio of p99 |")
            print("|---|--:|--:|--:|--:|")
            at_service = ("--data", str(folder / "service"))
            appends.show("inkeek db import", options.games, lambda: run_command(files[1], *at_service))
            body = files[2].read_bytes()
            appends.show("import over HTTP", options.games, lambda: list(ask(*side, "POST", "import", body)))
            count = len(list(ask(*side, "GET", "export.ndjson")))
            for kind in ("ndjson", "pmn"):
                appends.show(
                    f"export of {count:,} games, {kind}",
                    count,
                    lambda kind=kind: list(ask(*side, "GET", f"export.{kind}")),
                )


if __name__ == "__main__":
    main()
