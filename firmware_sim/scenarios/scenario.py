"""A scenario: one small TOML file that says which game is played on which board, and all that goes wrong.

`Scenario` holds it; its sections are the dataclasses of the things that they describe, so that a key of the file is a
field there. `read_scenario` refuses what it does not know by name.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from math import inf
from pathlib import Path
from typing import Any, TypeVar

from firmware_sim.cable.faults import MAX_BURST, MAX_LATE, MAX_RATE, CableFaults
from firmware_sim.device import TICK_MS
from firmware_sim.errors import BadScenario
from firmware_sim.firmware.ring import RING_SIZE
from firmware_sim.hands.hands import MOMENTS, Pace
from firmware_sim.hands.mistakes import MISTAKES
from firmware_sim.world import Physics

MAX_FILE = 100_000  # bytes
MAX_AT = 1000  # troubles at given turns
MAX_SPEED = 1000.0
MAX_SECONDS = 3600.0
MAX_TURNS = 1000
TROUBLES = ("unplug", "restart", "brown-out", "open", "stuck")

Section = TypeVar("Section")


@dataclass(frozen=True, slots=True)
class GamePlayed:
    """A game of a file (`record`, `number`), or `turns` turns of a `ruleset` with `options`, drawn by the seed."""

    record: str = ""
    number: int = 1
    ruleset: str = "enkeshui"
    options: Mapping[str, Any] = field(default_factory=dict)
    turns: int = 0


@dataclass(frozen=True, slots=True)
class BoardPlayedOn:
    """The board: who it is, whether it weighs its `stores`, how many events its `ring` keeps, and how many
    milliseconds (`tick_ms`) pass from one look at its sensors to the next."""

    serial: str = "SIM-0001"
    stores: bool = True
    ring: int = RING_SIZE
    tick_ms: int = TICK_MS


@dataclass(frozen=True, slots=True)
class Rates:
    """How probable each trouble is in each turn, at a moment by chance: 0 never, 1 always.

    The cable is out, the power away and a sensor ill for up to `seconds`; before the power goes it is low for up to
    `dip` seconds. A `mistake` is one of `kinds` (all when empty) that the turn gives an occasion for.
    """

    mistake: float = 0.0
    kinds: tuple[str, ...] = ()
    unplug: float = 0.0
    restart: float = 0.0
    brown_out: float = 0.0
    open: float = 0.0
    stuck: float = 0.0
    seconds: float = 2.0
    dip: float = 0.3


@dataclass(frozen=True, slots=True)
class At:
    """One thing that goes wrong at `moment` of `turn` (from 1): `what` is one of `TROUBLES`, for so many `seconds`
    (`sensor`: which is ``open`` or ``stuck``; `dip`: seconds before a ``brown-out``), or ``mistake`` of a `kind`."""

    turn: int
    what: str
    moment: str = "middle"
    seconds: float = 2.0
    kind: str = ""
    sensor: int = 0
    dip: float = 0.3


@dataclass(frozen=True, slots=True)
class Scenario:
    """All of it. `seed` None: by chance. `speed`: of the hands, `inf` for as fast as the host keeps up. `give_up`:
    seconds that the hands wait for an answer, None for ever."""

    seed: int | None = None
    speed: float = 1.0
    give_up: float | None = None
    game: GamePlayed = GamePlayed()
    board: BoardPlayedOn = BoardPlayedOn()
    scales: Physics = field(default_factory=Physics)
    pace: Pace = field(default_factory=Pace)
    cable: CableFaults = field(default_factory=CableFaults)
    rates: Rates = Rates()
    at: tuple[At, ...] = ()


SECTIONS: dict[str, type[Any]] = {
    "game": GamePlayed,
    "board": BoardPlayedOn,
    "scales": Physics,
    "pace": Pace,
    "cable": CableFaults,
    "rates": Rates,
    "at": At,
}

# By section and key, from least to most. What is not here is a probability: 0 to 1.
LIMITS: dict[tuple[str, str], tuple[float, float]] = {
    ("", "seed"): (0, 2**31 - 1),
    ("", "give_up"): (0.1, MAX_SECONDS),
    ("game", "number"): (1, 10_000),
    ("game", "turns"): (0, MAX_TURNS),
    ("board", "ring"): (RING_SIZE, 65_536),
    ("board", "tick_ms"): (1, 30),
    ("scales", "stone_sd"): (0, 0.3),
    ("scales", "noise_sd"): (0, 30),
    ("scales", "drift"): (0, 1000),
    ("scales", "swing"): (0, 50),
    ("scales", "per_degree"): (0, 10),
    ("scales", "ring_ms"): (1, 1000),
    ("scales", "creep_ms"): (1, 600_000),
    ("scales", "bounce_ms"): (0, 1000),
    **{("pace", name.name): (0, 600_000) for name in fields(Pace)},
    **{("cable", kind): (0, MAX_RATE) for kind in ("drop", "duplicate", "corrupt", "reorder", "delay")},
    ("cable", "burst"): (1, MAX_BURST),
    ("cable", "late"): (0, MAX_LATE),
    **{(section, "seconds"): (0, MAX_SECONDS) for section in ("rates", "at")},
    **{(section, "dip"): (0, 60) for section in ("rates", "at")},
    ("at", "turn"): (1, 100_000),
    ("at", "sensor"): (0, 33),
}
CHOICES: dict[tuple[str, str], tuple[str, ...]] = {
    ("rates", "kinds"): tuple(MISTAKES),
    ("at", "what"): (*TROUBLES, "mistake"),
    ("at", "moment"): MOMENTS,
    ("at", "kind"): ("", *MISTAKES),
}


def read_scenario(path: Path) -> Scenario:
    """The scenario in a file. A record that it names is looked for beside the file.

    :raises BadScenario: the file cannot be read, or says something that is not known; says what and where.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE + 1)
    except OSError as error:
        raise BadScenario(f"{str(path)!r}: {error.strerror}") from error
    if len(data) > MAX_FILE:
        raise BadScenario(f"{str(path)!r} is longer than {MAX_FILE} bytes: that is no scenario")
    try:
        scenario = parse_scenario(data.decode("utf-8"))
    except (BadScenario, UnicodeDecodeError) as error:
        raise BadScenario(f"{path}: {error}") from error
    if scenario.game.record:
        record = str(path.parent / scenario.game.record)
        scenario = replace(scenario, game=replace(scenario.game, record=record))
    return scenario


def parse_scenario(text: str) -> Scenario:
    """The scenario that a text tells.

    :raises BadScenario: it is no TOML, or says something that is not known.
    """
    try:
        told = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadScenario(f"this is no TOML: {error}") from error
    top = {key: value for key, value in told.items() if key not in SECTIONS}
    if top.get("speed") == "max":
        top["speed"] = inf
    elif "speed" in top and not (_is_number(top["speed"]) and 0 < top["speed"] <= MAX_SPEED):
        raise BadScenario(f"speed = {top['speed']!r}: expected a factor above 0, up to {MAX_SPEED:g}, or 'max'")
    sections: dict[str, Any] = {}
    for name, kind in SECTIONS.items():
        if name == "at":
            sections["at"] = _moments(told.get("at", []))
        elif not isinstance(told.get(name, {}), dict):
            raise BadScenario(f"{name} = {told[name]!r}: expected a table, [{name}]")
        else:
            sections[name] = _section(kind, name, told.get(name, {}))
    scenario: Scenario = _section(Scenario, "", top, sections)
    if scenario.game.record and (scenario.game.turns or scenario.game.options):
        raise BadScenario("[game] names a record, which has its own rules and turns: no turns or options beside it")
    return scenario


def _moments(told: Any) -> tuple[At, ...]:
    if not isinstance(told, list) or not all(isinstance(one, dict) for one in told):
        raise BadScenario(f"at = {told!r}: expected tables, [[at]]")
    if len(told) > MAX_AT:
        raise BadScenario(f"[[at]] stands there {len(told)} times: up to {MAX_AT} are read")
    found = tuple(_section(At, "at", one) for one in told)
    mistaken: set[int] = set()
    for at in found:
        if (at.what == "mistake") != bool(at.kind):
            raise BadScenario(f"[[at]] turn = {at.turn}: a kind goes with what = 'mistake', and only with it")
        if at.what == "mistake" and at.turn in mistaken:
            raise BadScenario(f"[[at]] turn = {at.turn} has two mistakes: one a turn can be made")
        mistaken |= {at.turn} if at.what == "mistake" else set()
    return found


def _section(kind: type[Section], name: str, told: Mapping[str, Any], more: Mapping[str, Any] | None = None) -> Section:
    """A dataclass from its part of the file."""
    more = more or {}
    known = {one.name: one for one in fields(kind) if one.name not in more}  # type: ignore[arg-type]
    where = f"[{name}] " if name else ""
    for key in told:
        if key not in known:
            raise BadScenario(f"{where}{key} is not known; known are {', '.join((*known, *more))}")
    missing = {"turn", "what"} - set(told) if kind is At else set()
    if missing:
        raise BadScenario(f"{where}lacks {' and '.join(sorted(missing))}")
    return kind(**{key: _value(name, key, str(known[key].type), value) for key, value in told.items()}, **more)


def _value(section: str, key: str, kind: str, value: Any) -> Any:
    """A value as its field wants it."""

    def wrong(what: str) -> BadScenario:
        where = f"[{section}] " if section else ""
        return BadScenario(f"{where}{key} = {value!r}: expected {what}")

    choices = CHOICES.get((section, key))
    if kind.startswith("tuple[str"):
        if not isinstance(value, list) or not set(map(str, value)) <= set(choices or ()):
            raise wrong(f"a list of {', '.join(choices or ())}")
        return tuple(value)
    if kind.startswith("tuple[int"):
        least, most = LIMITS[section, key]
        if not (isinstance(value, list) and len(value) == 2 and all(type(one) is int for one in value)):
            raise wrong("two whole numbers, from and to")
        if not least <= value[0] <= value[1] <= most:
            raise wrong(f"two whole numbers from {least:g} to {most:g}, the smaller one first")
        return tuple(value)
    if kind == "str":
        if not isinstance(value, str) or (choices and value not in choices):
            raise wrong(f"one of {', '.join(filter(None, choices))}" if choices else "a text")
        return value
    if kind == "bool":
        if not isinstance(value, bool):
            raise wrong("true or false")
        return value
    if kind.startswith("Mapping"):
        if not isinstance(value, dict) or not all(isinstance(one, str | int) for one in value.values()):
            raise wrong("a table of texts and whole numbers")
        return value
    if key == "speed":
        return float(value)
    least, most = LIMITS.get((section, key), (0, 1))
    if not _is_number(value) or (kind.startswith("int") and not isinstance(value, int)) or not least <= value <= most:
        raise wrong(f"a {'whole ' if kind.startswith('int') else ''}number from {least:g} to {most:g}")
    return value if kind.startswith("int") else float(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
