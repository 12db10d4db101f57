"""A scenario: one small TOML file that says which game is played on which board, and what goes wrong.

`Scenario` and its sections are dataclasses; each key of the file is a field. The reader rejects unknown keys by name.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from math import inf
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from firmware_sim.cable.faults import CableFaults
from firmware_sim.device import TICK_MS
from firmware_sim.errors import BadScenario
from firmware_sim.firmware.ring import RING_SIZE
from firmware_sim.hands.hands import MOMENTS, Pace
from firmware_sim.hands.mistakes import MISTAKES
from firmware_sim.limits import Choices, Limits
from firmware_sim.world import Physics

MAX_FILE = 100_000  # bytes
MAX_AT = 1000  # troubles at given turns
MAX_SPEED = 1000.0
MAX_SECONDS = 3600.0
TROUBLES = ("unplug", "restart", "brown-out", "open", "stuck")

_Seconds = Annotated[float, Limits(0, MAX_SECONDS)]
_Dip = Annotated[float, Limits(0, 60)]


@dataclass(frozen=True, slots=True)
class GameSetup:
    """A game of a file (`record`, `number`), or `turns` turns of a `ruleset` with `options`, drawn by the seed."""

    record: str = ""
    number: Annotated[int, Limits(1, 10_000)] = 1
    ruleset: str = "enkeshui"
    options: Mapping[str, Any] = field(default_factory=dict)
    turns: Annotated[int, Limits(0, 1000)] = 0


@dataclass(frozen=True, slots=True)
class BoardSetup:
    """The board."""

    serial: str = "SIM-0001"
    stores: bool = True  # whether the stores are weighed
    ring: Annotated[int, Limits(RING_SIZE, 65_536)] = RING_SIZE  # events kept
    tick_ms: Annotated[int, Limits(1, 30)] = TICK_MS  # between two sensor readings


@dataclass(frozen=True, slots=True)
class TroubleRates:
    """The probability of each trouble in each turn, at a random moment."""

    mistake: float = 0.0
    kinds: Annotated[tuple[str, ...], Choices(tuple(MISTAKES))] = ()  # of mistakes; empty: any
    unplug: float = 0.0
    restart: float = 0.0
    brown_out: float = 0.0
    open: float = 0.0
    stuck: float = 0.0
    seconds: _Seconds = 2.0  # longest time that a cable is unplugged, the power off, a sensor faulty
    dip: _Dip = 0.3  # longest time in seconds of low supply before a brown-out


@dataclass(frozen=True, slots=True)
class ScheduledTrouble:
    """One trouble, or a mistake, at a given moment of a turn."""

    turn: Annotated[int, Limits(1, 100_000)]
    what: Annotated[str, Choices((*TROUBLES, "mistake"))]
    moment: Annotated[str, Choices(MOMENTS)] = "middle"
    seconds: _Seconds = 2.0  # how long it lasts
    kind: Annotated[str, Choices(("", *MISTAKES))] = ""  # of the mistake
    sensor: Annotated[int, Limits(0, 33)] = 0  # which is open or stuck
    dip: _Dip = 0.3  # seconds of low supply before a brown-out


@dataclass(frozen=True, slots=True)
class Scenario:
    """A whole scenario."""

    seed: Annotated[int, Limits(0, 2**31 - 1)] | None = None  # None: random
    speed: Annotated[float, Limits(0, MAX_SPEED)] = 1.0  # of the hands; infinite: as fast as the host keeps up
    give_up: Annotated[float, Limits(0.1, MAX_SECONDS)] | None = None  # after so many seconds without an answer
    game: GameSetup = GameSetup()
    board: BoardSetup = BoardSetup()
    scales: Physics = field(default_factory=Physics)
    pace: Pace = field(default_factory=Pace)
    cable: CableFaults = field(default_factory=CableFaults)
    rates: TroubleRates = TroubleRates()
    at: tuple[ScheduledTrouble, ...] = ()


SECTIONS: dict[str, type[Any]] = {
    "game": GameSetup,
    "board": BoardSetup,
    "scales": Physics,
    "pace": Pace,
    "cable": CableFaults,
    "rates": TroubleRates,
    "at": ScheduledTrouble,
}

Section = TypeVar("Section")


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
        scenario = parse_scenario(data.decode("utf-8"))
    except (BadScenario, UnicodeDecodeError) as error:
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
    except tomllib.TOMLDecodeError as error:
        raise BadScenario(f"not valid TOML: {error}") from error
    top = {key: value for key, value in data.items() if key not in SECTIONS}
    speed = top.pop("speed", 1)
    if speed != "max" and not (_is_number(speed) and 0 < speed <= MAX_SPEED):
        raise BadScenario(f"speed = {speed!r}: expected a factor above 0, up to {MAX_SPEED:g}, or 'max'")
    sections: dict[str, Any] = {"speed": inf if speed == "max" else float(speed)}
    for name, kind in SECTIONS.items():
        if name == "at":
            sections["at"] = _parse_at(data.get("at", []))
        elif not isinstance(data.get(name, {}), dict):
            raise BadScenario(f"{name} = {data[name]!r}: expected a table, [{name}]")
        else:
            sections[name] = _parse_section(kind, f"[{name}] ", data.get(name, {}))
    scenario: Scenario = _parse_section(Scenario, "", top, sections)
    if scenario.game.record and (scenario.game.turns or scenario.game.options):
        raise BadScenario("[game] names a record, which has its own rules and turns: remove `turns` and `options`")
    return scenario


def _parse_at(tables: Any) -> tuple[ScheduledTrouble, ...]:
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise BadScenario(f"at = {tables!r}: expected tables, [[at]]")
    if len(tables) > MAX_AT:
        raise BadScenario(f"there are {len(tables)} [[at]] tables: at most {MAX_AT} are allowed")
    troubles = tuple(_parse_section(ScheduledTrouble, "[at] ", table) for table in tables)
    mistaken: set[int] = set()
    for trouble in troubles:
        if (trouble.what == "mistake") != bool(trouble.kind):
            raise BadScenario(f"[[at]] turn = {trouble.turn}: what = 'mistake' needs a kind, and nothing else has one")
        if trouble.kind:
            if trouble.turn in mistaken:
                raise BadScenario(f"[[at]] turn = {trouble.turn} has two mistakes: a turn can have one")
            mistaken.add(trouble.turn)
    return troubles


def _parse_section(
    kind: type[Section], where: str, table: Mapping[str, Any], parsed: Mapping[str, Any] | None = None
) -> Section:
    """Make a dataclass of a table. `parsed` holds fields that have been parsed already."""
    parsed = parsed or {}
    hints = get_type_hints(kind, include_extras=True)
    for key in table:
        if key not in hints or key in parsed:
            raise BadScenario(f"{where}{key} is unknown; known keys: {', '.join(hints)}")
    for one in fields(kind):  # type: ignore[arg-type]
        if one.default is MISSING and one.default_factory is MISSING and one.name not in table:
            raise BadScenario(f"{where}lacks the key {one.name}")
    values = {key: _parse_value(f"{where}{key}", hints[key], value) for key, value in table.items()}
    return kind(**values, **parsed)


def _parse_value(where: str, hint: Any, value: Any) -> Any:
    """Check a value against its field's type and return it as that type."""

    def wrong(expected: str) -> BadScenario:
        return BadScenario(f"{where} = {value!r}: expected {expected}")

    if get_origin(hint) in (Union, UnionType):
        hint = get_args(hint)[0]  # TOML has no null
    rule: Any = None
    if get_origin(hint) is Annotated:
        hint, rule = get_args(hint)
    if hint is bool:
        if not isinstance(value, bool):
            raise wrong("true or false")
        return value
    if hint is str:
        if not isinstance(value, str) or (rule and value not in rule.values):
            raise wrong(f"one of {', '.join(filter(None, rule.values))}" if rule else "a text")
        return value
    if isinstance(rule, Choices):
        if not isinstance(value, list) or not set(map(str, value)) <= set(rule.values):
            raise wrong(f"a list of {', '.join(rule.values)}")
        return tuple(value)
    if get_origin(hint) is tuple:
        if not (isinstance(value, list) and len(value) == 2 and all(type(one) is int for one in value)):
            raise wrong("two whole numbers, from and to")
        if not rule.least <= value[0] <= value[1] <= rule.most:
            raise wrong(f"two whole numbers from {rule.least:g} to {rule.most:g}, the smaller one first")
        return tuple(value)
    if hint in (int, float):
        rule = rule or Limits(0, 1)
        fits = _is_number(value) and isinstance(value, (hint, int)) and rule.least <= value <= rule.most
        if not fits:
            raise wrong(f"a {'whole ' if hint is int else ''}number from {rule.least:g} to {rule.most:g}")
        return hint(value)
    if not isinstance(value, dict) or not all(isinstance(one, str | int) for one in value.values()):
        raise wrong("a table of texts and whole numbers")
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
