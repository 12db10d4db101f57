"""The table of mistakes in docs/simulator.md."""

from __future__ import annotations

from inkeek.firmware_sim.hands.mistakes import MISTAKES
from inkeek.service.reference.tables import table


def mistakes_table(_: str) -> str:
    """What the simulated hands can do wrong."""
    rows = [(f"`{name}`", (kind.variants.__doc__ or "").removesuffix(".")) for name, kind in MISTAKES.items()]
    return table(("mistake", "what the hands do"), rows)


PARTS = {"mistakes": mistakes_table}
