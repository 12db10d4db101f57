"""Turns of one client beside costly requests of others: ``python -m benchmarks.service.costly_requests --seconds 5``.

Each row is a request that many clients send again and again, from a process of their own, and the time that a turn of
another client takes before and meanwhile. Everything runs on one machine.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import httpx

from inkeek.service.http.names import name_id
from inkeek.service.storage.search import name_key

from .http_client import Connection
from .throughput import at, lines, served

API = "/api/v1"
EVENT = "Great Hall"
LONG_GAMES = 6  # of Layli Goobalay, which the requests name
VARIATIONS = 170  # with over 8,000 turns
START = "4.4.4.4.4.4/4.4.4.4.4.4 0-0 s 0"
PAUSE = 0.005  # seconds between two turns of the bystander


@dataclass(frozen=True)
class Costly:
    """A request, and how many clients send it at once. `{game}` in its path is one of the long games. `body` is the
    name of one of `bodies`."""

    clients: int
    path: str
    body: str = ""
    has_key: bool = True


REQUESTS = {
    "an analysis with 1 MiB of `earlier`, no key": Costly(12, f"{API}/analysis", "earlier", has_key=False),
    "annotations of 8,000 turns": Costly(6, f"{API}/games/{{game}}/annotations", "variations"),
    "the explorer of the start": Costly(20, f"{API}/explorer?game=oware"),
    "/": Costly(20, "/"),
    "standings beyond their limit": Costly(20, f"{API}/events/{name_id(name_key(EVENT))}/standings"),
    "/help/api": Costly(20, "/help/api"),
    "a live page": Costly(20, "/games/{game}/live"),
    "a review": Costly(20, "/games/{game}/review"),
    "the page of an event beyond its limit": Costly(20, f"/events/{quote(EVENT)}"),
    "the hall of an event": Costly(20, f"/events/{quote(EVENT)}/hall"),
    "the wall of an event": Costly(20, f"/events/{quote(EVENT)}/wall"),
    "the list of games": Costly(20, f"{API}/games?limit=200"),
    "a search for a position": Costly(20, f"{API}/games?position={quote(START)}&limit=200"),
    "the turns of a game": Costly(20, f"{API}/games/{{game}}/turns"),
    "the replay of a game": Costly(20, f"{API}/games/{{game}}/replay"),
    "the integrity of a game": Costly(20, f"{API}/games/{{game}}/integrity"),
    "a search": Costly(20, "/games?player=a"),
    "the analysis board": Costly(20, "/analysis?game=oware"),
    "the document of the API": Costly(20, f"{API}/openapi.json"),
    "the form of findings": Costly(20, "/finding?game=oware"),
    "a game refused, 1 MiB": Costly(12, f"{API}/games", "tags"),
}


def bodies() -> dict[str, bytes]:
    """The bodies of requests."""
    earlier = [START] * ((1 << 20) // (len(START) + 4) - 20)
    # The start has one legal turn: a line from there is a variation of the second turn too, without its first.
    variations = [
        {"ply": 1 + number % 2, "variation": {"plies": [{"move": move} for move in moves[number % 2 :]]}}
        for number, moves in enumerate(lines(VARIATIONS))
    ]
    found = {
        "earlier": {"game": "oware", "earlier": earlier},
        "variations": {"add": variations},
        "tags": {"game": "oware", "tags": {f"Tag{number}": "x" * 100 for number in range(9_000)}},
    }
    return {"": b"", **{name: json.dumps(body).encode() for name, body in found.items()}}


def load(port: int, headers: dict[str, str], name: str, games: list[str]) -> None:
    """Send a request from all its clients until standard input ends. Then print how often each status came."""
    costly, statuses = REQUESTS[name], Counter[int]()
    body, is_over = bodies()[costly.body], threading.Event()

    def send(number: int) -> None:
        connection = Connection(port, headers if costly.has_key else {})
        path = costly.path.replace("{game}", games[number % len(games)])
        while not is_over.is_set():
            statuses[connection.ask("POST" if body else "GET", path, body)[0]] += 1
        connection.close()

    threads = [threading.Thread(target=send, args=(number,), daemon=True) for number in range(costly.clients)]
    for thread in threads:
        thread.start()
    print("ready", flush=True)
    sys.stdin.read()
    is_over.set()
    for thread in threads:
        thread.join(30)
    print(json.dumps(statuses))


def turns(port: int, headers: dict[str, str], moves: list[str], seconds: float) -> list[float]:
    """Play turns for so many seconds; return the time of each."""
    connection, times, until, ply = Connection(port, headers), list[float](), time.perf_counter() + seconds, len(moves)
    while time.perf_counter() < until:
        if ply == len(moves):
            status, answer = connection.ask("POST", f"{API}/games", b'{"game": "layli-goobalay"}')
            assert status == 201, answer
            path, ply = f"{API}/games/{json.loads(answer)['id']}/turns", 0
        body = json.dumps({"move": moves[ply], "ply": ply + 1}).encode()
        began = time.perf_counter()
        status, answer = connection.ask("POST", path, body)
        times.append(time.perf_counter() - began)
        assert status == 201, answer
        ply += 1
        time.sleep(PAUSE)
    connection.close()
    return sorted(times)


def fill(port: int, headers: dict[str, str], moves: list[list[str]], count: int) -> list[str]:
    """Store the games of the event, and play the long ones. Return their ids."""
    connection, ids = Connection(port, headers), []
    for line in sorted(moves, key=len)[-LONG_GAMES:]:
        ids.append(json.loads(connection.ask("POST", f"{API}/games", b'{"game": "layli-goobalay"}')[1])["id"])
        for ply, move in enumerate(line, 1):
            connection.ask("POST", f"{API}/games/{ids[-1]}/turns", json.dumps({"move": move, "ply": ply}).encode())
    connection.close()
    records = "".join(
        f'[Game "oware"]\n[Event "{EVENT}"]\n[South "a{number % 60}"]\n'
        f'[North "b{number}"]\n[Result "*"]\n\n1. {"abcdef"[number % 6]} *\n\n'
        for number in range(count)
    )
    answer = httpx.post(
        f"http://127.0.0.1:{port}{API}/games/import",
        content=records,
        headers={**headers, "Content-Type": "text/plain"},
        timeout=300,
        trust_env=False,
    )
    assert answer.text.count('"present":false') == count, answer.text[:500]
    return ids


def measure(port: int, headers: dict[str, str], name: str, games: list[str], moves: list[str], seconds: float) -> None:
    """Print a row of the table."""
    before = turns(port, headers, moves, seconds)
    command = [sys.executable, "-m", "benchmarks.service.costly_requests", "--load", name, str(port)]
    command += [json.dumps(headers), *games]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        during = turns(port, headers, moves, seconds)
        statuses = json.loads(process.communicate(timeout=60)[0])
    columns = [f"{at(times, share):.1f}" for times in (before, during) for share in (0.5, 0.99)]
    answers = ", ".join(f"{count} × {status}" for status, count in sorted(statuses.items()))
    print(f"| {REQUESTS[name].clients} × {name} | {' | '.join(columns)} | {answers} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Turns beside costly requests of others.")
    parser.add_argument("--seconds", type=float, default=5.0, help="for each measurement")
    parser.add_argument("--games", type=int, default=5_001, help="of the event: more than `max_event_games`")
    parser.add_argument("--only", default="", help="only requests whose name has this in it")
    parser.add_argument("--load", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.load:
        name, port, headers, *games = options.load
        load(int(port), json.loads(headers), name, games)
        return
    with tempfile.TemporaryDirectory() as folder, served(Path(folder), rate=0, log_level="warning") as (port, headers):
        moves = lines(40)
        games = fill(port, headers, moves, options.games)
        print("| milliseconds of a turn: | before, p50 | p99 | during, p50 | p99 | answers |")
        print("|---|--:|--:|--:|--:|---|")
        for name in REQUESTS:
            if options.only in name:
                measure(port, headers, name, games, moves[0], options.seconds)


if __name__ == "__main__":
    main()
