"""A far board whose process the test moves step by step; its service answers in this process."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from inkeek.service.boards.bindings import Boards
from inkeek.service.boards.controller import FLUSH_AFTER, BoardController
from inkeek.service.boards.remote.client import RequestRefused, Unreachable
from inkeek.service.boards.remote.copy import CopyStore
from inkeek.service.boards.remote.delivery import Delivery
from inkeek.service.boards.remote.process import Plan, bind, read_known
from inkeek.service.boards.remote.spool import Spool
from inkeek.service.games.repository import Games
from inkeek.service.storage.store import Store
from tests.service.boards_double import SMALL, FakeConnection, commit, connected, snapshot
from tests.service.waiting import until

BOOT = "0000000a"


class Driver:
    name = "inkeek"


class Link:
    """As `Client`. `weather`: ``up``, ``down``, or ``deaf``: what was asked is done, and the answer lost."""

    url = "https://far.example"

    def __init__(self, client) -> None:
        self.client = client
        self.weather = "up"
        self.reports: list[dict] = []
        self._lock = threading.Lock()

    def ask(self, method, path, body=None, timeout=0.0):
        with self._lock:  # the test client is for one thread
            if self.weather == "down":
                raise Unreachable(f"{self.url}: the network is down")
            if "wait=" in path:
                path = path.partition("&wait=")[0]
            answer = self.client.open(f"/api/v1{path}", method=method, json=body)
            if path.endswith("/report") and len(body) > 3:
                self.reports.append(body)
            if self.weather == "deaf":
                raise Unreachable(f"{self.url}: no answer in time")
        data = answer.get_json()
        if answer.status_code == 429 or answer.status_code >= 500:
            raise Unreachable(data["detail"])
        if answer.status_code >= 400:
            raise RequestRefused(answer.status_code, data["type"].rpartition("/")[2], data["detail"], data)
        return data

    def close(self) -> None:
        pass


class Bench:
    """The board, its process, and the game that it plays in the service."""

    def __init__(self, client, services, folder: Path, **tags: str) -> None:
        self.services = services
        self.link = Link(client)
        self.folder = folder
        self.told: list[str] = []
        made = client.post("/api/v1/games", json={"game": "enkeshui", "options": SMALL, "tags": tags})
        self.game = made.json["id"]
        self.plan = Plan("/dev/fake", Driver(), self.link.url, self.game, "", None, "bench", folder)
        self.board = bind(self.link, self.plan)
        self.now = 0.0
        self.seq = 0
        self._threads: list[threading.Thread] = []
        self.start()

    def start(self) -> None:
        """As `inkeek board attach` does."""
        self.spool = Spool(self.plan.spool)
        known, waiting = self.spool.load()
        if known is None or not waiting:
            try:
                known = read_known(self.link, self.plan, self.board)
            except Unreachable:
                assert known is not None
        self.delivery = Delivery(self.link, self.board, self.spool, waiting, self.told.append)
        self.store = CopyStore(known, self.delivery, self.spool)
        self.games = Games(cast(Store, self.store), max_plies=5000)
        self.boards = Boards(cast(Store, self.store), max_boards=1)
        self.open()
        self._threads = [threading.Thread(target=self.delivery.run, daemon=True)]
        for thread in self._threads:
            thread.start()

    def open(self) -> None:
        """Open the board, for the first time or after a failure."""
        self.connection = FakeConnection()
        self.controller = BoardController(
            self.boards.get(self.board), self.connection, self.games, self.boards, lambda: self.now
        )
        self.controller.kept = lambda: self.delivery.keeps

    def kill(self) -> None:
        """SIGKILL: nothing is done in an orderly way."""
        self.delivery.end()
        for thread in self._threads:
            thread.join()
        self.spool.close()

    def hear(self, *events) -> None:
        self.connection.say(*events)
        self.step()

    def step(self) -> None:
        self.now += FLUSH_AFTER
        self.controller.game_changed.set()
        self.controller.step(0.0)

    def greet(self) -> None:
        """The board is connected, and says where it is."""
        position = self.games.load(self.game).position
        self.hear(connected(), snapshot(position, self.seq))

    def turn(self):
        """The next legal turn, as the process knows the game."""
        loaded = self.games.load(self.game)
        return loaded.rules.play(loaded.position, loaded.legal(1)[0])

    def play(self) -> str:
        """A turn on the board, with its button; the move."""
        turn = self.turn()
        self.seq += 1
        self.hear(commit(turn, self.seq))
        return str(turn.move)

    def recorded(self) -> list[str]:
        """The moves that the service has."""
        return [str(ply.move) for ply in self.services.games.load(self.game).record.plies]

    def sources(self) -> list[str]:
        events = self.services.games.load(self.game).events
        return [event.source for event in events if event.source.startswith("board:")]

    def log(self, kind: str) -> list[dict]:
        return [entry.data for entry in self.services.boards.log(self.board) if entry.kind == kind]

    def status(self) -> dict:
        return self.services.boards.get(self.board).status

    def deliver(self) -> None:
        """Until nothing waits."""
        self.link.weather = "up"
        until(lambda: not self.delivery._waiting)
        self.step()

    def hear_news(self) -> None:
        """The process asks for news."""
        until(lambda: not self.delivery._waiting)
        self.delivery._news = self.delivery._ask_news()

    @contextmanager
    def away(self):
        """Without the network; then everything is delivered."""
        self.link.weather = "down"
        yield
        self.deliver()
