"""A scenario: one small TOML file that says which game is played on which board, and what goes wrong.

`Scenario` and its sections are dataclasses; each key of the file is a field.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from inkeek.firmware_sim.cable.faults import CableFaults
from inkeek.firmware_sim.device import TICK_MS
from inkeek.firmware_sim.errors import BadScenario
from inkeek.firmware_sim.firmware.ring import RING_SIZE
from inkeek.firmware_sim.hands.hands import MOMENTS, Pace
from inkeek.firmware_sim.hands.mistakes import MISTAKES
from inkeek.firmware_sim.world import Physics
from inkeek.records import RecordsError
from inkeek.records.json_codec import JsonError, from_json
from inkeek.records.text import decode_utf8

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
