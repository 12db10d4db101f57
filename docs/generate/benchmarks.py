"""The figures of docs/benchmarks.md, from benchmarks/results, and the list of all benchmarks."""

from __future__ import annotations

import ast
from pathlib import Path

from benchmarks.measure import read_result
from inkeek.service.reference.tables import table

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def index(_: str) -> str:
    """Every program among the benchmarks, with the first sentence of its docstring."""
    rows = []
    for path in sorted(BENCHMARKS.rglob("*.py")):
        source = path.read_text("utf-8")
        if "def main(" in source:
            first = (ast.get_docstring(ast.parse(source)) or "").split("\n")[0]
            name = path.relative_to(BENCHMARKS.parent).as_posix()
            rows.append((f"`{name}`", first.split(": ``")[0].rstrip(":.").replace("``", "`")))
    return table(("benchmark", "what it measures"), rows)


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


PARTS = {"benchmarks": index, "measured": measured}
