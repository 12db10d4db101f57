"""Kills the service under concurrent writers, again and again: ``python -m tests.crash --rounds 1000``.

Writers play random legal turns over HTTP in shared games. At a random moment every process of the service gets SIGKILL.
Then the database is checked: it holds every acknowledged event once and unchanged; any other event belongs to an
unanswered request; the chains and all derived data are intact; and the next start is clean. Exit status 1: a check
failed.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import re
import signal
import sqlite3
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from service.demo.demo import own_token
from service.games.integrity import game_faults
from service.maintenance import verify
from service.storage import GameEvent, Store
from tests.e2e.processes import Service
from tests.service.waiting import alive, until

GAMES = (
    ("enkeshui", {"pits": 8}),
    ("enkeshui-wikipedia", {"pits": 8}),
    ("anywoli", {}),
    ("layli-goobalay", {"pits": 6}),
    ("bof", {}),
    ("oware", {}),
    ("kalah", {}),
)
WRITERS = 4
SHARED = 3  # games played at once
LONGEST = 1.5  # seconds of writing before the service is killed
ANSWER_WITHIN = 20.0


@dataclass(frozen=True)
class TurnRequest:
    """A request for a turn, to become event `seq` of a game."""

    game: str
    seq: int
    move: str


@dataclass
class Ledger:
    """The acknowledged events, and the requests without an answer. One lock for all."""

    games: list[str] = field(default_factory=list)
    live: list[str] = field(default_factory=list)
    acknowledged: dict[tuple[str, int], str] = field(default_factory=dict)
    unanswered: Counter[TurnRequest] = field(default_factory=Counter)
    unanswered_games: int = 0
    refused: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


class Crash:
    """A service with its data in `folder`, and the writers."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.ledger = Ledger()
        self._random = random.Random(seed)
        self._service = Service(folder)
        self._store = Store(f"sqlite:///{folder / 'inkeek.sqlite3'}")
        self._folder = folder
        self._wrong: list[str] = []

    def run(self, rounds: int) -> list[str]:
        """Start, write and kill `rounds` times; return what was wrong, in sentences."""
        with own_token(self._folder) as (_, token):
            self._token = token
            for number in range(1, rounds + 1):
                before = len(self.ledger.acknowledged)
                touched = self._round()
                faults = [*self._wrong, *self._check(touched)]
                written = len(self.ledger.acknowledged) - before
                click.echo(f"{number:>5}  {'wrong' if faults else 'right'}  {written} acknowledged")
                if faults:
                    return faults
            self._service.start()
            self._service.stop()
            return [*self._check(set(self.ledger.games)), *self._check_whole()]

    def close(self) -> None:
        self._store.close()

    def _round(self) -> set[str]:
        """Start, write, kill. Return the games that were written to."""
        self._service.start()
        self._killed = threading.Event()
        writers = [threading.Thread(target=self._write, args=(self._random.random(),)) for _ in range(WRITERS)]
        touched = set(self.ledger.live)
        for writer in writers:
            writer.start()
        time.sleep(self._random.uniform(0, LONGEST))
        doomed = [pid for found in self._service.pids().values() for pid in found]
        for pid in doomed:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._killed.set()
        until(lambda: not any(alive(pid) for pid in doomed))
        for writer in writers:
            writer.join()
        self._service.stop()
        return touched | set(self.ledger.live)

    def _write(self, seed: float) -> None:
        """Play turns in shared games until the service is killed."""
        chance = random.Random(seed)
        connection = http.client.HTTPConnection("127.0.0.1", self._service.port, timeout=ANSWER_WITHIN)
        try:
            while not self._killed.is_set():
                with self.ledger.lock:
                    game = chance.choice(self.ledger.live) if len(self.ledger.live) >= SHARED else None
                if game is None:
                    self._create(connection, chance)
                else:
                    self._play(connection, game, chance)
        except (OSError, http.client.HTTPException):
            if not self._killed.wait(1):
                self._wrong.append("the service closed a connection before it was killed")
        finally:
            connection.close()

    def _create(self, connection: http.client.HTTPConnection, chance: random.Random) -> None:
        game, options = chance.choice(GAMES)
        with self.ledger.lock:
            self.ledger.unanswered_games += 1
        status, answer = self._request(connection, "POST", "/games", {"game": game, "options": options})
        if status != 201:
            self._wrong.append(f"a game was refused: {status} {answer}")
        with self.ledger.lock:
            self.ledger.unanswered_games -= 1
            self.ledger.games.append(answer["id"])
            self.ledger.live.append(answer["id"])

    def _play(self, connection: http.client.HTTPConnection, game: str, chance: random.Random) -> None:
        status, state = self._request(connection, "GET", f"/games/{game}")
        if state["state"] == "ended" or not state["legal"]:
            with self.ledger.lock, contextlib.suppress(ValueError):
                self.ledger.live.remove(game)
            return
        request = TurnRequest(game, state["seq"] + 1, chance.choice(state["legal"]))
        with self.ledger.lock:
            self.ledger.unanswered[request] += 1  # another writer may request the same turn
        status, answer = self._request(connection, "POST", f"/games/{game}/turns", {"move": request.move}, state["seq"])
        with self.ledger.lock:
            if status == 201:
                if (game, answer["seq"]) in self.ledger.acknowledged:
                    self._wrong.append(f"game {game}: event {answer['seq']} was acknowledged twice")
                self.ledger.acknowledged[game, answer["seq"]] = request.move
            elif status == 412:
                self.ledger.refused += 1
            else:
                self._wrong.append(f"game {game}: {request.move} was refused: {status} {answer}")
            self.ledger.unanswered -= Counter([request])

    def _request(
        self, connection: http.client.HTTPConnection, method: str, path: str, body: object = None, seq: int = 0
    ) -> tuple[int, dict[str, Any]]:
        headers = {"Authorization": f"Bearer {self._token}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if seq:
            headers["If-Match"] = f'"{seq}"'
        connection.request(method, "/api/v1" + path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())

    def _check(self, games: set[str]) -> list[str]:
        """Return what is wrong with these games."""
        faults: list[str] = []
        for game in sorted(games):
            with self._store.reading() as transaction:
                row = transaction.games.get(game)
                events = transaction.games.events(game)
                if row is None:
                    faults.append(f"game {game} was acknowledged and is lost")
                    continue
                faults += [f"game {game}: {fault}" for fault in game_faults(transaction, row)]
            faults += self._compare(game, events)
        return faults

    def _compare(self, game: str, events: list[GameEvent]) -> list[str]:
        turns = [event for event in events if event.kind == "turn"]
        stored = {event.seq: _choice(event.data["turn"]["move"]) for event in turns}
        acknowledged = {seq: _choice(move) for (of, seq), move in self.ledger.acknowledged.items() if of == game}
        unanswered = {(one.seq, _choice(one.move)) for one in self.ledger.unanswered if one.game == game}
        faults = [
            f"game {game}: event {seq}, {move}, was acknowledged, but {stored.get(seq)} is stored"
            for seq, move in acknowledged.items()
            if stored.get(seq) != move
        ]
        faults += [
            f"game {game}: event {seq}, {move}, is stored, but was never requested"
            for seq, move in stored.items()
            if seq not in acknowledged and (seq, move) not in unanswered
        ]
        plies = [event.data["ply"] for event in turns]
        if plies != list(range(1, len(plies) + 1)):
            faults.append(f"game {game}: its turns are numbered {plies}")
        return faults

    def _check_whole(self) -> list[str]:
        """Return what is wrong with the whole database, and the errors in the service's logs."""
        faults = [f"game {game.id}: {fault}" for game in verify.verify(self._store) for fault in game.faults]
        stored = verify.count(self._store)
        most = len(self.ledger.games) + self.ledger.unanswered_games
        if not len(self.ledger.games) <= stored <= most:
            faults.append(f"{stored} games are stored, {len(self.ledger.games)} were acknowledged, {most} requested")
        with contextlib.closing(sqlite3.connect(self._folder / "inkeek.sqlite3")) as connection:
            found = connection.execute("PRAGMA integrity_check").fetchone()[0]
        if found != "ok":
            faults.append(f"the file is damaged: {found}")
        errors = self._service.errors()
        return faults + [line for line in errors.splitlines() if "Traceback" in line or "ERROR" in line]


def _choice(move: str) -> str:
    """Return a move without its result, which is written only after it was played."""
    return re.split("[x=]", move)[0]


@click.command()
@click.option("--rounds", type=click.IntRange(1), default=1000, show_default=True, help="Number of kills.")
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of all random draws.")
def main(rounds: int, seed: int) -> None:
    """Kill the service under its writers, and check its database."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="inkeek-crash-") as folder:
        crash = Crash(Path(folder), seed)
        try:
            faults = crash.run(rounds)
        finally:
            crash.close()
    ledger = crash.ledger
    click.echo(
        f"{len(ledger.acknowledged)} turns acknowledged in {len(ledger.games)} games, {ledger.refused} too late, "
        f"{ledger.unanswered.total()} turns and {ledger.unanswered_games} games unanswered, "
        f"{time.monotonic() - began:.0f} s"
    )
    for fault in faults:
        click.echo(fault)
    raise SystemExit(1 if faults else 0)


if __name__ == "__main__":
    main()
