"""The figures of docs/benchmarks.md, from benchmarks/results."""

from __future__ import annotations

from benchmarks.measure import read_result
from inkeek.service.reference.tables import table


def measured(name: str) -> str:
    """A stored result: the command, when and where it was measured, and its figures."""
    result = read_result(name)
    parts = [f"    {result.command}", f"{result.date}, {result.machine}; {result.load}."]
    for figures in result.figures:
        if "lines" in figures:
            parts.append("\n".join(["```", *figures["lines"], "```"]))
        else:
            parts.append(table(figures["columns"], figures["rows"], right=range(1, len(figures["columns"]))))
    return "\n\n".join(part.rstrip("\n") for part in parts)


PARTS = {"measured": measured}
