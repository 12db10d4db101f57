"""The table of kinds in docs/findings.md."""

from __future__ import annotations

from inkeek.records.findings import KINDS
from inkeek.service.reference.tables import table


def kinds_table(_: str) -> str:
    """Every kind of slip, the rule that it breaks, and how often it is taken to happen."""
    rows = [
        (
            f"`{id}`",
            kind.title % {"special": "bull or uur"},
            f"`{kind.rule}`" if kind.rule else "none",
            f"{1000 * kind.rate:g}",
        )
        for id, kind in KINDS.items()
    ]
    return table(("kind", "what happened", "the rule", "of 1,000 turns"), rows, right=[3])


PARTS = {"kinds-of-slips": kinds_table}
