"""Attacks with work: requests that cost much, again and again, and one key that takes all places."""

import json
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.service.costly_requests import REQUESTS, bodies, fill
from benchmarks.service.throughput import lines
from inkeek.service.settings import Settings

from .target import API, Target, bearer

START = "4.4.4.4.4.4/4.4.4.4.4.4 0-0 s 0"
IMPORTED = 300  # games in an import
FLOODS = {  # requests of `benchmarks.service.costly_requests`, which has more, by the names of the attacks
    "flood-earlier": "an analysis with 1 MiB of `earlier`, no key",
    "flood-annotations": "annotations of 8,000 turns",
    "flood-explorer": "the explorer of the start",
    "flood-start-page": "/",
    "flood-standings": "standings beyond their limit",
    "flood-help": "/help/api",
    "flood-live-page": "a live page",
}


def flood(name: str) -> Callable[[Target], None]:
    """An attack by one of the costly requests of the benchmarks, from all its clients."""
    costly = REQUESTS[FLOODS[name]]

    def attack(target: Target) -> None:
        body, path = bodies()[costly.body], costly.path.replace("{game}", target.game)
        if name == "flood-standings":  # of an event with thousands of games
            fill(target.port, target.key, lines(1), Settings().max_event_games + 1)
            target.until = time.monotonic() + target.seconds
        headers = {**(target.key if costly.has_key else {}), **({"Content-Type": "application/json"} if body else {})}
        target.at_once(
            costly.clients, lambda _: void(target.ask("POST" if body else "GET", path, headers, content=body))
        )

    return attack


def void(_: object) -> None:
    """Take an answer that only was to be counted."""


def all_analyses(target: Target) -> None:
    """One key takes all places for analyses; another one asks for one."""
    body = {"game": "oware", "position": START, "seconds": 1}
    _take_all(target, 12, f"{API}/analysis", body, {**body, "seconds": 0.05})


def all_findings(target: Target) -> None:
    """One key takes all places for findings; another one asks for one."""
    body = {"game": "oware", "board": "3.5.4.0.5.5/5.4.4.4.4.4 0-1", "slips": 2}
    _take_all(target, 12, f"{API}/findings", body, body)


def all_imports(target: Target) -> None:
    """One key takes all places for imports; another one sends one."""
    numbers = iter(range(10**9))

    def record(count: int) -> str:
        return "".join(f'[Game "oware"]\n[Round "{next(numbers)}"]\n\n1. a *\n\n' for _ in range(count))

    _take_all(target, 12, f"{API}/games/import", partial(record, IMPORTED), partial(record, 1))


def _take_all(target: Target, clients: int, path: str, many: Any, few: Any) -> None:
    """`many`: what the taker sends, `few`: what the other key sends; JSON, or what makes a record in the notation."""
    taker, other = (target.new_token("record")["token"] for _ in range(2))
    served: list[bool] = []

    def send(secret: str, body: Any) -> bool:
        content = body() if callable(body) else json.dumps(body)
        kind = "text/plain" if callable(body) else "application/json"
        return target.ask("POST", path, {**bearer(secret), "Content-Type": kind}, content=content).is_success

    def act(number: int) -> None:
        if number:
            send(taker, many)
        else:
            time.sleep(0.2)  # the taker was first
            served.append(send(other, few))
            target.count("the other key: " + ("served" if served[-1] else "refused"))

    target.at_once(clients + 1, act)
    if not any(served):
        target.fault(f"{path}: a key that asked for one was never served while another key asked for all")
