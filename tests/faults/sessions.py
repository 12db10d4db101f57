"""One session: a scenario drawn by kind and seed, played at a table, and its record judged."""

from __future__ import annotations

import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from inkeek.drivers import registry
from inkeek.drivers.boards.standard import StandardBoard
from inkeek.service.boards.bindings import Boards
from inkeek.service.games.repository import Games
from inkeek.service.storage.store import Store
from tests.faults import foreign, hardware, hosts
from tests.faults.draws import draw, scenario_of
from tests.faults.judge import Outcome, judge, settle
from tests.faults.table import Table, draw_deaths

LIMIT_S = 900.0  # of virtual time, per session
KINDS = {  # with what goes wrong
    "none": "only noise, drift, swinging scales and bouncing buttons",
    "drop": "bursts of up to 48 bytes are lost, up to four per thousand bytes in both directions",
    "duplicate": "bursts arrive twice",
    "corrupt": "one bit of each byte of a burst flips",
    "reorder": "bursts trade places with as many bytes after them",
    "delay": "pauses of up to two seconds",
    "unplug": "the cable is unplugged for up to three seconds",
    "restart": "the board restarts with another boot id and loses unacknowledged events",
    "brown-out": "the supply sinks, then fails, and the board restarts",
    "overflow": "the ring holds only 24 events, and the cable is unplugged for up to eight seconds",
    "killed": "the desk dies up to six times, at any read or write; another one continues",
    "mistakes": "in up to 80 % of the turns the hands leave a board that no legal turn leaves",
    "mixed": "several of these at once",
    "boot-again": "the board restarts with a used boot id; cable and desk may fail meanwhile",
    "dead-sensor": "one or two sensors stop answering, or one repeats its reading, to the end; if possible those that "
    "alone tell two turns apart",
    "accepted": "sensors stop answering; the hands hold their button down when the lights offer their turn",
    "other-turn": "an arm moves up to 16 seeds, so that only the emptied pits contradict another turn",
    "turned": "the board is turned by 180 degrees; people turn it back, or accept it",
    "unsure": "a foreign board reports one or two wrong sensors as faulty or with low confidence",
    "long": "the board's clock begins anywhere, it is away for up to 60 days, and the desk is stopped for up to "
    "30 seconds",
    "full": "the disk of the service is full for up to four seconds at a time, and commits fail before or "
    "after they are stored",
    "foreign": "a foreign board restarts with new and used boot ids, loses lines, is unplugged, and another one "
    "answers on its port",
}
DRAWS = {
    "dead-sensor": hardware.draw_dead_sensors,
    "accepted": partial(hardware.draw_dead_sensors, ways=("open",)),  # a stuck sensor asks nothing
    "other-turn": hardware.draw_other_turns,
}
FOREIGN = ("unsure", "foreign")
HOSTS = {"long": hosts.play_long, "full": hosts.play_full}
HELPED = ("dead-sensor", "accepted", "other-turn")  # a person enters on the page what the board refuses twice


def play(kind: str, seed: str, games: Games, boards: Boards) -> Outcome:
    """Play one session and judge it."""
    outcome = Outcome(kind, seed)
    try:
        (foreign.play_foreign if kind in FOREIGN else _play_one)(outcome, Random(seed), games, boards)
    except Exception as error:  # noqa: BLE001 - every failure is a finding to report
        outcome.faults.append("".join(traceback.format_exception(error)))
    return outcome


def _play_one(outcome: Outcome, random: Random, games: Games, boards: Boards) -> None:
    kind = outcome.kind
    scenario = scenario_of(kind, random)
    dies = kind == "killed" or (kind in ("mixed", "boot-again") and random.random() < 0.4)
    deaths = draw_deaths(random, 6, 40.0) if dies else []
    # The desk may open the port before the board is laid out, or later.
    options: dict[str, Any] = {"waits_for_layout": random.random() < 0.8}
    if kind == "boot-again":
        options["boots"] = hardware.boots_again(random)
    if kind in ("dead-sensor", "accepted"):
        scenario = hardware.noisy(scenario, random)
    table = Table(scenario, games, boards, DRAWS.get(kind, draw), deaths, **options)
    if kind in HELPED:
        times_until_entered = 3 if kind == "accepted" else 2
        table.helper = lambda ply, times: table.enter(ply) if times == times_until_entered else None
    if kind == "accepted":
        assert table.stage.device.hands is not None
        table.stage.device.hands.accepts = True
    if kind == "dead-sensor" and random.random() < 0.3:
        hardware.kill_sensors(table)
    if kind == "turned":
        hardware.let_turn(table, random)
    if kind in HOSTS:
        HOSTS[kind](table, random, LIMIT_S)
    else:
        table.run(LIMIT_S, lambda: table.played)
    settle(table)
    judge(outcome, table)
    table.close()


@contextmanager
def database() -> Iterator[tuple[Games, Boards]]:
    """Open a temporary SQLite database, in memory if possible: no power fails here."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="inkeek-faults-", dir=memory if memory.is_dir() else None) as folder:
        store = Store(f"sqlite:///{Path(folder) / 'faults.sqlite3'}")
        store.upgrade()
        try:
            yield Games(store, max_plies=1000), Boards(store, max_boards=10)
        finally:
            store.close()


@contextmanager
def registered_driver() -> Iterator[None]:
    """Register the standard driver, in case the project runs from a checkout without being installed."""
    found = registry.driver
    registry.driver = lambda name: StandardBoard() if name == "inkeek" else found(name)  # type: ignore[assignment]
    try:
        yield
    finally:
        registry.driver = found


def play_chunk(wanted: list[tuple[int, str]], seed: int) -> list[tuple[int, Outcome]]:
    """Play sessions over one database."""
    with registered_driver(), database() as (games, boards):
        return [(number, play(kind, f"{seed}:{kind}:{number}", games, boards)) for number, kind in wanted]
