"""A scenario on the stage: its plan, its troubles drawn by the seed, and the device that plays it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from math import isinf
from pathlib import Path
from random import Random

from firmware_sim.cable.faults import Wire
from firmware_sim.cable.ports import FaultyLink, Link
from firmware_sim.device import Device
from firmware_sim.errors import BadScenario, SimulatorError
from firmware_sim.firmware.board import Board
from firmware_sim.firmware.sensor import STUCK_MS
from firmware_sim.hands.hands import MOMENTS, Hands, Moment, Tell, Trouble
from firmware_sim.hands.mistakes import MISTAKES, Steps, ways
from firmware_sim.hands.plan import Plan, draw_turns, plan_game, plan_turns
from firmware_sim.world import World
from records import RecordsError, read_games, ruleset

from .scenario import TROUBLES, At, Scenario

NOISY = 1.0  # hundredths of a seed: a reading with less noise may stand still for long without being stuck
MOST_WAYS = 40  # of making a mistake, from which one is drawn


def plan_of(scenario: Scenario, random: Random) -> Plan:
    """The game that is played.

    :raises SimulatorError: there is no such game, or hands cannot play it.
    """
    game = scenario.game
    if not game.record:
        try:
            rules = ruleset(game.ruleset, **game.options)
            return plan_turns(rules, rules.start(), draw_turns(rules, random, game.turns))
        except RecordsError as error:
            raise BadScenario(str(error)) from error
    path = Path(game.record)
    try:
        with path.open(encoding="utf-8") as file:
            found = next(islice(read_games(file), game.number - 1, None), None)
        if found is None:
            raise BadScenario(f"{str(path)!r} has fewer than {game.number} games")
        return plan_game(found)
    except BadScenario:
        raise
    except OSError as error:
        raise BadScenario(f"{game.record!r}: {error.strerror}") from error
    except (RecordsError, SimulatorError, UnicodeDecodeError) as error:
        raise SimulatorError(f"{path}: game {game.number}: {error}") from error


@dataclass(frozen=True, slots=True)
class Troubles:
    """What goes wrong when: `at` its moments, `mistakes` by turn with what the hands do."""

    at: tuple[At, ...]
    mistakes: dict[int, tuple[str, Steps]]


def draw_troubles(scenario: Scenario, plan: Plan, random: Random) -> Troubles:
    """The troubles at given turns, and those that the rates give.

    :raises SimulatorError: a turn is not there, or gives no occasion for its mistake.
    """
    rates = scenario.rates
    at = [told for told in scenario.at if told.what != "mistake"]
    kinds = {told.turn: told.kind for told in scenario.at if told.what == "mistake"}
    for ply in (*kinds, *(told.turn for told in at)):
        if not 1 <= ply <= len(plan.turns):
            raise SimulatorError(f"there is no turn {ply}: the game has {len(plan.turns)}")
    mistakes: dict[int, tuple[str, Steps]] = {}
    for turn in plan.turns:
        for what in TROUBLES:
            if random.random() < getattr(rates, what.replace("-", "_")):
                moment, sensor = random.choice(MOMENTS), random.randrange(2 * plan.row)
                seconds, dip = random.uniform(0.02, rates.seconds), random.uniform(0, rates.dip)
                at.append(At(turn.ply, what, moment, seconds, "", sensor, dip))
        if turn.ply in kinds:
            mistakes[turn.ply] = kinds[turn.ply], _first(kinds[turn.ply], plan, turn.ply)
        elif random.random() < rates.mistake:
            drawn = draw_mistake(rates.kinds or tuple(MISTAKES), plan, turn.ply, random)
            if drawn is not None:
                mistakes[turn.ply] = drawn
    return Troubles(tuple(at), mistakes)


def draw_mistake(kinds: tuple[str, ...], plan: Plan, ply: int, random: Random) -> tuple[str, Steps] | None:
    """One of the kinds that the turn gives an occasion for, and what hands do; None when it gives none."""
    for kind in random.sample(kinds, len(kinds)):
        found = list(islice(ways(kind, plan, ply), MOST_WAYS))
        if found:
            return kind, random.choice(found)
    return None


def _first(kind: str, plan: Plan, ply: int) -> Steps:
    steps = next(ways(kind, plan, ply), None)
    if steps is None:
        why = MISTAKES[kind].lacks
        raise SimulatorError(
            f"turn {ply}, {plan.turns[ply - 1].move}: the mistake {kind!r} cannot be made: the turn {why}"
        )
    return steps


@dataclass(frozen=True, slots=True)
class Stage:
    """All that is on the table. `wires` are the directions of a cable that is not perfect: to the host and back."""

    plan: Plan
    world: World
    device: Device
    troubles: Troubles
    wires: tuple[Wire, Wire]


def stage(
    scenario: Scenario,
    link: Link,
    clock: Callable[[], float],
    wait: Callable[[list[int], float], None],
    tell: Tell,
    boots: Iterator[str],
    draw: Callable[[Scenario, Plan, Random], Troubles] = draw_troubles,
) -> Stage:
    """Set up a scenario. `boots` gives each start of the board its id; the rest is decided by the scenario's seed.

    :raises SimulatorError: it cannot be played.
    """
    random = Random(scenario.seed)
    plan = plan_of(scenario, random)
    troubles = draw(scenario, plan, random)
    world = World(plan.row, scenario.board.stores, random, scenario.scales)
    wires = Wire(scenario.cable, random), Wire(scenario.cable, random)
    if any(scenario.cable.rates):
        link = FaultyLink(link, *wires, clock)

    noisy = scenario.scales.noise_sd >= NOISY

    def fresh() -> Board:
        made = scenario.board
        try:
            return Board(
                plan.row, made.stores, made.serial, next(boots), ring=made.ring, stuck_ms=STUCK_MS if noisy else 0
            )
        except ValueError as error:
            raise BadScenario(f"no such board: {error}") from error

    board = fresh()
    speed = None if isinf(scenario.speed) else scenario.speed
    patience, tick = scenario.give_up, scenario.board.tick_ms
    device = Device(board, world, link, clock, wait, speed=speed, give_up=patience, tick_ms=tick, tell=tell)
    pace = scenario.pace
    if pace.patience is not None and speed is not None:  # a host answers by the clock, however fast the hands are
        pace = replace(pace, patience=round(pace.patience * speed))
    if plan.turns or scenario.game.record:
        device.hands = Hands(
            plan,
            world,
            board.lights,
            random,
            tell,
            pace=pace,
            mistakes=troubles.mistakes,
            troubles=_moments(troubles.at, device, fresh),
        )
    else:
        world.lay(plan.counts)
    return Stage(plan, world, device, troubles, wires)


def _moments(told: tuple[At, ...], device: Device, fresh: Callable[[], Board]) -> dict[Moment, list[Trouble]]:
    """What the device does at which moment."""

    def cause(at: At, ply: int, moment: str) -> None:
        if at.what == "unplug":
            device.pull(ply, moment, at.seconds)
        elif at.what == "restart":
            device.restart(fresh())
        elif at.what == "brown-out":
            device.brown_out(ply, moment, round(1000 * at.dip), at.seconds, fresh())
        else:
            device.fail(ply, moment, at.sensor, at.what, round(1000 * at.seconds))

    found: dict[Moment, list[Trouble]] = defaultdict(list)
    for at in told:
        found[at.turn, at.moment].append(partial(cause, at))
    return found
