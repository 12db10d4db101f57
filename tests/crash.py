"""Kills the service under concurrent writers, again and again: ``python -m tests.crash --rounds 1000``.

Writers play random legal turns over HTTP in shared games, annotate them, end them, correct how they ended, reopen them,
and import others; two readers follow the feed of all events. At a random moment one process of the service, or all,
gets SIGKILL. Then the database is checked: it holds every acknowledged event once and unchanged; any other event
belongs to an unanswered request; the chains, the ledger and all derived data are intact; and the service is back. In
the end each reader of the feed has had each event once, in the order of the ledger. Exit status 1: a check failed.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import random
import re
import sqlite3
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from inkeek.service.games.integrity import game_faults
from inkeek.service.maintenance import verify
from inkeek.service.storage import GameEvent
from inkeek.service.storage.store import Store
from tests.e2e.processes import Service
from tests.service.waiting import until

from .e2e.following.feed_readers import FeedReader

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
LONGEST = 0.8  # seconds of writing before a process is killed
ANSWER_WITHIN = 20.0
FEED_WITHIN = 30.0
KILLED = {"all": 3, "web": 4, "parent": 2, "desk": 1}  # parts, and how often
ACTIONS = {"play": 14, "annotate": 2, "end": 1, "import": 1}  # what a writer does, and how often
IMPORTED = 3  # games at once
ENDED = 20  # games whose ends are corrected
MARK = re.compile(r"\b[0-9a-f]{16}(?:-[0-9])?\b")


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
    ended: list[str] = field(default_factory=list)
    marks: dict[str, str] = field(default_factory=dict)  # `stored`, `refused` or `unanswered`, by the text of a request
    counts: Counter[str] = field(default_factory=Counter)  # acknowledged, by kind
    killed: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)


class Crash:
    """A service with its data in `folder`, and the writers."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.ledger = Ledger()
        self._random = random.Random(seed)
        self._service = Service(folder)
        self._token = self._service.token
        self._store = Store(f"sqlite:///{folder / 'inkeek.sqlite3'}")
        self._folder = folder
        self._wrong: list[str] = []
        self._position = 0  # in the ledger, up to which it was checked
        self.order: list[tuple[str, int]] = []  # all events, in the order of the ledger

    def run(self, rounds: int) -> list[str]:
        """Write and kill `rounds` times; return what was wrong, in sentences."""
        self._service.start()
        self._readers = [FeedReader(self._service.port, self._token, form) for form in ("sse", "ndjson")]
        try:
            for number in range(1, rounds + 1):
                before = self.ledger.counts.total()
                part, touched = self._round()
                faults = [*self._wrong, *self._check(touched), *self._check_marks()]
                written = self.ledger.counts.total() - before
                click.echo(f"{number:>5}  {part:10}  {'wrong' if faults else 'right'}  {written} acknowledged")
                if faults:
                    return faults
            faults = self._check_feed()
        finally:
            for reader in self._readers:
                reader.close()
            self._service.stop()
        return [*faults, *self._check(set(self.ledger.games)), *self._check_whole()]

    def close(self) -> None:
        self._store.close()

    def _round(self) -> tuple[str, set[str]]:
        """Write, and kill a part of the service. Return the part, and the games that were written to."""
        self._killed = threading.Event()
        writers = [threading.Thread(target=self._write, args=(self._random.random(),)) for _ in range(WRITERS)]
        touched = {*self.ledger.live, *self.ledger.ended}
        (part,) = self._random.choices(list(KILLED), list(KILLED.values()))
        for writer in writers:
            writer.start()
        time.sleep(self._random.uniform(0, LONGEST))
        self._killed.set()  # writers finish their request, if they can
        self._service.kill(part)
        for writer in writers:
            writer.join()
        self.ledger.killed[part] += 1
        return part, touched | {*self.ledger.live, *self.ledger.ended}

    def _write(self, seed: float) -> None:
        """Play turns in shared games until the service is killed."""
        chance = random.Random(seed)
        connection = http.client.HTTPConnection("127.0.0.1", self._service.port, timeout=ANSWER_WITHIN)
        try:
            while not self._killed.is_set():
                self._act(connection, chance)
        except (OSError, http.client.HTTPException):
            if not self._killed.wait(1):
                self._wrong.append("the service closed a connection before it was killed")
        finally:
            connection.close()

    def _act(self, connection: http.client.HTTPConnection, chance: random.Random) -> None:
        with self.ledger.lock:
            game = chance.choice(self.ledger.live) if len(self.ledger.live) >= SHARED else None
            ended = chance.choice(self.ledger.ended) if self.ledger.ended else None
        (action,) = chance.choices(list(ACTIONS), list(ACTIONS.values()))
        mark = f"{chance.getrandbits(64):016x}"
        if game is None:
            self._create(connection, chance)
        elif action == "play":
            self._play(connection, game, chance)
        elif action == "annotate":
            self._mark(connection, game, "annotations", mark, {"add": [{"ply": 0, "comment": mark}]})
        elif action == "import":
            self._import(connection, mark)
        elif ended is None or chance.random() < 0.3:
            self._end(connection, game, mark)
        elif chance.random() < 0.8:
            winner = chance.choice(("South", "North", None))
            body = {"termination": "adjudication", "winner": winner, "reason": mark}
            self._mark(connection, ended, "end/correction", mark, body)
        elif self._mark(connection, ended, "end/reopening", mark, {"reason": mark}):
            with self.ledger.lock, contextlib.suppress(ValueError):
                self.ledger.ended.remove(ended)
                self.ledger.live.append(ended)

    def _end(self, connection: http.client.HTTPConnection, game: str, mark: str) -> None:
        if self._mark(connection, game, "end", mark, {"termination": "agreement", "by": mark}):
            with self.ledger.lock, contextlib.suppress(ValueError):
                self.ledger.live.remove(game)
                self.ledger.ended = [*self.ledger.ended, game][-ENDED:]

    def _mark(
        self, connection: http.client.HTTPConnection, game: str, path: str, mark: str, body: dict[str, Any]
    ) -> bool:
        """Send a request that stores an event with the text `mark`; return whether it was stored."""
        with self.ledger.lock:
            self.ledger.marks[mark] = "unanswered"
        status, answer = self._request(connection, "POST", f"/games/{game}/{path}", body)
        with self.ledger.lock:
            self.ledger.marks[mark] = "stored" if status in (200, 201) else "refused"
            self.ledger.counts[path] += status in (200, 201)
            if status not in (200, 201, 409, 412, 422):
                self._wrong.append(f"game {game}: {path} was refused: {status} {answer}")
        return status in (200, 201)

    def _import(self, connection: http.client.HTTPConnection, mark: str) -> None:
        """Import some games. A mark in each says which it is."""
        marks = [f"{mark}-{number}" for number in range(IMPORTED)]
        with self.ledger.lock:
            self.ledger.marks |= dict.fromkeys(marks, "unanswered")
            self.ledger.unanswered_games += IMPORTED
        records = "\n".join(f'[Game "bof"]\n[Round "{mark}"]\n\n*\n' for mark in marks)
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/x-mancala-pmn"}
        connection.request("POST", "/api/v1/games/import", records.encode(), headers)
        answer = connection.getresponse()
        for number, line in enumerate(iter(answer.readline, b"")):
            if not line.endswith(b"\n"):
                return
            result = json.loads(line)
            with self.ledger.lock:
                if not result.get("ok") or result["present"]:
                    self._wrong.append(f"an import was refused: {answer.status} {result}")
                    return
                self.ledger.marks[marks[number]] = "stored"
                self.ledger.counts["import"] += 1
                self.ledger.unanswered_games -= 1
                self.ledger.games.append(result["id"])

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
                self.ledger.counts["turns"] += 1
            elif status in (409, 412):  # another turn was first, or the game was ended
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

    def _check_marks(self) -> list[str]:
        """Return which of the marked events are not stored once, if they were acknowledged, or at most once."""
        found: Counter[str] = Counter()
        for event in self._new_events():
            found.update(set(MARK.findall(json.dumps([event.actor, event.data]))))
        faults = []
        for mark, state in self.ledger.marks.items():
            least, most = {"stored": (1, 1), "refused": (0, 0), "unanswered": (0, 1)}[state]
            if not least <= found[mark] <= most:
                faults.append(f"the request {mark} was {state}, but it is in {found[mark]} events")
        unknown = found.keys() - self.ledger.marks.keys()
        self.ledger.marks.clear()
        return [*faults, *(f"the request {mark} was not sent in this round" for mark in sorted(unknown))]

    def _new_events(self) -> list[GameEvent]:
        """The events that came into the ledger since the last round, in its order."""
        events = []
        with self._store.reading() as transaction:
            while entries := transaction.ledger.entries_after(self._position, 1000):
                for entry in entries:
                    events += transaction.games.events(entry.game, entry.first - 1, entry.seq - entry.first + 1)
                self._position = entries[-1].position
        self.order += ((event.game, event.seq) for event in events)
        return events

    def _check_feed(self) -> list[str]:
        """Return what readers of the feed have not had once and in order."""
        self._new_events()
        faults = []
        for reader in self._readers:
            with contextlib.suppress(AssertionError):
                until(lambda reader=reader: len(reader.events) >= len(self.order), FEED_WITHIN)
            pairs = zip(reader.events, self.order, strict=False)
            differ = next((number for number, (had, stored) in enumerate(pairs) if had != stored), None)
            if differ is not None or len(reader.events) != len(self.order):
                faults.append(
                    f"a reader of the feed had {len(reader.events)} events of {len(self.order)}; the first "
                    f"that differs is number {differ}"
                )
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
        """Return what is wrong with the whole database and its ledger, and the errors in the service's logs."""
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
        lines = [line for line in errors.splitlines() if "Traceback" in line or "ERROR" in line]
        return faults + [line for line in lines if "SIGKILL" not in line]  # `serve` tells of those


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
        f"acknowledged in {len(ledger.games)} games: {dict(ledger.counts)}; {ledger.refused} turns too late, "
        f"{ledger.unanswered.total()} turns and {ledger.unanswered_games} games unanswered; "
        f"{len(crash.order)} events in the ledger and the feeds; killed: {dict(ledger.killed)}; "
        f"{time.monotonic() - began:.0f} s"
    )
    for fault in faults:
        click.echo(fault)
    raise SystemExit(1 if faults else 0)


if __name__ == "__main__":
    main()
