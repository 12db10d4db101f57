"""Several games at once on one service whose processes are killed one after another; readers follow every game.

Meanwhile other games are imported and analyzed.
"""

import json
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import httpx

from inkeek.records import write_game
from inkeek.service.demo.client import DemoFailed, ServiceClient
from tests.e2e.chain import Chain
from tests.e2e.processes import PARTS, UP_WITHIN, Service
from tests.e2e.troubles import draw
from tests.records.analysis.test_annotation import random_game
from tests.service.waiting import until

from .following.followers import Followers

PATIENCE = 120.0  # seconds between two events of the hands: the desk may be killed several times meanwhile
BETWEEN_KILLS = (0.5, 5.0)
RETRY_AFTER = 0.1
IMPORTED = 40  # games of one import
JOBS = "/api/v1/jobs"  # asked again, it answers with the job that it has; so it takes no key


class PersistentClient(ServiceClient):
    """Sends a request again until it is answered. A repeated POST has the same Idempotency-Key."""

    def post_text(self, path: str, text: str) -> str:
        return self._send("POST", path, content=text).text

    def _send(self, method: str, path: str, **more: Any) -> httpx.Response:
        has_key = method == "POST" and path != JOBS
        headers = {**self._headers, **({"Idempotency-Key": str(uuid.uuid4())} if has_key else {})}
        deadline = time.monotonic() + UP_WITHIN
        while True:
            try:
                answer = httpx.request(
                    method, self.url + path, headers=headers, timeout=UP_WITHIN, trust_env=False, **more
                )
            except httpx.HTTPError as error:
                if time.monotonic() > deadline:
                    raise DemoFailed(f"{self.url}{path}: {error}") from error
                time.sleep(RETRY_AFTER)
                continue
            if not answer.is_success:
                raise DemoFailed(f"{method} {answer.url}: {answer.status_code} {answer.text}")
            return answer


@dataclass
class Tally:
    """What happened. `wrong` holds a text for each game that is not as it was played."""

    games: int = 0
    turns: int = 0
    resumed: int = 0
    imported: int = 0
    analyzed: int = 0
    killed: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    slowest: float = 0.0  # seconds until a killed process ran again and requests were answered


class KillLoop:
    """Plays `together` games at once until `seconds` are over and each process was killed, and finishes them.

    From the recovery after a kill to the next kill are `between` seconds: from, to.
    """

    def __init__(
        self,
        seed: int,
        together: int,
        seconds: float,
        games: tuple[str, ...],
        between: tuple[float, float] = BETWEEN_KILLS,
    ) -> None:
        self.tally = Tally()
        self._seed = seed
        self._together = together
        self._seconds = seconds
        self._games = games
        self._between = between
        self._lock = threading.Lock()
        self._over = threading.Event()

    def run(self) -> Tally:
        with tempfile.TemporaryDirectory(prefix="inkeek-soak-") as name:
            folder = Path(name)
            count = self._together
            self._service = Service(folder, PersistentClient, max_boards=2 * count)
            try:
                self._service.start()
                with ThreadPoolExecutor(count + 1) as pool:
                    slots = [pool.submit(self._play_games, folder, slot) for slot in range(count)]
                    slots.append(pool.submit(self._import_and_analyze))
                    try:
                        self._kill_processes()
                    finally:
                        self._over.set()
                    for slot in slots:
                        slot.result()
            finally:
                self._service.stop()
            verified = subprocess.run(
                [sys.executable, "-m", "inkeek.service.cli", "db", "verify", "--data", name],
                capture_output=True,
                text=True,
            )
            if verified.returncode:
                self.tally.wrong.append(verified.stdout + verified.stderr)
        return self.tally

    def _kill_processes(self) -> None:
        random = Random(self._seed)
        until_then = time.monotonic() + self._seconds
        parts = random.sample(PARTS, len(PARTS))  # each once, then again in another order
        while parts or time.monotonic() < until_then:
            parts = parts or random.sample(PARTS, len(PARTS))
            part = parts.pop()
            began = time.monotonic()
            self._service.kill(part)
            self.tally.killed[part] += 1
            self.tally.slowest = max(self.tally.slowest, time.monotonic() - began)
            time.sleep(random.uniform(*self._between))

    def _play_games(self, folder: Path, slot: int) -> None:
        number = 0
        while not number or not self._over.is_set():
            below = folder / f"{slot}-{number}"
            below.mkdir()
            try:
                self._play(below, Random(f"{self._seed}:{slot}:{number}"), f"SIM-{slot:02}-{number:04}")
            except Exception as error:  # noqa: BLE001 - every failure is a finding
                self.tally.wrong.append("".join(traceback.format_exception(error)))
            number += 1

    def _import_and_analyze(self) -> None:
        """Import games and have them analyzed, again and again. What was answered must be stored."""
        client, stored = self._service.client, set()
        try:
            while not self._over.is_set():
                first = self._seed + self.tally.imported
                games = [random_game("oware", first + number, turns=40) for number in range(IMPORTED)]
                text = "\n".join(write_game(game) for game in games)
                lines = client.post_text("/api/v1/games/import", text).splitlines()
                ids = [json.loads(line)["id"] for line in lines]
                assert len(ids) == IMPORTED
                stored.update(ids)
                self.tally.imported += IMPORTED
                job = client.post(JOBS, {"games": ids, "nodes": 300})
                path = f"{JOBS}/{job['id']}"
                # Workers compute only while nothing else does, and the games may leave them no time until they end.
                until(lambda path=path: client.get(path)["state"] == "done", self._seconds + PATIENCE)
                self.tally.analyzed += IMPORTED
            for game_id in stored:
                client.get(f"/api/v1/games/{game_id}")
        except Exception as error:  # noqa: BLE001 - every failure is a finding
            self.tally.wrong.append("".join(traceback.format_exception(error)))

    def _play(self, folder: Path, random: Random, serial: str) -> None:
        record = folder / "game.pmn"
        troubles = draw(random, self._games, record)
        chain = Chain(
            folder,
            record,
            *troubles.options,
            tcp=troubles.tcp,
            speed=random.choice(["10", "20", "40"]),
            serial=serial,
            service=self._service,
            patience=PATIENCE,
        )
        with chain:
            with Followers(f"{self._service.client.url}/api/v1/games/{chain.game_id}/events", 1) as followers:
                (reader,) = followers.all
                chain.finish()
                assert chain.kinds().count("gap") <= troubles.restarts
                text = chain.client.text(f"/api/v1/games/{chain.game_id}/events?format=ndjson")
                stored = [json.loads(line)["seq"] for line in text.splitlines()]
                until(lambda: len(reader.heard) >= len(stored), UP_WITHIN)
            assert [seq for seq, _ in reader.heard] == stored, "the stream repeated or lost events"
            chain.client.delete(f"/api/v1/boards/{chain.board_id}")
        with self._lock:
            self.tally.games += 1
            self.tally.turns += len(chain.moves)
            self.tally.resumed += reader.connected - 1
