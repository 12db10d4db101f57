"""The tables of docs/perft.md, from tests/data/perft.json."""

from __future__ import annotations

from inkeek.records.notation.tags import format_options
from inkeek.service.reference.tables import table
from tests.records.perft_tables import load


def perft_tables() -> str:
    """The counts of each game, a row for each start or position."""
    rows: dict[str, list[tuple[str, str, str]]] = {}
    for counted in load():
        options = format_options(counted.options)
        counts = " ".join(f"{count:,}" for count in counted.counts)
        rows.setdefault(counted.game, []).append((f"`{counted.position}`", f"`{options}`" if options else "", counts))
    heads = ("position", "options", "sequences of 1, 2, 3 … turns")
    return "\n".join(f"## {game}\n\n{table(heads, counts)}" for game, counts in rows.items())


PARTS = {"perft": lambda _: perft_tables()}
