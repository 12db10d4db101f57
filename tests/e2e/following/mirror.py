"""A mirror of many games while service and mirror are killed: ``python -m tests.e2e.following.mirror --kills 100``.

It imports games, and writers change others. At random moments parts of the service, the mirror, or both get SIGKILL. In
the end the records that the mirror made of the feed are compared with the export. Exit status 1: they differ.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import click
import httpx

from tests.e2e.processes import UP_WITHIN, Service
from tests.mirror.records import Mirror
from tests.service.waiting import until

WRITERS = 4
AT_ONCE = 500  # games in an import
BETWEEN = (0.1, 2.0)  # seconds between two kills: from, to
CAUGHT_UP = 300.0  # seconds in which the mirror has all events
PARTS = {"mirror": 6, "web": 3, "all": 3, "desk": 1, "supervisor": 1}  # what is killed, and how often
ACTIONS = {"turns": 14, "retractions": 2, "annotations": 2, "trials": 1, "end": 1, "end/correction": 1}
GAMES = ("oware", "kalah", "bof")
CURSOR = re.compile(rb',"cursor":"[^"]*"')


@dataclass
class Result:
    """What the mirror has. `differing` are the games whose records are not, byte by byte, those of the export."""

    games: int = 0
    events: int = 0
    lost: int = 0
    doubled: int = 0
    differing: list[str] = field(default_factory=list)
    killed: Counter[str] = field(default_factory=Counter)
    writes: Counter[str] = field(default_factory=Counter)

    @property
    def is_right(self) -> bool:
        return not (self.lost or self.doubled or self.differing)


class MirrorRun:
    """A service and its mirror, with their data in `folder`."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.result = Result()
        self._random = Random(seed)
        self._service = Service(folder, rate=0)
        self._file = folder / "feed.jsonl"
        self._mirror: subprocess.Popen[bytes] | None = None
        self._over = threading.Event()

    def run(self, games: int, live: int, kills: int) -> Result:
        """Import games, play others, and kill; return what is left."""
        self._service.start()
        try:
            self._start_mirror()
            self._import(games)
            with httpx.Client(timeout=UP_WITHIN, trust_env=False) as client:
                ids = [self._created(client, number) for number in range(live)]
            writers = [threading.Thread(target=self._write, args=(ids, number)) for number in range(WRITERS)]
            for writer in writers:
                writer.start()
            for _ in range(kills):
                time.sleep(self._random.uniform(*BETWEEN))
                self._kill()
            self._over.set()
            for writer in writers:
                writer.join()
            self._compare()
        finally:
            self._over.set()
            self._stop_mirror()
            self._service.stop()
        return self.result

    def _kill(self) -> None:
        (part,) = self._random.choices(list(PARTS), list(PARTS.values()))
        self.result.killed[part] += 1
        if part == "mirror" or self._random.random() < 0.3:
            self._stop_mirror()
            self._start_mirror()
        if part != "mirror":
            self._service.kill(part)

    def _start_mirror(self) -> None:
        url = f"http://127.0.0.1:{self._service.port}"
        self._mirror = subprocess.Popen([sys.executable, "-m", "tests.mirror", url, self._service.token, self._file])

    def _stop_mirror(self) -> None:
        if self._mirror is not None:
            self._mirror.kill()
            self._mirror.wait()

    def _request(self, client: httpx.Client, method: str, path: str, **more: Any) -> httpx.Response:
        """The answer; a request is sent again until there is one."""
        headers = {"Authorization": f"Bearer {self._service.token}"}
        deadline = time.monotonic() + UP_WITHIN
        while True:
            try:
                url = f"http://127.0.0.1:{self._service.port}/api/v1{path}"
                return client.request(method, url, **{**more, "headers": {**headers, **more.get("headers", {})}})
            except httpx.HTTPError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def _import(self, games: int) -> None:
        record = (
            '[Game "oware"]\n[Round "{}"]\n[Result "1-0"]\n[Termination "resignation"]\n\n1. c D 2. d {{slow}} 1-0\n'
        )
        with httpx.Client(timeout=UP_WITHIN, trust_env=False) as client:
            for first in range(0, games, AT_ONCE):
                text = "\n".join(record.format(number) for number in range(first, min(first + AT_ONCE, games)))
                headers = {"Content-Type": "application/x-mancala-pmn"}
                answer = self._request(client, "POST", "/games/import", content=text.encode(), headers=headers)
                assert all(json.loads(line)["ok"] for line in answer.text.splitlines()), answer.text[:500]

    def _created(self, client: httpx.Client, number: int) -> str:
        body = {"game": GAMES[number % len(GAMES)], "tags": {"South": f"Näsieku {number}", "Site": "Narok"}}
        return str(self._request(client, "POST", "/games", json=body).json()["id"])

    def _write(self, ids: list[str], number: int) -> None:
        """Change games until the kills are over. A game that can no longer be changed is replaced by a new one."""
        random = Random(f"{self._random.random()}:{number}")
        with httpx.Client(timeout=UP_WITHIN, trust_env=False) as client:
            while not self._over.is_set():
                place = random.randrange(number, len(ids), WRITERS)  # no two writers share a game
                game = self._request(client, "GET", f"/games/{ids[place]}").json()
                if game["state"] == "ended" and (game["termination"] == "normal" or random.random() < 0.5):
                    ids[place] = self._created(client, place)
                    continue
                (action,) = random.choices(list(ACTIONS), list(ACTIONS.values()))
                body = self._body(action, game, random)
                answer = self._request(client, "POST", f"/games/{game['id']}/{action}", json=body)
                self.result.writes[action if answer.is_success else f"{action} refused"] += 1

    def _body(self, action: str, game: dict[str, Any], random: Random) -> dict[str, Any]:
        move = random.choice(game["legal"] or ["a"])
        return {
            "turns": {"move": move, "comments": ['said "so" ] \\ {'], "by": "Nasieku"},
            "retractions": {"reason": "team", "note": "too short"},
            "annotations": {"add": [{"ply": game["ply"], "comment": f"ünd {random.random()}"}]},
            "trials": {"move": move, "by": "Ole"},
            "end": {"termination": "agreement"},
            "end/correction": {"termination": "resignation", "winner": "South", "reason": "counted"},
        }[action]

    def _compare(self) -> None:
        """Compare the mirror with the export, when it has all events."""
        with httpx.Client(timeout=CAUGHT_UP, trust_env=False) as client:
            end = int(self._request(client, "GET", "/feed?after=end&format=ndjson").json()["cursor"])
            *_, last, _ = self._request(client, "GET", f"/feed?after={end - 1}&format=ndjson").text.splitlines()
            exported = self._request(client, "GET", "/games/export").content.splitlines()
        until(lambda: f'"{json.loads(last)["cursor"]}"'.encode() in self._file.read_bytes()[-2000:], CAUGHT_UP)
        self._stop_mirror()
        mirror = Mirror()
        for line in self._file.read_bytes().splitlines():
            mirror.add(json.loads(line))
        for line in exported:
            game = json.loads(line)["id"]
            if game not in mirror.games or next(mirror.lines([game])) != CURSOR.sub(b"", line, count=1):
                self.result.differing.append(game)
        self.result.games = len(exported)
        self.result.events = sum(map(len, mirror.games.values()))
        self.result.lost, self.result.doubled = mirror.lost, mirror.doubled
        self.result.differing += sorted(mirror.games.keys() - {json.loads(line)["id"] for line in exported})


@click.command()
@click.option("--games", type=click.IntRange(0), default=10_000, show_default=True, help="Imported games.")
@click.option("--live", type=click.IntRange(4), default=50, show_default=True, help="Games that go on.")
@click.option("--kills", type=click.IntRange(1), default=100, show_default=True, help="How often something is killed.")
@click.option("--seed", type=int, default=1, show_default=True, help="For everything but the clock.")
def main(games: int, live: int, kills: int, seed: int) -> None:
    """Mirror a service while both are killed."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="inkeek-mirror-") as folder:
        result = MirrorRun(Path(folder), seed).run(games, live, kills)
    click.echo(
        f"{result.games} games, {result.events} events: {result.lost} lost, {result.doubled} doubled, "
        f"{len(result.differing)} records differ; killed: {dict(result.killed)}; writes: {dict(result.writes)}; "
        f"{time.monotonic() - began:.0f} s"
    )
    raise SystemExit(0 if result.is_right else 1)


if __name__ == "__main__":
    main()
