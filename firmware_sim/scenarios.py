"""Scenarios: which game is played on which board, and what goes wrong; and their setting up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from math import isinf
from pathlib import Path
from random import Random
from typing import Any

from inkeek.records import RecordsError, read_games, ruleset

from .cable import Cable
from .device import TICK_MS, SimulatedDevice
from .errors import BadScenario, SimulatorError
from .firmware.board import RING_SIZE, BoardFirmware
from .firmware.sensor import STUCK_MS
from .hands.hands import Hands, Moment, Pace, Report, Trouble
from .hands.mistakes import Steps, make_mistake
from .hands.plan import GamePlan, draw_turns, plan_game, plan_turns
from .world import Physics, World

MAX_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class GameSetup:
    """Game `number` of the file `record`, from 1; without one `turns` turns of a `ruleset` with `options`, drawn by the
    seed, each with a distinct result."""

    record: str = ""
    number: int = 1
    ruleset: str = "enkeshui"
    options: Mapping[str, str | int] = field(default_factory=dict)
    turns: int = 0  # 0: nobody plays


@dataclass(frozen=True, slots=True)
class BoardSetup:
    """The board. `ring`: events that it keeps."""

    serial: str = "SIM-0001"
    stores: bool = True  # whether they are weighed
    ring: int = RING_SIZE
    tick_ms: int = TICK_MS  # between readings


@dataclass(frozen=True, slots=True)
class ScheduledTrouble:
    """An ``unplug``, ``restart`` or ``brown-out``, a sensor that is ``open`` or ``stuck``, or a ``mistake`` of a
    `kind`, at one of `MOMENTS` of a turn, which has one mistake at most."""

    turn: int
    what: str
    moment: str = "middle"
    seconds: float = 2.0  # how long it lasts
    kind: str = ""
    sensor: int = 0  # which is `open` or `stuck`
    dip: float = 0.3  # seconds of low supply before a `brown-out`


@dataclass(frozen=True, slots=True)
class Scenario:
    """A whole scenario. The same `seed` gives the same turns, stones, noise and faults."""

    seed: int | None = None
    speed: float = 1.0  # infinite: as fast as the host
    game: GameSetup = GameSetup()
    board: BoardSetup = BoardSetup()
    scales: Physics = field(default_factory=Physics)
    pace: Pace = field(default_factory=Pace)
    at: tuple[ScheduledTrouble, ...] = ()


NOISY = 1.0  # hundredths of a seed: a reading with less noise may repeat for long without being stuck


def plan_of(scenario: Scenario, random: Random) -> GamePlan:
    """Plan the scenario's game.

    :raises SimulatorError: there is no such game, or hands cannot play it.
    """
    game = scenario.game
    if not game.record:
        try:
            options: Mapping[str, Any] = game.options
            rules = ruleset(game.ruleset, **options)
            return plan_turns(rules, rules.start(), draw_turns(rules, random, game.turns))
        except RecordsError as error:
            raise BadScenario(str(error)) from error
    path = Path(game.record)
    try:
        record = next(islice(read_games(path), game.number - 1, None), None)
        if record is None:
            raise BadScenario(f"{str(path)!r} has fewer than {game.number} games")
        return plan_game(record)
    except BadScenario:
        raise
    except OSError as error:
        raise BadScenario(f"{game.record!r}: {error.strerror}") from error
    except (RecordsError, SimulatorError, UnicodeDecodeError) as error:
        raise SimulatorError(f"{path}: game {game.number}: {error}") from error


@dataclass(frozen=True, slots=True)
class Troubles:
    """The troubles of a game: those at given moments, and by turn the mistakes with what the hands do."""

    at: tuple[ScheduledTrouble, ...]
    mistakes: dict[int, tuple[str, Steps]]


def scheduled_troubles(scenario: Scenario, plan: GamePlan, random: Random) -> Troubles:
    """Return the troubles of a scenario: none is drawn.

    :raises SimulatorError: the turn of one does not exist, or its mistake is impossible in it.
    """
    for trouble in scenario.at:
        plan.turn(trouble.turn)
    mistakes = {one.turn: (one.kind, make_mistake(one.kind, plan, one.turn)) for one in scenario.at if one.kind}
    return Troubles(tuple(one for one in scenario.at if not one.kind), mistakes)


@dataclass(frozen=True, slots=True)
class Stage:
    """A scenario ready to run."""

    plan: GamePlan
    world: World
    device: SimulatedDevice
    troubles: Troubles


def stage(
    scenario: Scenario,
    cable: Cable,
    clock: Callable[[], float],
    wait: Callable[[list[int], float], None],
    report: Report,
    boots: Iterator[str],
    draw: Callable[[Scenario, GamePlan, Random], Troubles] = scheduled_troubles,
) -> Stage:
    """Set up a scenario. `boots` yields the id of each start of the board; the scenario's seed decides the rest.

    :raises SimulatorError: the scenario cannot be played.
    """
    random = Random(scenario.seed)
    plan = plan_of(scenario, random)
    troubles = draw(scenario, plan, random)
    setup = scenario.board
    world = World(plan.row, setup.stores, random, scenario.scales)
    stuck_ms = STUCK_MS if scenario.scales.noise_sd >= NOISY else 0

    def start_board() -> BoardFirmware:
        try:
            return BoardFirmware(plan.row, setup.stores, setup.serial, next(boots), ring=setup.ring, stuck_ms=stuck_ms)
        except ValueError as error:
            raise BadScenario(f"invalid board: {error}") from error

    board = start_board()
    speed = None if isinf(scenario.speed) else scenario.speed
    device = SimulatedDevice(board, world, cable, clock, wait, speed=speed, tick_ms=setup.tick_ms, report=report)
    pace = scenario.pace
    if pace.patience is not None and speed is not None:  # a host answers by the clock, however fast the hands are
        pace = replace(pace, patience=round(pace.patience * speed))
    if plan.turns or scenario.game.record:
        causes = _causes(troubles.at, device, start_board)
        mistakes = troubles.mistakes
        device.hands = Hands(plan, world, board.lights, random, report, pace=pace, mistakes=mistakes, troubles=causes)
    else:
        world.lay(plan.counts)
    return Stage(plan, world, device, troubles)


def _causes(
    at: tuple[ScheduledTrouble, ...], device: SimulatedDevice, start_board: Callable[[], BoardFirmware]
) -> dict[Moment, list[Trouble]]:
    """Return what to call at which moment to cause the troubles."""

    def cause(trouble: ScheduledTrouble, ply: int, moment: str) -> None:
        if trouble.what == "unplug":
            device.unplug(ply, moment, trouble.seconds)
        elif trouble.what == "restart":
            device.restart(start_board())
        elif trouble.what == "brown-out":
            device.brown_out(ply, moment, round(1000 * trouble.dip), trouble.seconds, start_board())
        else:
            device.fail_sensor(ply, moment, trouble.sensor, trouble.what, round(1000 * trouble.seconds))

    causes: dict[Moment, list[Trouble]] = defaultdict(list)
    for trouble in at:
        causes[trouble.turn, trouble.moment].append(partial(cause, trouble))
    return causes
