"""The service against bare Flask views: ``python -m benchmarks.service.throughput --seconds 5``.

Both run under uvicorn, one process, with the same number of threads and the same settings of SQLite; the clients run
here, on the same machine. Turns appended, each durable before it is answered, against one row inserted and committed;
games read against as many bytes answered; how long 50 clients wait; and how late the last of many open streams hears of
a turn. By the clock, in turn, A B A B …; the ratio is of the medians.
"""

from __future__ import annotations

import argparse
import json
import os
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random

from inkeek.records import ruleset
from inkeek.service.demo.demo import Child

from .http_client import Connection, Step, rate

THREADS = 64
UP_WITHIN = 60.0


@contextmanager
def served(folder: Path, **settings: object) -> Iterator[tuple[int, dict[str, str]]]:
    """The service on a folder of its own: its port, and the headers of a client that may record."""
    for name, value in settings.items():
        os.environ[f"INKEEK_{name.upper()}"] = str(value)
    try:
        arguments = ["-m", "inkeek.service.cli", "serve", "--exit-with-parent", "--port", "0", "--data", str(folder)]
        with Child("the service", arguments, folder / "service.log") as child:
            url = next(word for word in child.line(UP_WITHIN).split() if word.startswith("http://")).rstrip("/")
            made = [
                sys.executable,
                "-m",
                "inkeek.service.cli",
                "token",
                "create",
                "bench",
                "--scope",
                "record",
                "--scope",
                "board",
                "--json",
            ]
            answer = subprocess.run([*made, "--data", str(folder)], check=True, capture_output=True, text=True).stdout
            yield int(url.rpartition(":")[2]), {"Authorization": f"Bearer {json.loads(answer)['token']}"}
    finally:
        for name in settings:
            del os.environ[f"INKEEK_{name.upper()}"]


@contextmanager
def bare(folder: Path, threads: int) -> Iterator[int]:
    """The bare views: their port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "benchmarks.service.bare", str(port), str(threads)]
    process = subprocess.Popen(command, env={**os.environ, "BARE_DATABASE": str(folder / "bare.sqlite")})
    try:
        deadline = time.monotonic() + UP_WITHIN
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
        yield port
    finally:
        process.terminate()
        process.wait()


def lines(games: int) -> list[list[str]]:
    """The moves of random games of Layli Goobalay: longer than most, and no turn takes long."""
    rng = Random(4)
    rules = ruleset("layli-goobalay")
    made = []
    for _ in range(games):
        position, moves = rules.start(), []
        while len(moves) < 60 and (legal := rules.legal_moves(position)):
            moves.append(rng.choice(legal))
            position = rules.play(position, moves[-1]).position
        made.append([str(move.choice) for move in moves])
    return made


def playing(games: list[list[str]], first: int) -> Iterator[Step]:
    """A client that plays one game after the other; making a game is not counted as a turn, but takes its time."""
    number = first
    while True:
        game: dict[str, str] = {}

        def begin(connection: Connection, game: dict[str, str] = game) -> None:
            status, answer = connection.ask("POST", "/api/v1/games", b'{"game": "layli-goobalay"}')
            assert status == 201, answer
            game["id"] = json.loads(answer)["id"]

        for ply, move in enumerate(games[number % len(games)], 1):
            body = json.dumps({"move": move, "ply": ply}).encode()

            def turn(connection: Connection, body: bytes = body, game: dict[str, str] = game) -> None:
                if "id" not in game:
                    begin(connection)
                status, answer = connection.ask("POST", f"/api/v1/games/{game['id']}/turns", body)
                assert status == 201, answer

            yield turn
        number += 1


def inserting() -> Iterator[Step]:
    """A client of the bare view that inserts."""

    def step(connection: Connection) -> None:
        status, answer = connection.ask("POST", "/rows/some-game", b'{"move": "a", "ply": 1}')
        assert status == 201, answer

    while True:
        yield step


def reading(path: str) -> Iterator[Step]:
    def step(connection: Connection) -> None:
        status, answer = connection.ask("GET", path)
        assert status == 200, answer

    while True:
        yield step


def in_turn(rounds: int, one: tuple[object, ...], other: tuple[object, ...]) -> tuple[float, float]:
    """The medians of two rates, measured in turn."""
    rates: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for measured, (port, headers, make, clients, seconds) in zip(rates, (one, other), strict=True):
            measured.append(rate(port, headers, [make(number) for number in range(clients)], seconds)[0])  # type: ignore
    return statistics.median(rates[0]), statistics.median(rates[1])


def streams(port: int, headers: dict[str, str], game: str, moves: list[str], count: int) -> list[float]:
    """How long after each turn was answered the last of so many streams had it, in seconds."""
    selector = selectors.DefaultSelector()
    heads = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    asked = f"GET /api/v1/games/{game}/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{heads}\r\n".encode()
    with ExitStack() as stack:
        heard: dict[socket.socket, bytes] = {}
        for _ in range(count):
            stream = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=30))
            stream.sendall(asked)
            selector.register(stream, selectors.EVENT_READ)
            heard[stream] = b""

        def wait_for(seq: int) -> None:
            waiting = {stream for stream in heard if f"id: {seq}\n".encode() not in heard[stream]}
            deadline = time.monotonic() + 60
            while waiting:
                assert time.monotonic() < deadline, f"{len(waiting)} of {count} streams never heard of event {seq}"
                for key, _ in selector.select(1):
                    stream = key.fileobj
                    assert isinstance(stream, socket.socket)
                    more = stream.recv(65536)
                    assert more, "a stream ended"
                    heard[stream] = (heard[stream] + more)[-4096:]
                    if f"id: {seq}\n".encode() in heard[stream]:
                        waiting.discard(stream)

        wait_for(1)
        connection = Connection(port, headers)
        delays = []
        for ply, move in enumerate(moves, 1):
            path = f"/api/v1/games/{game}/turns"
            status, answer = connection.ask("POST", path, json.dumps({"move": move, "ply": ply}).encode())
            answered = time.perf_counter()
            assert status == 201, answer
            wait_for(json.loads(answer)["seq"])
            delays.append(time.perf_counter() - answered)
        return sorted(delays)


def at(times: list[float], share: float) -> float:
    """The time within which so great a share of sorted ones lies, in milliseconds."""
    return 1000 * times[min(int(share * len(times)), len(times) - 1)]


@dataclass(frozen=True)
class Sides:
    """The service and the bare views, and how they are measured."""

    ours: tuple[int, dict[str, str]]
    theirs: tuple[int, dict[str, str]]
    seconds: float
    rounds: int
    warm: int


def show(what: str, ours: float, theirs: float) -> None:
    print(f"| {what} | {ours:,.0f} | {theirs:,.0f} | {ours / theirs:.2f} |", flush=True)


def show_times(what: str, times: list[float]) -> None:
    print(f"| {what}: p50, p99 | {at(times, 0.5):.0f} ms, {at(times, 0.99):.0f} ms | | |", flush=True)


def appends(sides: Sides, games: list[list[str]], _: str) -> None:
    """After enough of them that both databases' logs have the size that they keep: to make a file longer takes longer
    than to write in it."""
    for side, steps, count in (
        (sides.ours, playing(games, 0), sides.warm),
        (sides.theirs, inserting(), 4 * sides.warm),
    ):
        connection = Connection(*side)
        for step in islice(steps, count):
            step(connection)
        connection.close()
    for clients in (1, 16):
        ours, theirs = in_turn(
            sides.rounds,
            (*sides.ours, lambda number: playing(games, number), clients, sides.seconds),
            (*sides.theirs, lambda number: inserting(), clients, sides.seconds),
        )
        show(f"durable appends/s, {clients} clients", ours, theirs)


def reads(sides: Sides, _: list[list[str]], made: str) -> None:
    for what, path in (("a game", f"/api/v1/games/{made}"), ("its record", f"/api/v1/games/{made}.pmn")):
        size = len(Connection(*sides.ours).ask("GET", path)[1])
        ours, theirs = in_turn(
            sides.rounds,
            (*sides.ours, lambda number, path=path: reading(path), 4, sides.seconds),
            (*sides.theirs, lambda number, size=size: reading(f"/bytes/{size}"), 4, sides.seconds),
        )
        show(f"reads/s of {what}, {size:,} bytes", ours, theirs)


def waiting(sides: Sides, games: list[list[str]], made: str) -> None:
    for what, make in (
        ("appends", lambda number: playing(games, number)),
        ("reads", lambda number: reading(f"/api/v1/games/{made}")),
    ):
        _, times = rate(*sides.ours, [make(number) for number in range(50)], sides.seconds)
        show_times(f"{what} by 50 clients", times)


PARTS = {"appends": appends, "reads": reads, "waiting": waiting}


def main() -> None:
    parser = argparse.ArgumentParser(description="The service against bare Flask views.")
    parser.add_argument("--seconds", type=float, default=4.0, help="for each measurement")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--warm", type=int, default=600, help="appends before those that are measured")
    parser.add_argument("--streams", type=int, default=500)
    parser.add_argument("--only", choices=[*PARTS, "streams"], help="only these rows")
    options = parser.parse_args()
    games = lines(40)
    print("| what | service | bare Flask | ratio |")
    print("|---|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        ours = stack.enter_context(served(folder, threads=THREADS, rate=0))
        theirs = (stack.enter_context(bare(folder, THREADS)), {})
        connection = Connection(*ours)
        made = json.loads(connection.ask("POST", "/api/v1/games", b'{"game": "layli-goobalay"}')[1])["id"]
        for ply, move in enumerate(games[0], 1):
            connection.ask("POST", f"/api/v1/games/{made}/turns", json.dumps({"move": move, "ply": ply}).encode())
        for part, measure in PARTS.items():
            if options.only in (None, part):
                measure(Sides(ours, theirs, options.seconds, options.rounds, options.warm), games, made)
    if options.only in (None, "streams"):
        with (
            tempfile.TemporaryDirectory() as name,
            # One key has at most three quarters of the streams that are left.
            served(Path(name), max_streams=2 * options.streams, rate=0) as (port, headers),
        ):
            status, answer = Connection(port, headers).ask("POST", "/api/v1/games", b'{"game": "layli-goobalay"}')
            assert status == 201, answer
            delays = streams(port, headers, json.loads(answer)["id"], games[0], options.streams)
            show_times(f"the last of {options.streams} streams has a turn after", delays)


if __name__ == "__main__":
    main()
