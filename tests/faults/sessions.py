"""One session: a scenario drawn by kind and seed, played at a table, and its record judged."""

from __future__ import annotations

import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from drivers import registry
from drivers.boards.standard import StandardBoard
from firmware_sim.cable.faults import CableFaults
from firmware_sim.hands.hands import Pace
from firmware_sim.hands.mistakes import MISTAKES, counts_at_button, variants
from firmware_sim.hands.plan import LEGAL_LIMIT, GamePlan
from firmware_sim.scenarios.scenario import BoardSetup, GameSetup, Scenario, TroubleRates
from firmware_sim.scenarios.stage import Troubles, draw_troubles
from firmware_sim.world import Physics
from records import Move, Position, Rules, ruleset
from service.boards.bindings import Boards
from service.games.repository import Games
from service.storage import Store
from tests.faults.room import STEP_MS
from tests.faults.table import Table, draw_deaths

PLIES = (8, 14)  # turns per session, from and to
LIMIT_S = 900.0  # of virtual time, per session
SETTLE_S = 4.0  # longest time at the end for messages in transit
QUIET_S = 0.6  # of silence: nothing is in transit
QUICK = Pace(
    lay=20, think=(100, 400), lift=150, seed=110, button=100, notice=200, remember=1500, patience=5000
)  # as fast as the sensors settle
SMALL_RING = 24
GAMES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("enkeshui", {"pits": 8, "setup": "fours-right"}),
    ("enkeshui", {}),
    ("enkeshui-wikipedia", {"pits": 8, "setup": "fours-left"}),
    ("anywoli", {}),
    ("layli-goobalay", {"pits": 6}),
    ("bof", {}),
    ("oware", {}),
)
KINDS = (
    "none",
    "drop",
    "duplicate",
    "corrupt",
    "reorder",
    "delay",
    "unplug",
    "restart",
    "brown-out",
    "overflow",
    "killed",
    "mistakes",
    "mixed",
)


@dataclass
class Outcome:
    """The result of a session: counts by name, and what went wrong."""

    kind: str
    seed: str
    figures: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def scenario_of(kind: str, random: Random) -> Scenario:
    """Draw a scenario of this kind."""
    game, options = random.choice(GAMES)
    mixed = kind == "mixed"

    def rate(*kinds: str, most: float) -> float:
        return (
            random.uniform(0, most / (4 if mixed else 1)) if kind in kinds or (mixed and random.random() < 0.6) else 0
        )

    cable = CableFaults(
        drop=rate("drop", most=4),
        duplicate=rate("duplicate", most=4),
        corrupt=rate("corrupt", most=4),
        reorder=rate("reorder", most=4),
        delay=rate("delay", most=4),
        burst=random.choice([1, 4, 16, 48]),
        late=random.choice([50, 300, 2000]),
    )
    rates = TroubleRates(
        mistake=rate("mistakes", most=0.8),
        unplug=rate("unplug", most=0.8),
        restart=rate("restart", most=0.4),
        brown_out=rate("brown-out", most=0.4),
        seconds=3.0,
        dip=0.4,
    )
    small = kind == "overflow" or (mixed and random.random() < 0.2)
    if small:
        rates = replace(rates, unplug=max(rates.unplug, 0.5), seconds=8.0)
    return Scenario(
        seed=random.getrandbits(60),
        game=GameSetup("", 1, game, options, random.randint(*PLIES)),
        board=BoardSetup("SIM", random.random() < 0.7, SMALL_RING if small else 512, STEP_MS),
        scales=Physics(
            stone_sd=random.uniform(0, 0.04), noise_sd=random.uniform(0, 4), drift=random.choice([0.0, 30.0])
        ),
        pace=QUICK,
        cable=cable,
        rates=rates,
    )


def draw(scenario: Scenario, plan: GamePlan, random: Random) -> Troubles:
    """Draw troubles as a scenario does, but only mistakes whose board no legal turn leaves."""
    troubles = draw_troubles(replace(scenario, rates=replace(scenario.rates, mistake=0.0)), plan, random)
    rules = ruleset(scenario.game.ruleset, **scenario.game.options)
    position = rules.start()
    for turn in plan.turns:
        if random.random() < scenario.rates.mistake:
            legal = _legal_boards(rules, position)
            for kind in random.sample(sorted(MISTAKES), len(MISTAKES)):
                made = list(islice(variants(kind, plan, turn.ply), 30))
                random.shuffle(made)
                good = next((one for one in made if _is_recognizable(kind, turn.before, one, legal)), None)
                if good is not None:
                    troubles.mistakes[turn.ply] = kind, good
                    break
        position = rules.play(position, Move.parse(turn.move)).position
    return troubles


def _legal_boards(rules: Rules, position: Position) -> set[tuple[int, ...]]:
    """Return the pits before the turn and after every legal turn."""
    return {rules.play(position, move).position.pits for move in rules.legal_moves(position, LEGAL_LIMIT)} | {
        position.pits
    }


def _is_recognizable(kind: str, before: tuple[int, ...], steps: Any, legal: set[tuple[int, ...]]) -> bool:
    return not MISTAKES[kind].changes_board or counts_at_button(before, steps)[:-2] not in legal


def play(kind: str, seed: str, games: Games, boards: Boards) -> Outcome:
    """Play one session and judge it."""
    outcome = Outcome(kind, seed)
    try:
        _play(outcome, Random(seed), games, boards)
    except Exception as error:  # noqa: BLE001 - every failure is a finding to report
        outcome.faults.append("".join(traceback.format_exception(error)))
    return outcome


def _play(outcome: Outcome, random: Random, games: Games, boards: Boards) -> None:
    scenario = scenario_of(outcome.kind, random)
    dies = outcome.kind == "killed" or (outcome.kind == "mixed" and random.random() < 0.4)
    deaths = draw_deaths(random, 6, 40.0) if dies else []
    # The desk may open the port before the board is laid out, or later.
    table = Table(scenario, games, boards, draw, deaths, waits_for_layout=random.random() < 0.8)
    table.run(LIMIT_S, lambda: table.played)
    settle(table)
    _judge(outcome, table)
    boards.release(table.board)


def settle(table: Table) -> None:
    """Let the desk work until nothing is in transit."""
    quiet_since = table.now

    def is_quiet() -> bool:
        nonlocal quiet_since
        if not table.quiet:
            quiet_since = table.now
        return table.now - quiet_since >= QUIET_S

    table.run(SETTLE_S, is_quiet)


def _judge(outcome: Outcome, table: Table) -> None:
    """Compare the record with what the hands played."""
    planned = [turn.move for turn in table.stage.plan.turns]
    accepted = [str(event["move"]) for event in table.events if event["event"] == "turn"]
    loaded = table.games.load(table.game)
    recorded = [str(turn.move) for turn in loaded.record.replay().turns]
    log = Counter(entry.kind for entry in table.boards.log(table.board, 0, 10_000))
    events = Counter(str(event["event"]) for event in table.events)
    figures = outcome.figures
    figures.update(
        sessions=1,
        turns=len(accepted),
        recorded=len(recorded),
        mistakes=events["mistake"],
        refused=log["refused"],
        mended=log["mended"],
        gaps=log["gap"],
        replays=table.replays,
        damaged=sum(connection.counters["damaged"] for connection in table.connections),
        duplicates=sum(connection.counters["duplicates"] for connection in table.connections),
        pulled=events["unplugged"],
        restarts=events["restarted"],
        deaths=table.deaths_died,
        again=events["pressed-again"],
        taken_back=sum(event["event"] == "taken-back" and bool(event["granted"]) for event in table.events),
        struck=sum(sum(wire.fault_counts.values()) for wire in table.stage.wires),
    )
    wrong = sum(one != other for one, other in zip(recorded, planned, strict=False))
    wrong += max(0, len(recorded) - len(planned)) + events["unnoticed"]
    lost = max(0, len(accepted) - len(recorded))
    if wrong:
        figures["wrong"] += wrong
        outcome.faults.append(f"a wrong turn was recorded: {recorded}, planned {planned}")
    if lost and not log["gap"]:
        figures["lost"] += lost
        missing = f"{lost} turns are missing from the record, and no gap is logged"
        outcome.faults.append(f"{missing}: {recorded}, accepted {accepted}")
    position = loaded.position
    counts = table.stage.world.counts()
    if events["finished"] and len(recorded) == len(planned) and counts != (*position.pits, *position.stores):
        outcome.faults.append(f"the board holds {counts}, the record {position}")
    if table.gave_up is not None:
        figures["gave_up"] += 1
        if log["refused"] < 5:
            outcome.faults.append(f"the hands gave up, and the log does not say why: {table.gave_up}")
    elif not table.played:
        figures["stopped"] += 1
        outcome.faults.append(f"the game did not go on after {len(accepted)} turns; last events {table.events[-6:]}")
    elif len(recorded) != len(planned) and not lost:
        outcome.faults.append(f"{len(recorded)} of {len(planned)} turns recorded")
    if outcome.faults:
        outcome.faults.append(f"log {dict(log)}; status {table.boards.get(table.board).status}")


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


def play_chunk(wanted: list[tuple[int, str]], seed: int, until: float | None) -> list[tuple[int, Outcome]]:
    """Play sessions over one database. None starts after `until` (monotonic clock)."""
    done: list[tuple[int, Outcome]] = []
    if until is not None and time.monotonic() > until:
        return done
    with registered_driver(), database() as (games, boards):
        for number, kind in wanted:
            if until is None or time.monotonic() < until:
                done.append((number, play(kind, f"{seed}:{kind}:{number}", games, boards)))
    return done
