"""What slow clients cost the others: ``python -m benchmarks.service.slow_clients``.

Clients append turns and get a game and its page, first alone, then while another process keeps open: half requests,
requests and bodies of which a byte comes each second, readers of an export that do not read or read a byte each second,
and live streams. What the service closes is opened again. The table has the times of the others, what the web
worker holds, and how much of a core it takes and the attacker takes, which runs on the same machine. "Beside a busy
process" is measured without slow clients, beside a process that computes as much as the attacker at most and asks
nothing: what it costs to share the processor. It is an error if a process of the service ends: nothing may recover by
a restart.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx
import psutil

from .http_client import Connection, rate
from .throughput import at, lines, playing, reading, served

GAMES = 3000  # in the export
AGAIN_AFTER = 1.0  # seconds until what was closed is opened again
UP_WITHIN = 60.0
SMALL_BUFFER = 4096
SLICE = 0.01  # seconds
DEFAULTS = {"half": 1000, "drip-head": 100, "drip-body": 100, "unread": 200, "drip-read": 50, "streams": 500}


async def attack(port: int, token: str, game: str, counts: dict[str, int]) -> None:
    """Keep so many slow clients of each kind open; report on standard output how many are."""
    head = f"Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
    export = f"GET /api/v1/games/export.ndjson HTTP/1.1\r\n{head}\r\n".encode()
    posted = f"POST /api/v1/games HTTP/1.1\r\n{head}Content-Type: application/json\r\nContent-Length: 500\r\n\r\n"
    open_now = dict.fromkeys(counts, 0)
    loop = asyncio.get_running_loop()

    async def drip(connection: socket.socket, text: bytes) -> None:
        for byte in itertools.cycle(text):
            await loop.sock_sendall(connection, bytes([byte]))
            await asyncio.sleep(1)

    async def half(connection: socket.socket) -> None:
        await loop.sock_sendall(connection, b"GET /api/v1/games HTTP/1.1\r\nHost: 127")
        await loop.sock_recv(connection, 1)

    async def drip_body(connection: socket.socket) -> None:
        await loop.sock_sendall(connection, posted.encode())
        await drip(connection, b"{")

    async def unread(connection: socket.socket) -> None:
        await loop.sock_sendall(connection, export)
        while True:  # until the service has given up, which shows when something is sent
            await asyncio.sleep(10)
            await loop.sock_sendall(connection, b"\r\n")

    async def drip_read(connection: socket.socket) -> None:
        await loop.sock_sendall(connection, export)
        while await loop.sock_recv(connection, 1):
            await asyncio.sleep(1)

    async def stream(connection: socket.socket) -> None:
        await loop.sock_sendall(connection, f"GET /api/v1/games/{game}/events HTTP/1.1\r\n{head}\r\n".encode())
        while await loop.sock_recv(connection, 65536):
            pass

    kinds: dict[str, Callable[[socket.socket], Awaitable[None]]] = {
        "half": half,
        "drip-head": lambda connection: drip(connection, b"GET /"),
        "drip-body": drip_body,
        "unread": unread,
        "drip-read": drip_read,
        "streams": stream,
    }

    async def keep(kind: str, number: int) -> None:
        await asyncio.sleep(number * 5 / counts[kind])  # people do not come all at once
        while True:
            with contextlib.suppress(OSError), socket.socket() as connection:
                if kind != "streams":
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL_BUFFER)
                connection.setblocking(False)
                await loop.sock_connect(connection, ("127.0.0.1", port))
                open_now[kind] += 1
                try:
                    await kinds[kind](connection)
                finally:
                    open_now[kind] -= 1
            await asyncio.sleep(AGAIN_AFTER)

    async def report() -> None:
        while True:
            print(json.dumps(open_now), flush=True)
            await asyncio.sleep(1)

    await asyncio.gather(report(), *(keep(kind, number) for kind in counts for number in range(counts[kind])))


def web_server_of(parent: int) -> psutil.Process:
    """The web server among the descendants of a process."""
    deadline = time.monotonic() + UP_WITHIN
    while time.monotonic() < deadline:
        for process in psutil.Process(parent).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                if "inkeek.service.processes.web_server" in process.cmdline():
                    return process
        time.sleep(0.1)
    raise SystemExit("the service has no web server")


def processes() -> dict[psutil.Process, str]:
    """The processes of the service, each with its command line."""
    return {process: " ".join(process.cmdline()[1:4]) for process in psutil.Process().children(recursive=True)}


def check_processes(before: dict[psutil.Process, str], log: Path) -> None:
    """:raises SystemExit: a process of the service has ended."""
    ended = [name for process, name in before.items() if not process.is_running()]
    if ended:
        raise SystemExit(f"{', '.join(ended)} ended: the service recovers by a restart\n{log.read_text()[-4000:]}")


def burn(share: float) -> None:
    """Compute for so great a share of the time, in slices as those of a process that serves many connections."""
    while True:
        began = time.process_time()
        while time.process_time() - began < SLICE * share:
            pass
        time.sleep(SLICE * (1 - share))


def seconds_of(process: psutil.Process | None) -> float:
    """The seconds of a core that a process has taken."""
    return 0.0 if process is None else sum(process.cpu_times()[:2])


def measure(
    what: str,
    port: int,
    headers: dict[str, str],
    made: str,
    seconds: float,
    worker: psutil.Process,
    other: psutil.Process | None = None,
) -> float:
    """Print a row: p50 and p99 of appends, reads and pages by few clients, what the worker holds, and how much of a
    core it and the `other` process take. Return the other's."""
    games = lines(20)
    cells = []
    began, before = time.monotonic(), (seconds_of(worker), seconds_of(other))
    for make in (
        lambda number: playing(games, number),
        lambda number: reading(f"/api/v1/games/{made}"),
        lambda number: reading(f"/games/{made}/live"),
    ):
        _, times = rate(port, headers, [make(number) for number in range(2)], seconds)
        cells.append(f"{at(times, 0.5):.1f}, {at(times, 0.99):.1f}")
    passed = time.monotonic() - began
    shares = [(seconds_of(one) - taken) / passed for one, taken in zip((worker, other), before, strict=True)]
    held = worker.memory_info().rss >> 20, worker.num_threads(), worker.num_fds()
    cells += [*map(str, held), *(f"{share:.2f}" for share in shares)]
    print(f"| {what} | {' | '.join(cells)} |", flush=True)
    return shares[1]


def main() -> None:
    parser = argparse.ArgumentParser(description="What slow clients cost the others.")
    parser.add_argument("--seconds", type=float, default=10.0, help="for each measurement")
    parser.add_argument("--rounds", type=int, default=3, help="measurements under attack")
    parser.add_argument("--attack", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--burn", type=float, help=argparse.SUPPRESS)
    for kind, count in DEFAULTS.items():
        parser.add_argument(f"--{kind}", type=int, default=count)
    options = parser.parse_args()
    counts = {kind: count for kind in DEFAULTS if (count := getattr(options, kind.replace("-", "_")))}
    if options.burn is not None:
        burn(options.burn)
    if options.attack:
        port, token, game = options.attack
        asyncio.run(attack(int(port), token, game, counts))
    with tempfile.TemporaryDirectory() as name, served(Path(name), rate=0) as (port, headers):
        worker = web_server_of(psutil.Process().pid)
        made = _fill(port, headers)
        before = processes()
        print("| milliseconds: p50, p99 | append | game | page | MB | threads | files | worker | other |")
        print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
        for _ in range(2):
            measure("quiet", port, headers, made, options.seconds, worker)
        token = headers["Authorization"].partition(" ")[2]
        command = [sys.executable, "-m", "benchmarks.service.slow_clients", "--attack", str(port), token, made]
        command += [text for kind in DEFAULTS for text in (f"--{kind}", str(counts.get(kind, 0)))]
        attacker = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert attacker.stdout is not None
        latest = ["{}"]
        reports = attacker.stdout
        threading.Thread(target=lambda: latest.extend(reports), daemon=True).start()
        try:
            deadline = time.monotonic() + UP_WITHIN
            while not _are_open(latest[-1], counts):
                if time.monotonic() > deadline:
                    raise SystemExit(f"not all slow clients are open, but {latest[-1]}")
                time.sleep(0.2)
            process, most = psutil.Process(attacker.pid), 0.0
            for _ in range(options.rounds):
                taken = measure("under attack", port, headers, made, options.seconds, worker, process)
                most = max(most, taken)
                check_processes(before, Path(name) / "service.log")
        finally:
            attacker.terminate()
            attacker.wait()
        time.sleep(2)
        measure("quiet again", port, headers, made, options.seconds, worker)
        command = [sys.executable, "-m", "benchmarks.service.slow_clients", "--burn", str(min(most, 1.0))]
        busy = subprocess.Popen(command)
        try:
            measure("beside a busy process", port, headers, made, options.seconds, worker, psutil.Process(busy.pid))
        finally:
            busy.terminate()
            busy.wait()
        check_processes(before, Path(name) / "service.log")


def _are_open(report: str, counts: dict[str, int]) -> bool:
    """Whether nearly all are open; those that were closed just now are not."""
    open_now = json.loads(report)
    return all(open_now.get(kind, 0) >= 0.5 * count for kind, count in counts.items())


def _fill(port: int, headers: dict[str, str]) -> str:
    """Import many games, and play one. Return its id."""
    connection = Connection(port, headers)
    moves = lines(1)[0]
    made: str = json.loads(connection.ask("POST", "/api/v1/games", b'{"game": "layli-goobalay"}')[1])["id"]
    for ply, move in enumerate(moves, 1):
        connection.ask("POST", f"/api/v1/games/{made}/turns", json.dumps({"move": move, "ply": ply}).encode())
    connection.close()
    api = f"http://127.0.0.1:{port}/api/v1/games"
    record = httpx.get(f"{api}/{made}.pmn", headers=headers, trust_env=False).text
    games = "".join(f'[Annotator "{number}"]\n{record}\n' for number in range(GAMES))  # the same game is stored once
    sent = {**headers, "Content-Type": "text/plain"}
    answer = httpx.post(f"{api}/import", content=games, headers=sent, timeout=UP_WITHIN, trust_env=False)
    assert answer.text.count('"present":false') == GAMES, answer.text[:500]
    return made


if __name__ == "__main__":
    main()
