"""Who plays and follows a game while others attack: what they wait, and what they lose."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from contextlib import AbstractContextManager

from benchmarks.service.http_client import Connection
from benchmarks.service.throughput import at, lines
from tests.e2e.following.followers import Followers
from tests.e2e.processes import Service
from tests.service.waiting import until

from .target import API, bearer

FOLLOWERS = 20
PLAYERS = 2
PAUSE = 0.01  # seconds between two turns of a player
HEARD_WITHIN = 20.0  # seconds after the last turn


class Bystander(AbstractContextManager["Bystander"]):
    """Two players, each in games of their own, and twenty followers of the first game."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._lines = lines(PLAYERS)
        self._lock = threading.Lock()
        self._played: dict[str, list[str]] = {}  # acknowledged moves, by game
        self.wrong: Counter[str] = Counter()
        connection = self._connect()
        self.game = self._create(connection)
        connection.close()
        url = f"http://127.0.0.1:{service.port}{API}/games/{self.game}/events"
        self._followers = Followers(url, FOLLOWERS)

    def __enter__(self) -> Bystander:
        self._followers.__enter__()
        until(lambda: all(one.connected for one in self._followers.all))
        return self

    def __exit__(self, *error: object) -> None:
        self._followers.__exit__(*error)

    def play(self, seconds: float) -> list[float]:
        """Play turns for so long; the sorted times of all turns."""
        times: list[float] = []
        over = time.monotonic() + seconds
        players = [threading.Thread(target=self._play, args=(number, over, times)) for number in range(PLAYERS)]
        for player in players:
            player.start()
        for player in players:
            player.join()
        return sorted(times)

    def check(self) -> Counter[str]:
        """What was lost, doubled, ended or never answered."""
        connection = self._connect()
        for game, moves in self._played.items():
            stored = json.loads(connection.ask("GET", f"{API}/games/{game}/turns")[1])["items"]
            found = [turn["move"] for turn in stored]
            unanswered = self.wrong["no answer"] + self.wrong["refused"]
            self.wrong["lost"] += sum(move != kept for move, kept in zip(moves, found, strict=False))
            self.wrong["lost"] += max(0, len(moves) - len(found))
            self.wrong["doubled"] += max(0, len(found) - len(moves) - unanswered)
        last = json.loads(connection.ask("GET", f"{API}/games/{self.game}")[1])["seq"]
        connection.close()
        deadline = time.monotonic() + HEARD_WITHIN
        while time.monotonic() < deadline and any(one.last < last for one in self._followers.all):
            time.sleep(0.02)
        for one in self._followers.all:
            numbers = [number for number, _ in one.heard]
            self.wrong["lost"] += len(set(range(1, last + 1)) - set(numbers))
            self.wrong["doubled"] += len(numbers) - len(set(numbers))
            self.wrong["ended"] += max(0, one.connected - 1)
        return self.wrong

    def _connect(self) -> Connection:
        return Connection(self._service.port, bearer(self._service.token))

    def _create(self, connection: Connection) -> str:
        status, answer = connection.ask("POST", f"{API}/games", b'{"game": "layli-goobalay"}')
        assert status == 201, answer
        game = str(json.loads(answer)["id"])
        with self._lock:
            self._played[game] = []
        return game

    def _play(self, number: int, over: float, times: list[float]) -> None:
        game = self.game if number == 0 else ""
        connection = self._connect()
        moves = self._lines[number]
        while time.monotonic() < over:
            try:
                if not game or len(self._played[game]) == len(moves):
                    game = self._create(connection)
                played = self._played[game]
                body = json.dumps({"move": moves[len(played)], "ply": len(played) + 1}).encode()
                began = time.perf_counter()
                status, answer = connection.ask("POST", f"{API}/games/{game}/turns", body)
            except (OSError, AssertionError, ValueError, IndexError):
                self._note("no answer")
                game = ""
                time.sleep(0.2)
                connection = self._connect()
                continue
            with self._lock:
                times.append(time.perf_counter() - began)
            if status == 201:
                played.append(json.loads(answer)["move"])
            else:
                self._note("refused")
                game = ""
            time.sleep(PAUSE)
        connection.close()

    def _note(self, what: str) -> None:
        with self._lock:
            self.wrong[what] += 1


def shown(times: list[float]) -> str:
    """p50, p99 and the longest, in milliseconds."""
    return "  ".join(f"{at(times, share):7.1f}" for share in (0.5, 0.99, 1.0)) if times else "      –        –        –"
