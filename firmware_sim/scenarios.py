"""Scenarios: one small TOML file says which game is played on which board, and what goes wrong; and their setting up.

`Scenario` and its sections are dataclasses; each key of the file is a field.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from math import inf, isinf
from pathlib import Path
from random import Random
from typing import Annotated, Any

from msgspec import Meta

from inkeek.records import RecordsError, read_games, ruleset
from inkeek.records.json_codec import JsonError, from_json
from inkeek.records.text import decode_utf8

from .cable import Cable, CableFaults, FaultyCable, Wire
from .device import TICK_MS, SimulatedDevice
from .errors import BadScenario, SimulatorError
from .firmware.board import RING_SIZE, BoardFirmware
from .firmware.sensor import STUCK_MS
from .hands.hands import MOMENTS, Hands, Moment, Pace, Report, Trouble
from .hands.mistakes import MISTAKES, Steps, make_mistake, variants
from .hands.plan import GamePlan, draw_turns, plan_game, plan_turns
from .world import Physics, World

MAX_FILE = 100_000  # bytes
MAX_SECONDS = 3600.0
TROUBLES = ("unplug", "restart", "brown-out", "open", "stuck")

_Probability = Annotated[float, Meta(ge=0, le=1)]
_Seconds = Annotated[float, Meta(ge=0, le=MAX_SECONDS)]
_Dip = Annotated[float, Meta(ge=0, le=60)]


def _one_of(*names: str) -> Meta:
    return Meta(pattern=f"^({'|'.join(names)})$")


@dataclass(frozen=True, slots=True)
class GameSetup:
    """A game of a file (`record`, `number`), or `turns` turns of a `ruleset` with `options`, drawn by the seed."""

    record: Annotated[str, "path of a record, from the scenario's folder; default: draw turns"] = ""
    number: Annotated[int, Meta(ge=1, le=10_000), "which game of the file"] = 1
    ruleset: Annotated[str, "the rule set of drawn turns"] = "enkeshui"
    options: Annotated[Mapping[str, str | int], "its options, as `{ pits = 8 }`"] = field(default_factory=dict)
    turns: Annotated[
        int, Meta(ge=0, le=1000), "how many turns to draw, each with a distinct result; 0: nobody plays"
    ] = 0


@dataclass(frozen=True, slots=True)
class BoardSetup:
    """The board."""

    serial: Annotated[str, "serial number"] = "SIM-0001"
    stores: Annotated[bool, "whether the stores are weighed"] = True
    ring: Annotated[int, Meta(ge=RING_SIZE, le=65_536), "events that the board keeps"] = RING_SIZE
    tick_ms: Annotated[int, Meta(ge=1, le=30), "milliseconds between readings"] = TICK_MS


@dataclass(frozen=True, slots=True)
class TroubleRates:
    """The probability of each trouble in each turn, at a random moment."""

    mistake: Annotated[_Probability, "the hands make a mistake, if the turn allows one"] = 0.0
    kinds: Annotated[tuple[Annotated[str, _one_of(*MISTAKES)], ...], "kinds of mistakes; empty: any"] = ()
    unplug: Annotated[_Probability, "the cable is unplugged"] = 0.0
    restart: Annotated[_Probability, "the board restarts"] = 0.0
    brown_out: Annotated[_Probability, "the supply is low, then off; the board restarts"] = 0.0
    open: Annotated[_Probability, "a sensor does not answer"] = 0.0
    stuck: Annotated[_Probability, "a sensor repeats its reading"] = 0.0
    seconds: Annotated[_Seconds, "longest duration of a fault"] = 2.0
    dip: Annotated[_Dip, "longest time of low supply, in seconds"] = 0.3


@dataclass(frozen=True, slots=True)
class ScheduledTrouble:
    """One trouble, or a mistake, at a given moment of a turn."""

    turn: Annotated[int, Meta(ge=1, le=100_000), "in which turn; required"]
    what: Annotated[
        str, _one_of(*TROUBLES, "mistake"), "`unplug`, `restart`, `brown-out`, `open`, `stuck` or `mistake`; required"
    ]
    moment: Annotated[str, _one_of(*MOMENTS), "`start`, `middle` or `button`"] = "middle"
    seconds: Annotated[_Seconds, "how long it lasts"] = 2.0
    kind: Annotated[str, _one_of("", *MISTAKES), "the kind of `mistake`"] = ""
    sensor: Annotated[int, Meta(ge=0, le=33), "which sensor is `open` or `stuck`"] = 0
    dip: Annotated[_Dip, "seconds of low supply before a `brown-out`"] = 0.3


@dataclass(frozen=True, slots=True)
class Scenario:
    """A whole scenario."""

    seed: Annotated[Annotated[int, Meta(ge=0, le=2**31 - 1)] | None, "as `--seed`"] = None
    speed: Annotated[float, Meta(gt=0), 'as `--speed`; `"max"` in quotes'] = 1.0  # infinite: as fast as the host
    give_up: Annotated[Annotated[float, Meta(ge=0.1, le=MAX_SECONDS)] | None, "as `--give-up`"] = None
    game: GameSetup = GameSetup()
    board: BoardSetup = BoardSetup()
    scales: Physics = field(default_factory=Physics)
    pace: Pace = field(default_factory=Pace)
    cable: CableFaults = field(default_factory=CableFaults)
    rates: TroubleRates = TroubleRates()
    at: Annotated[tuple[ScheduledTrouble, ...], Meta(max_length=1000)] = ()


def read_scenario(path: Path) -> Scenario:
    """Read a scenario file. The path of its record is relative to the file's folder.

    :raises BadScenario: the file cannot be read, or holds an unknown key or an invalid value.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE + 1)
    except OSError as error:
        raise BadScenario(f"{str(path)!r}: {error.strerror}") from error
    if len(data) > MAX_FILE:
        raise BadScenario(f"{str(path)!r} is longer than {MAX_FILE} bytes: not a scenario")
    try:
        scenario = parse_scenario(decode_utf8(data))
    except (BadScenario, RecordsError) as error:
        raise BadScenario(f"{path}: {error}") from error
    if scenario.game.record:
        record = str(path.parent / scenario.game.record)
        scenario = replace(scenario, game=replace(scenario.game, record=record))
    return scenario


def parse_scenario(text: str) -> Scenario:
    """Parse the text of a scenario.

    :raises BadScenario: it is not valid TOML, or holds an unknown key or an invalid value.
    """
    try:
        data = tomllib.loads(text)
        if data.get("speed") == "max":
            data["speed"] = inf
        scenario = from_json(data, Scenario)
    except tomllib.TOMLDecodeError as error:
        raise BadScenario(f"not valid TOML: {error}") from error
    except RecursionError as error:
        raise BadScenario("not a scenario: its values are nested too deeply") from error
    except JsonError as error:
        raise BadScenario(str(error)) from error
    if scenario.game.record and (scenario.game.turns or scenario.game.options):
        raise BadScenario("game names a record, which has its own rules and turns: remove `turns` and `options`")
    if scenario.pace.think[0] > scenario.pace.think[1]:
        raise BadScenario(f"pace.think = {list(scenario.pace.think)}: the smaller time comes first")
    mistaken: set[int] = set()
    for trouble in scenario.at:
        if (trouble.what == "mistake") != bool(trouble.kind):
            raise BadScenario(f"at, turn {trouble.turn}: what = 'mistake' needs a kind, and nothing else has one")
        if trouble.kind:
            if trouble.turn in mistaken:
                raise BadScenario(f"at, turn {trouble.turn} has two mistakes: a turn can have one")
            mistaken.add(trouble.turn)
    return scenario


NOISY = 1.0  # hundredths of a seed: a reading with less noise may repeat for long without being stuck
MAX_DRAWN = 40  # variants of a mistake from which one is drawn


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


def draw_troubles(scenario: Scenario, plan: GamePlan, random: Random) -> Troubles:
    """Collect the scheduled troubles, and draw others by their rates.

    :raises SimulatorError: a scheduled turn does not exist, or its mistake is impossible in it.
    """
    rates = scenario.rates
    at = [trouble for trouble in scenario.at if trouble.what != "mistake"]
    kinds = {trouble.turn: trouble.kind for trouble in scenario.at if trouble.what == "mistake"}
    for trouble in scenario.at:
        plan.turn(trouble.turn)
    mistakes: dict[int, tuple[str, Steps]] = {}
    for turn in plan.turns:
        for what in TROUBLES:
            if random.random() < getattr(rates, what.replace("-", "_")):
                moment, sensor = random.choice(MOMENTS), random.randrange(2 * plan.row)
                seconds, dip = random.uniform(0.02, rates.seconds), random.uniform(0, rates.dip)
                at.append(ScheduledTrouble(turn.ply, what, moment, seconds, "", sensor, dip))
        if turn.ply in kinds:
            mistakes[turn.ply] = kinds[turn.ply], make_mistake(kinds[turn.ply], plan, turn.ply)
        elif random.random() < rates.mistake:
            drawn = draw_mistake(rates.kinds or tuple(MISTAKES), plan, turn.ply, random)
            if drawn is not None:
                mistakes[turn.ply] = drawn
    return Troubles(tuple(at), mistakes)


def draw_mistake(kinds: tuple[str, ...], plan: GamePlan, ply: int, random: Random) -> tuple[str, Steps] | None:
    """Draw a kind of mistake that is possible in the turn, and its steps. None if none is possible."""
    for kind in random.sample(kinds, len(kinds)):
        possible = list(islice(variants(kind, plan, ply), MAX_DRAWN))
        if possible:
            return kind, random.choice(possible)
    return None


@dataclass(frozen=True, slots=True)
class Stage:
    """A scenario ready to run. `wires` are the cable's directions: to the host and to the board."""

    plan: GamePlan
    world: World
    device: SimulatedDevice
    troubles: Troubles
    wires: tuple[Wire, Wire]


def stage(
    scenario: Scenario,
    cable: Cable,
    clock: Callable[[], float],
    wait: Callable[[list[int], float], None],
    report: Report,
    boots: Iterator[str],
    draw: Callable[[Scenario, GamePlan, Random], Troubles] = draw_troubles,
) -> Stage:
    """Set up a scenario. `boots` yields the id of each start of the board; the scenario's seed decides the rest.

    :raises SimulatorError: the scenario cannot be played.
    """
    random = Random(scenario.seed)
    plan = plan_of(scenario, random)
    troubles = draw(scenario, plan, random)
    setup = scenario.board
    world = World(plan.row, setup.stores, random, scenario.scales)
    wires = Wire(scenario.cable, random), Wire(scenario.cable, random)
    if any(scenario.cable.rates):
        cable = FaultyCable(cable, *wires, clock)
    stuck_ms = STUCK_MS if scenario.scales.noise_sd >= NOISY else 0

    def start_board() -> BoardFirmware:
        try:
            return BoardFirmware(plan.row, setup.stores, setup.serial, next(boots), ring=setup.ring, stuck_ms=stuck_ms)
        except ValueError as error:
            raise BadScenario(f"invalid board: {error}") from error

    board = start_board()
    speed = None if isinf(scenario.speed) else scenario.speed
    give_up, tick_ms = scenario.give_up, setup.tick_ms
    device = SimulatedDevice(
        board, world, cable, clock, wait, speed=speed, give_up=give_up, tick_ms=tick_ms, report=report
    )
    pace = scenario.pace
    if pace.patience is not None and speed is not None:  # a host answers by the clock, however fast the hands are
        pace = replace(pace, patience=round(pace.patience * speed))
    if plan.turns or scenario.game.record:
        causes = _causes(troubles.at, device, start_board)
        mistakes = troubles.mistakes
        device.hands = Hands(plan, world, board.lights, random, report, pace=pace, mistakes=mistakes, troubles=causes)
    else:
        world.lay(plan.counts)
    return Stage(plan, world, device, troubles, wires)


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
