"""The process of all that misbehaves: ``python -m tests.e2e.hostile.crowd`` reads what to do from standard input."""

import json
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

import httpx

from tests.e2e.attacks.target import API, Target, bearer
from tests.e2e.hostile.player import OPTIONS
from tests.e2e.hostile.serial import HostileBoard
from tests.misbehaving.acts import ACTS
from tests.misbehaving.board import ANSWERS

TICK = 0.02  # seconds between two acts of a board
BOOT = "0000000a"
COUNTS = [4.0] * 18
PLACES = ("open", "poll", "acknowledge", "show", "close")
HELLO = {"event": "connected", "firmware": "1", "version": [1, 0], "boot": BOOT, "row": 8, "stores": True}


def poisoned(random: Random, victims: list[str]) -> dict[str, Any]:
    """An event that a far board might deliver, and mostly may not."""
    numbered = {"boot": BOOT, "seq": random.randrange(1, 1000), "ms": 0}
    serial = random.choice(victims)
    events: list[dict[str, Any]] = [
        {**HELLO, "serial": serial, "capabilities": ["buttons"]},
        {**HELLO, "serial": "9" * 100_000, "capabilities": []},
        {"event": "fault", **numbered, "pit": 33, "code": "open"},
        {"event": "calibrated", **numbered, "pit": 33, "ok": True, "reason": None},
        {"event": "button", **numbered, "side": "south", "action": "commit", "counts": []},
        {"event": "button", **numbered, "side": "south", "action": "commit", "counts": [4.0] * 256},
        {"event": "button", **numbered, "side": "north", "action": "commit", "counts": [-4.0] * 18},
        {"event": "button", **numbered, "side": "south", "action": "commit", "counts": random.sample(range(30), 18)},
        {"event": "snapshot", "boot": BOOT, "last": 0, "counts": [], "confidence": []},
        {"event": "snapshot", "boot": BOOT, "last": 0, "counts": COUNTS, "confidence": [15] * 18},
        {"event": "unrecognized", **numbered, "kind": "wave", "fields": ["x" * 2000] * 240},
        {"event": "disconnected", "reason": "x" * 5000},
        {"event": random.choice(["turn", "", "nothing"])},
    ]
    return random.choice(events)


class Crowd:
    """`given` says how many there are of each kind, and for how long."""

    def __init__(self, given: dict[str, Any]) -> None:
        self._random = Random(given["seed"])
        self._victims = given["victims"]
        self._given = given
        self._target = Target(given["port"], given["token"], "", given["seconds"], self._random)
        self.seen: Counter[str] = Counter()
        self._bound: list[str] = []

    def run(self) -> None:
        seed, only = self._given["seed"], self._given["only"]
        boards = [
            HostileBoard(number, Random(f"{seed}:{number}"), self._victims, only, self._given["pace"])
            for number in range(self._given["serial"])
        ]
        for board in boards:
            self._bind(board.port.url, "inkeek")
        works: list[Callable[[], None]] = [lambda: self._act(boards)]
        for number in range(self._given["far"]):
            works.append(self._far_board(number))
        if self._given["drivers"]:
            works.append(self._drive)
        threads = [threading.Thread(target=work, daemon=True) for work in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(self._given["seconds"] + 60)
        for board_id in self._bound:
            self._target.ask("DELETE", f"{API}/boards/{board_id}", self._target.key)
        for board in boards:
            board.close()

    def _game(self) -> str:
        made = self._target.made("POST", f"{API}/games", self._target.key, {"game": "enkeshui", "options": OPTIONS})
        return str(made["id"])

    def _bind(self, port: str, driver: str) -> str | None:
        body = {"port": port, "driver": driver, "game": self._game()}
        answer = self._target.ask("POST", f"{API}/boards", self._target.key, body)
        self.seen[f"bound {driver}: {answer.status_code}"] += 1
        if not answer.is_success:
            return None
        self._bound.append(str(answer.json()["id"]))
        return self._bound[-1]

    def _act(self, boards: list[HostileBoard]) -> None:
        while not self._target.is_over:
            due = time.monotonic() + TICK
            for board in boards:
                board.act()
            time.sleep(max(0.0, due - time.monotonic()))

    def _far_board(self, number: int) -> Callable[[], None]:
        random = Random(f"{self._given['seed']}:far:{number}")
        game, key = self._game(), self._target.key
        port = {"port": f"far:bad-{number}", "driver": "far", "game": game}
        board = self._target.made("POST", f"{API}/boards", key, port)["id"]
        self._bound.append(str(board))
        limit = {"kind": "game", "value": game}
        own = bearer(self._target.new_token("attach", limit=limit)["token"])

        def deliver() -> None:
            while not self._target.is_over:
                poison = [poisoned(random, self._victims) for _ in range(random.randrange(1, 6))]
                log = [{"kind": "button", "data": event} for event in poison]
                body = {"id": f"{random.getrandbits(128):032x}", "after": 0, "log": log, "status": poison[0]}
                body["serial"] = random.choice([None, *self._victims])
                with suppress(httpx.HTTPError):
                    answer = self._target.ask("POST", f"{API}/boards/{board}/report", own, body)
                    self.seen[f"far: {answer.status_code}"] += 1
                    if random.random() < 0.1:
                        claimed = {"serial": random.choice(self._victims)}
                        self._target.ask("PATCH", f"{API}/boards/{board}", own, claimed)
                time.sleep(self._given["pace"] * random.uniform(0.05, 0.5))

        return deliver

    def _drive(self) -> None:
        """Bind boards of bad drivers, and release them again."""
        random, open_boards = Random(f"{self._given['seed']}:drivers"), list[str]()
        names = self._given["importing"]
        while not self._target.is_over:
            if len(open_boards) >= self._given["drivers"]:
                released = open_boards.pop(random.randrange(len(open_boards)))
                self._target.ask("DELETE", f"{API}/boards/{released}", self._target.key)
                self._bound.remove(released)
            place = random.choice(PLACES)
            act = random.choice([*ACTS, *(ANSWERS if place == "poll" else ())])
            port, driver = f"bad:{place}:{act}", "bad"
            if names and random.random() < 0.3:
                port, driver = "loop://", random.choice(names)
            with suppress(httpx.HTTPError):
                found = self._bind(port, driver)
                if found is not None:
                    open_boards.append(found)
            time.sleep(random.uniform(0.2, 2.0))


def main() -> None:
    crowd = Crowd(json.loads(sys.stdin.readline()))
    crowd.run()
    print(json.dumps({"seen": crowd.seen, "faults": crowd._target.faults}), flush=True)


if __name__ == "__main__":
    main()
