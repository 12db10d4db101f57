"""A board that plays games turn by turn; each press is timed until the host acknowledges it."""

import threading
import time
import traceback
from random import Random
from typing import Any

from inkeek.records import ruleset
from inkeek.service.demo.client import ServiceClient
from tests.e2e.troubles import draw_game
from tests.foreign_board.board import ForeignBoard
from tests.foreign_board.hand import Hand
from tests.foreign_board.ports import PtyPort
from tests.service.waiting import until

OPTIONS: dict[str, Any] = {"pits": 8, "setup": "fours-right"}
PACE = (0.2, 0.8)  # seconds between two turns: from, to
LOOK = 0.01  # seconds between two looks at the line
ACKNOWLEDGED_WITHIN = 60.0  # seconds until a press counts as lost


class Player(threading.Thread):
    """Plays until `stop` is set, then to the end of its game at most a turn more. `wrong` says what went wrong."""

    def __init__(self, number: int, client: ServiceClient, seed: int) -> None:
        super().__init__(name=f"player {number}", daemon=True)
        self.serial = f"GOOD-{number}"
        self.times: list[tuple[float, float]] = []  # when each press was made, and how long it waited
        self.turns = 0
        self.wrong: list[str] = []
        self.stop = threading.Event()
        self._client = client
        self._random = Random(f"{seed}:{number}")
        self._board = ForeignBoard(8, serial=self.serial, stores=True)
        self._port = PtyPort(self._board)

    def run(self) -> None:
        try:
            while not self.stop.is_set():
                self._play_game()
        except Exception as error:  # noqa: BLE001 - every failure is a finding
            self.wrong.append(f"{self.serial}: {''.join(traceback.format_exception(error))}")
        finally:
            self._port._close()

    def _play_game(self) -> None:
        rules = ruleset("enkeshui", **OPTIONS)
        moves, _ = draw_game(self._random, rules)
        game = str(self._client.post("/api/v1/games", {"game": "enkeshui", "options": OPTIONS})["id"])
        hand = Hand(self._board, rules, rules.start())
        bound = {"port": self._port.url, "driver": "inkeek", "game": game}
        board = str(self._client.post("/api/v1/boards", bound)["id"])
        self._until_ready(board)
        played = []
        for move in moves:
            pause = time.monotonic() + self._random.uniform(*PACE)
            while time.monotonic() < pause:
                self._exchange()
            if self.stop.is_set():
                break
            hand.play(move)
            number, pressed = self._board.last, time.monotonic()
            self._port._write()
            while number in self._board.held:
                assert time.monotonic() - pressed < ACKNOWLEDGED_WITHIN, f"turn {move} of game {game} was not answered"
                self._exchange()
            self.times.append((pressed, time.monotonic() - pressed))
            played.append(str(move))
        replayed = [ply["move"] for ply in self._client.get(f"/api/v1/games/{game}/replay")["plies"]]
        assert replayed == played, f"game {game} has {replayed}; played were {played}"
        self.turns += len(played)
        self._client.delete(f"/api/v1/boards/{board}")

    def _until_ready(self, board: str) -> None:
        """Answer the host until it knows what lies on the board."""
        over = threading.Event()

        def answer() -> None:
            while not over.is_set():
                self._exchange()

        answering = threading.Thread(target=answer, daemon=True)
        answering.start()
        try:
            until(lambda: self._is_ready(board), ACKNOWLEDGED_WITHIN)
        finally:
            over.set()
            answering.join()

    def _is_ready(self, board: str) -> bool:
        status = self._client.get(f"/api/v1/boards/{board}")["status"]
        return status["state"] == "connected" and bool(status["counts"])

    def _exchange(self) -> None:
        data = self._port._read(LOOK)
        if data:
            self._board.receive(data)
        self._board.tick()
        self._port._write()
