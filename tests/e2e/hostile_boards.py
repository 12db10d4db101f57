"""Boards, far boards and drivers that misbehave, beside boards that play: ``python -m tests.e2e.hostile_boards``.

Those that play must lose no turn, double none, record none wrongly, and never stop. The table has the times from a
press to its acknowledgment, in milliseconds, and the memory of the desk and of its children. Exit status 1: a turn was
wrong, the desk ended, or its memory grew beyond a generous bound. All draws but the clock's come from the seed.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from benchmarks.service.throughput import at
from tests.e2e.hostile.player import Player
from tests.e2e.processes import Service
from tests.misbehaving.distribution import BAD, importing, install
from tests.service.waiting import alive, until

MEGABYTE = 1 << 20
MOST_GROWTH = 400 * MEGABYTE  # of the desk: generous, for nobody knows what else the machine does
QUIET = 5.0  # seconds of play before and after
ENDS_WITHIN = 120.0  # seconds after its time, for the crowd to end and for a game to be checked
IMPORTING = [importing("import", act) for act in ("ends", "exits", "raises", "spins")]


@dataclass
class Tally:
    """What was seen. `phases`: the sorted times of presses before, during and after; `memory`: of the desk then."""

    phases: dict[str, list[float]] = field(default_factory=dict)
    memory: dict[str, int] = field(default_factory=dict)
    children: int = 0  # the most memory of the desk's children
    turns: int = 0
    seen: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)


def run(seconds: float, seed: int, healthy: int, hostile: int, only: str = "", pace: float = 1.0) -> Tally:
    """Play beside `hostile` boards: three of five on the line, one of five far, and one of five with bad drivers.

    If they do `only` one thing, all of them are on the line. With half the `pace`, they go on to the next thing in half
    the time, and the boards that play do so alone for half the time.
    """
    tally = Tally()
    serial, far = (hostile, 0) if only else (3 * hostile // 5, hostile // 5)
    with tempfile.TemporaryDirectory(prefix="inkeek-hostile-") as name, _bad_drivers(Path(name)):
        folder = Path(name) / "data"
        folder.mkdir()
        service = Service(folder, log_level="error", max_boards=2 * (healthy + hostile))
        service.start()
        try:
            players = [Player(number, service.client, seed) for number in range(healthy)]
            for player in players:
                player.start()
            given = {
                "port": service.port,
                "token": service.token,
                "seconds": seconds,
                "seed": seed,
                "serial": serial,
                "only": only,
                "pace": pace,
                "far": far,
                "drivers": hostile - serial - far,
                "importing": [plugin.name for plugin in IMPORTING],
                "victims": [player.serial for player in players],
            }
            _run_phases(service, players, given, tally)
        finally:
            service.stop()
    return tally


def _run_phases(service: Service, players: list[Player], given: dict[str, Any], tally: Tally) -> None:
    (desk,) = until(lambda: service.pids()["desk"])
    marks = [("before", time.monotonic())]
    _play_quietly(players, given["pace"])
    tally.memory["before"] = _memory(desk)
    marks.append(("during", time.monotonic()))
    command = [sys.executable, "-m", "tests.e2e.hostile.crowd"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as crowd:
        output: list[str] = []
        assert crowd.stdin is not None
        assert crowd.stdout is not None
        reading = threading.Thread(target=lambda: output.extend(crowd.stdout or ()), daemon=True)
        reading.start()
        crowd.stdin.write(json.dumps(given) + "\n")
        crowd.stdin.flush()
        deadline = time.monotonic() + given["seconds"] + ENDS_WITHIN
        while crowd.poll() is None and time.monotonic() < deadline:
            tally.memory["during"] = max(tally.memory.get("during", 0), _memory(desk))
            tally.children = max(tally.children, sum(map(_memory, _children(desk))))
            time.sleep(0.2)
        if crowd.poll() is None:
            crowd.kill()
            tally.wrong.append("the crowd did not end in time")
        reading.join()
    report: dict[str, Any] = json.loads(output[-1]) if output else {"seen": {}, "faults": ["the crowd failed"]}
    tally.seen = report["seen"]
    tally.wrong += report["faults"]
    marks.append(("after", time.monotonic()))
    _play_quietly(players, given["pace"])
    tally.memory["after"] = _memory(desk)
    for player in players:
        player.stop.set()
    for player in players:
        player.join(ENDS_WITHIN)
        if player.is_alive():
            tally.wrong.append(f"{player.serial} did not end in time")
        tally.wrong += player.wrong
        tally.turns += player.turns
    ends = [began for _, began in marks[1:]] + [float("inf")]
    presses = [press for player in players for press in player.times]
    for (phase, began), end in zip(marks, ends, strict=True):
        tally.phases[phase] = sorted(took for pressed, took in presses if began <= pressed < end)
    if not alive(desk):
        tally.wrong.append(f"the desk ended, and was started again: {service.errors()[-2000:]}")
    if tally.memory["during"] > tally.memory["before"] + MOST_GROWTH:
        tally.wrong.append(f"the desk grew: {tally.memory}")
    tally.wrong += [f"the service's log: {line}" for line in service.errors().splitlines() if "Traceback" in line]


def _play_quietly(players: list[Player], pace: float) -> None:
    """Wait while the boards play, until one of them has played a turn."""
    began = time.monotonic()
    time.sleep(pace * QUIET)
    until(lambda: any(pressed >= began for player in players for pressed, _ in tuple(player.times)))


@contextmanager
def _bad_drivers(folder: Path) -> Iterator[None]:
    """Have new processes find the drivers that misbehave."""
    others = folder / "others"
    others.mkdir()
    install(others, BAD, *IMPORTING)
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(others), os.getcwd(), before or ""])
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before


def _children(pid: int) -> set[int]:
    """The processes that any thread of a process has started."""
    found: set[int] = set()
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # the thread has ended
            found.update(map(int, path.read_text().split()))
    return found


def _memory(pid: int) -> int:
    """The resident bytes of a process; 0 if it has ended."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


@click.command()
@click.option("--minutes", type=click.FloatRange(0.1, 600), default=2.0, show_default=True, help="Of misbehaving.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of all random draws.")
@click.option("--healthy", type=click.IntRange(1, 100), default=10, show_default=True, help="Boards that play.")
@click.option("--hostile", type=click.IntRange(0, 200), default=40, show_default=True, help="Boards that misbehave.")
@click.option("--only", default="", help="All on the line, and they do only this, such as press, flood, claim.")
def main(minutes: float, seed: int, healthy: int, hostile: int, only: str) -> None:
    """Play beside boards that misbehave, and sum up."""
    tally = run(60 * minutes, seed, healthy, hostile, only)
    for phase, times in tally.phases.items():
        memory = tally.memory[phase] / MEGABYTE
        figures = "  ".join(f"{at(times, share):8.1f}" for share in (0.5, 0.99, 1)) if times else "no press"
        click.echo(f"{phase:6}  {len(times):6} presses  p50, p99, max {figures}  desk {memory:6.0f} MB")
    click.echo(f"children of the desk at most {tally.children / MEGABYTE:.0f} MB; {tally.turns} turns; {tally.seen}")
    for text in tally.wrong:
        click.echo(text)
    raise SystemExit(1 if tally.wrong else 0)


if __name__ == "__main__":
    main()
