"""The tables of docs/perft.md, from tests/data/perft.json."""

from __future__ import annotations

from records.notation.tags import format_options
from tests.records.perft_tables import load

from .tables import table


def perft_table(game: str) -> str:
    """The counts of a game, a row for each start or position."""
    rows = []
    for counted in load():
        if counted.game == game:
            options = format_options(counted.options)
            counts = " ".join(f"{count:,}" for count in counted.counts)
            rows.append((f"`{counted.position}`", f"`{options}`" if options else "", counts))
    return table(("position", "options", "sequences of 1, 2, 3 … turns"), rows)


PARTS = {"perft": perft_table}
