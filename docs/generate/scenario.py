"""The tables of a scenario in docs/simulator.md."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import get_args, get_type_hints

from msgspec import Meta

from inkeek.firmware_sim.hands.mistakes import MISTAKES
from inkeek.firmware_sim.scenarios import Scenario
from inkeek.service.reference.tables import table


def scenario_table(section: str) -> str:
    """The keys of a section of a scenario; "" for those before the first section."""
    kind = get_type_hints(Scenario, include_extras=True)[section] if section else Scenario
    kind = next((part for part in _parts(kind) if isinstance(part, type)), kind)
    hints = get_type_hints(kind, include_extras=True)
    rows = []
    for key in fields(kind):
        meaning = next((part for part in get_args(hints[key.name]) if isinstance(part, str)), None)
        if meaning is not None:  # sections have none
            default = key.default if key.default_factory is MISSING else key.default_factory()
            rows.append((f"`{key.name}`", written(default), limits(hints[key.name]), meaning))
    return table(("key", "default", "range", "meaning"), rows)


def written(value: object) -> str:
    """A default as TOML."""
    if value is MISSING or value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return str(list(value))
    return f'"{value}"' if isinstance(value, str) else f"{value:g}" if isinstance(value, float) else str(value)


def limits(hint: object) -> str:
    """The first range in an annotation, "" if there is none."""
    ranges = (part for part in _parts(hint) if isinstance(part, Meta) and part.ge is not None)
    return next((f"{part.ge} … {part.le}" for part in ranges), "")


def mistakes_table(_: str) -> str:
    """What the simulated hands can do wrong."""
    rows = [(f"`{name}`", (kind.variants.__doc__ or "").removesuffix(".")) for name, kind in MISTAKES.items()]
    return table(("mistake", "what the hands do"), rows)


def _parts(hint: object) -> list[object]:
    """An annotation and all that it is made of."""
    return [hint, *(part for one in get_args(hint) for part in _parts(one))]


PARTS = {"scenario": scenario_table, "mistakes": mistakes_table}
