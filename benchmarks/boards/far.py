"""Remote boards: ``python -m benchmarks.boards.far --boards 8 --turns 300``.

Measures the time from a button to its lights and until its event is durable, what idle boards cost the service, and how
many events a second a spool takes, each durable before the next. The agents' requests are made here, on the machine of
the service, so the figures contain no network.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

from drivers.events import Button, Connected, Event, PitChanged, Snapshot
from drivers.recording.json_form import event_json
from records import ruleset
from service.boards.remote.client import Client
from service.boards.remote.spool import Spool
from service.boards.remote.uploader import HEARTBEAT_EVERY, LIGHTS_WAIT
from service.demo.child import Child
from service.demo.demo import own_token

UP_WITHIN = 60.0
BOOT = "0000000a"


class Board:
    """A remote board and its game."""

    def __init__(self, url: str, token: str, number: int) -> None:
        self.client = Client(url, token)
        game = self.client.ask("POST", "/games", {"game": "enkeshui", "options": {"pits": 8}})["id"]
        bound = {"port": f"far:bench {number}", "driver": "far", "game": game}
        self.id = str(self.client.ask("POST", "/boards", bound)["id"])
        self.claim = self.client.ask("POST", f"/boards/{self.id}/claim", {"spool": f"{number:032x}"})["claim"]
        self.rules = ruleset("enkeshui", pits=8)
        self.position = self.rules.start()
        self.last = self.seq = 0
        self.version = -1
        counts = (*map(float, self.position.pits), *map(float, self.position.stores))
        hello = Connected(f"BENCH-{number}", "1", (1, 0), BOOT, 8, True, frozenset({"leds"}))
        self.deliver(hello, Snapshot(BOOT, 0, counts, (15,) * len(counts)))
        self.lights()

    def deliver(self, *events: Event) -> None:
        body = {"claim": self.claim, "first": self.last + 1, "events": [event_json(event) for event in events]}
        self.client.ask("POST", f"/boards/{self.id}/inbox", body)
        self.last += len(events)

    def lights(self) -> dict[str, Any]:
        path = f"/boards/{self.id}/lights?after={self.version}&wait={LIGHTS_WAIT:g}"
        answer = self.client.ask("GET", path, timeout=LIGHTS_WAIT)
        self.version = answer["version"]
        return answer

    def play(self, random: Random) -> tuple[float, float] | None:
        """Play a turn. Return the seconds until it was durable and until its lights were back; None if the board cannot
        distinguish any turn from all others."""
        turns = [self.rules.play(self.position, move) for move in self.rules.legal_moves(self.position)]
        ends = [turn.position.pits for turn in turns]
        distinct = [turn for turn in turns if ends.count(turn.position.pits) == 1 and "@" not in str(turn.move)]
        if not distinct:
            return None
        turn = random.choice(distinct)
        counts = (*map(float, turn.position.pits), *map(float, turn.position.stores))
        self.seq += 1
        button = Button(BOOT, self.seq, 0, self.position.to_move, "commit", counts)
        number, back = self.last + 1, []

        def wait() -> None:
            while self.lights()["answers"] < number:
                pass
            back.append(time.perf_counter())

        waiting = threading.Thread(target=wait)
        waiting.start()
        began = time.perf_counter()
        self.deliver(button)
        durable = time.perf_counter()
        waiting.join()
        self.position = turn.position
        return durable - began, back[0] - began

    def idle(self, until: float) -> None:
        """Send heartbeats only."""
        while time.monotonic() < until:
            self.deliver()
            time.sleep(max(0.0, min(HEARTBEAT_EVERY, until - time.monotonic())))


def played(boards: Sequence[Board], turns: int) -> list[tuple[float, float]]:
    """Play `turns` turns, on one board after another."""
    random, times = Random(1), []
    for board in boards:
        while len(times) < turns and (took := board.play(random)) is not None:
            times.append(took)
    return times


def spent(boards: Sequence[Board], seconds: float, pid: int) -> float:
    """The part of a core that idle boards cost the service."""
    until = time.monotonic() + seconds
    work = [threading.Thread(target=board.idle, args=(until,)) for board in boards]
    work += [threading.Thread(target=board.lights, daemon=True) for board in boards]
    before = processor_time(pid)
    for thread in work:
        thread.start()
    time.sleep(max(0.0, until - time.monotonic()))
    return (processor_time(pid) - before) / seconds


def processor_time(pid: int) -> float:
    """The processor time of a process and its living descendants, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return own + sum(processor_time(int(child)) for child in children)


def spooled(folder: Path, seconds: float) -> float:
    """Events a second, each on the disk before the next one."""
    spool = Spool(folder / "bench.spool")
    spool.begin(0, None)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        spool.append([PitChanged(BOOT, spool.last + 1, 0, 3, 4.0)])
    spool.close()
    return spool.last / seconds


def shown(name: str, times: Sequence[float]) -> str:
    ranked = sorted(times)
    places = {"p50": len(ranked) // 2, "p99": len(ranked) * 99 // 100, "most": len(ranked) - 1}
    return f"{name:<26}" + "  ".join(f"{word} {1000 * ranked[place]:7.1f} ms" for word, place in places.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--boards", type=int, default=8, help="remote boards, at most 60")
    parser.add_argument("--turns", type=int, default=300, help="turns to measure")
    parser.add_argument("--seconds", type=float, default=20.0, help="of idle boards; a quarter of it for the spool")
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="inkeek-bench-")))
        os.environ.update(INKEEK_THREADS="200", INKEEK_MAX_STREAMS="100", INKEEK_MAX_BOARDS="64")
        _, token = stack.enter_context(own_token(folder))
        arguments = ["-m", "service.cli", "serve", "--exit-with-parent", "--port", "0", "--data", str(folder)]
        child = stack.enter_context(Child("the service", arguments, folder / "service.log"))
        url = next(word for word in child.line(UP_WITHIN).split() if word.startswith("http://"))
        boards = [Board(url, token, number) for number in range(options.boards)]
        times = played(boards, options.turns)
        print(f"{len(times)} turns on {options.boards} remote boards, one after another:")
        print(shown("until it is durable", [durable for durable, _ in times]))
        print(shown("until its lights are back", [back for _, back in times]))
        part = spent(boards, options.seconds, child.pid)
        print(f"{options.boards} idle boards: {100 * part:.1f}% of a core")
        print(f"a spool takes {spooled(folder, options.seconds / 4):,.0f} events/s, each durable before the next")


if __name__ == "__main__":
    main()
