"""One session: a scenario drawn by kind and seed, played at a table, and the record compared with the hands."""

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
from tests.faults.table import STEP_MS, Table, draw_deaths

PLIES = (8, 14)  # turns of a session, from and to
LIMIT_S = 900.0  # of virtual time, for a session
SETTLE_S = 4.0  # at the end, in which what is on its way arrives
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
    """What became of a session. `figures` are counts by name; `faults` say what must not be."""

    kind: str
    seed: str
    figures: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def scenario_of(kind: str, random: Random) -> Scenario:
    """What is played and what goes wrong."""
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
    """As a scenario draws them; of mistakes only those that leave a board which no legal turn leaves: with another
    they would be that turn."""
    troubles = draw_troubles(replace(scenario, rates=replace(scenario.rates, mistake=0.0)), plan, random)
    rules = ruleset(scenario.game.ruleset, **scenario.game.options)
    position = rules.start()
    for turn in plan.turns:
        if random.random() < scenario.rates.mistake:
            legal = _boards(rules, position)
            for kind in random.sample(sorted(MISTAKES), len(MISTAKES)):
                made = list(islice(variants(kind, plan, turn.ply), 30))
                random.shuffle(made)
                good = next((one for one in made if _told(kind, turn.before, one, legal)), None)
                if good is not None:
                    troubles.mistakes[turn.ply] = kind, good
                    break
        position = rules.play(position, Move.parse(turn.move)).position
    return troubles


def _boards(rules: Rules, position: Position) -> set[tuple[int, ...]]:
    """The pits after every legal turn, and before it."""
    return {rules.play(position, move).position.pits for move in rules.legal_moves(position, LEGAL_LIMIT)} | {
        position.pits
    }


def _told(kind: str, before: tuple[int, ...], steps: Any, legal: set[tuple[int, ...]]) -> bool:
    return not MISTAKES[kind].changes_board or counts_at_button(before, steps)[:-2] not in legal


def play(kind: str, seed: str, games: Games, boards: Boards) -> Outcome:
    """Play one session and judge it."""
    outcome = Outcome(kind, seed)
    try:
        _play(outcome, Random(seed), games, boards)
    except Exception as error:  # noqa: BLE001 - every failure is a finding, and is told
        outcome.faults.append("".join(traceback.format_exception(error)))
    return outcome


def _play(outcome: Outcome, random: Random, games: Games, boards: Boards) -> None:
    scenario = scenario_of(outcome.kind, random)
    dies = outcome.kind == "killed" or (outcome.kind == "mixed" and random.random() < 0.4)
    deaths = draw_deaths(random, 6, 40.0) if dies else []
    table = Table(scenario, games, boards, draw, deaths)
    table.run(LIMIT_S, lambda: table.played)
    last = table.now + SETTLE_S
    table.run(SETTLE_S, lambda: table.now >= last)
    _judge(outcome, table)
    boards.release(table.board)


def _judge(outcome: Outcome, table: Table) -> None:
    """Compare the record with what the hands played."""
    meant = [turn.move for turn in table.stage.plan.turns]
    accepted = [str(told["move"]) for told in table.told if told["event"] == "turn"]
    loaded = table.games.load(table.game)
    recorded = [str(turn.move) for turn in loaded.record.replay().turns]
    log = Counter(entry.kind for entry in table.boards.log(table.board, 0, 10_000))
    told = Counter(str(event["event"]) for event in table.told)
    figures = outcome.figures
    figures.update(
        sessions=1,
        turns=len(accepted),
        recorded=len(recorded),
        mistakes=told["mistake"],
        refused=log["refused"],
        mended=log["mended"],
        gaps=log["gap"],
        replays=table.replays,
        damaged=sum(connection.counters["damaged"] for connection in table.connections),
        duplicates=sum(connection.counters["duplicates"] for connection in table.connections),
        pulled=told["unplugged"],
        restarts=told["restarted"],
        deaths=table.deaths_died,
        again=told["pressed-again"],
        taken_back=sum(event["event"] == "taken-back" and bool(event["granted"]) for event in table.told),
        struck=sum(sum(wire.fault_counts.values()) for wire in table.stage.wires),
    )
    wrong = sum(one != other for one, other in zip(recorded, meant, strict=False)) + max(0, len(recorded) - len(meant))
    wrong += told["unnoticed"]
    lost = max(0, len(accepted) - len(recorded))
    if wrong:
        figures["wrong"] += wrong
        outcome.faults.append(f"a wrong turn was recorded: {recorded} for {meant}")
    # Lights are not acknowledged. Hands that took the answer to one press for the answer to their undo do not know that
    # a turn was taken back: the record says that it was, and every later button is refused.
    unknown = len(loaded.record.people().retractions) - figures["taken_back"]
    if lost and not log["gap"] and not (unknown > 0 and log["refused"] and table.gave_up is not None):
        figures["lost"] += lost
        outcome.faults.append(f"{lost} turns are not in the record, and no gap is told: {recorded} for {accepted}")
    position = loaded.position
    lies = table.stage.world.counts()
    if told["finished"] and len(recorded) == len(meant) and lies != (*position.pits, *position.stores):
        outcome.faults.append(f"on the board lies {lies}, the record says {position}")
    if table.gave_up is not None:
        figures["gave_up"] += 1
        if log["refused"] < 5:
            outcome.faults.append(f"the hands gave up, and it is not told why: {table.gave_up}")
    elif not table.played:
        outcome.faults.append(f"the game did not go on after {len(accepted)} turns; last told {table.told[-6:]}")
    elif len(recorded) != len(meant) and not lost:
        outcome.faults.append(f"{len(recorded)} turns recorded of {len(meant)}")
    if outcome.faults:
        outcome.faults.append(f"log {dict(log)}; status {table.boards.get(table.board).status}")


@contextmanager
def database() -> Iterator[tuple[Games, Boards]]:
    """Games and boards over an SQLite file in memory where there is such a folder: nobody cuts the power here."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="inkeek-faults-", dir=memory if memory.is_dir() else None) as folder:
        store = Store(f"sqlite:///{Path(folder) / 'faults.sqlite3'}")
        store.upgrade()
        try:
            yield Games(store, max_plies=1000), Boards(store, max_boards=10)
        finally:
            store.close()


@contextmanager
def driver_known() -> Iterator[None]:
    """The project's own driver, also where it runs from a checkout that is not installed."""
    found = registry.driver
    registry.driver = lambda name: StandardBoard() if name == "inkeek" else found(name)  # type: ignore[assignment]
    try:
        yield
    finally:
        registry.driver = found


def play_chunk(wanted: list[tuple[int, str]], seed: int, until: float | None) -> list[tuple[int, Outcome]]:
    """Some sessions one after the other, over one database; none is begun after `until` of the monotonic clock."""
    done: list[tuple[int, Outcome]] = []
    if until is not None and time.monotonic() > until:
        return done
    with driver_known(), database() as (games, boards):
        for number, kind in wanted:
            if until is None or time.monotonic() < until:
                done.append((number, play(kind, f"{seed}:{kind}:{number}", games, boards)))
    return done
