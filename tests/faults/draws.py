"""Scenarios drawn by kind and seed: the game, the board, and what goes wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import Any

from inkeek.firmware_sim.hands.hands import MOMENTS, Pace
from inkeek.firmware_sim.hands.mistakes import MISTAKES, Steps, counts_at_button, variants
from inkeek.firmware_sim.hands.plan import LEGAL_LIMIT, GamePlan
from inkeek.firmware_sim.scenarios import BoardSetup, GameSetup, Scenario, ScheduledTrouble, Troubles
from inkeek.firmware_sim.world import Physics
from inkeek.records import Move, Position, Rules, ruleset
from tests.faulty_cable import CableFaults

PLIES = (8, 14)  # turns per session, from and to
QUICK = Pace(
    lay=20, think=(100, 400), lift=150, seed=110, button=100, notice=200, remember=1500, patience=5000
)  # as fast as the sensors settle
SMALL_RING = 24
STEP_MS = 25  # of virtual time
GAMES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("enkeshui", {"pits": 8, "setup": "fours-right"}),
    ("enkeshui", {}),
    ("enkeshui-wikipedia", {"pits": 8, "setup": "fours-left"}),
    ("anywoli", {}),
    ("layli-goobalay", {"pits": 6}),
    ("bof", {}),
    ("oware", {}),
)


@dataclass(frozen=True, slots=True)
class FaultyScenario(Scenario):
    """A scenario whose cable has faults. `rates`: the probability of each trouble in each turn, at a random moment, and
    `seconds` that it lasts at most."""

    cable: CableFaults = field(default_factory=CableFaults)
    rates: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 3.0


def scenario_of(kind: str, random: Random) -> FaultyScenario:
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
    rates = {
        "mistake": rate("mistakes", most=0.8),
        "unplug": rate("unplug", most=0.8) or rate("boot-again", most=0.3),
        "restart": rate("restart", "boot-again", most=0.4),
        "brown-out": rate("brown-out", most=0.4),
    }
    small = kind == "overflow" or (mixed and random.random() < 0.2)
    if small:
        rates["unplug"] = max(rates["unplug"], 0.5)
    return FaultyScenario(
        seed=random.getrandbits(60),
        game=GameSetup("", 1, game, options, random.randint(*PLIES)),
        board=BoardSetup("SIM", random.random() < 0.7, SMALL_RING if small else 512, STEP_MS),
        scales=Physics(
            stone_sd=random.uniform(0, 0.04), noise_sd=random.uniform(0, 4), drift=random.choice([0.0, 30.0])
        ),
        pace=QUICK,
        cable=cable,
        rates=rates,
        seconds=8.0 if small else 3.0,
    )


def draw(scenario: FaultyScenario, plan: GamePlan, random: Random) -> Troubles:
    """Draw troubles, of mistakes only those whose board no legal turn leaves, nor a next one after it: a seed that
    jumped may lie as if the other side had begun, and only the turn before is recorded then."""
    mistakes: dict[int, tuple[str, Steps]] = {}
    at: list[ScheduledTrouble] = []
    rules = ruleset(scenario.game.ruleset, **scenario.game.options)
    position = rules.start()
    for turn in plan.turns:
        for what in ("unplug", "restart", "brown-out"):
            if random.random() < scenario.rates.get(what, 0):
                seconds, dip = random.uniform(0.02, scenario.seconds), random.uniform(0, 0.4)
                at.append(ScheduledTrouble(turn.ply, what, random.choice(MOMENTS), seconds, dip=dip))
        after = rules.play(position, Move.parse(turn.move)).position
        if random.random() < scenario.rates.get("mistake", 0):
            legal = _legal_boards(rules, position) | _legal_boards(rules, after)
            for kind in random.sample(sorted(MISTAKES), len(MISTAKES)):
                made = list(islice(variants(kind, plan, turn.ply), 30))
                random.shuffle(made)
                good = next((one for one in made if _is_recognizable(kind, turn.before, one, legal)), None)
                if good is not None:
                    mistakes[turn.ply] = kind, good
                    break
        position = after
    return Troubles(tuple(at), mistakes)


def _legal_boards(rules: Rules, position: Position) -> set[tuple[int, ...]]:
    """Return the pits before the turn and after every legal turn."""
    return {rules.play(position, move).position.pits for move in rules.legal_moves(position, LEGAL_LIMIT)} | {
        position.pits
    }


def _is_recognizable(kind: str, before: tuple[int, ...], steps: Any, legal: set[tuple[int, ...]]) -> bool:
    return not MISTAKES[kind].changes_board or counts_at_button(before, steps)[:-2] not in legal
