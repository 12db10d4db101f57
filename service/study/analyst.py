"""Analyses of single positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from inkeek.records import Position, Rules
from inkeek.records.analysis import Analysis, Limits, analyse

MEMORY = 64  # MiB for the transposition table


@dataclass(frozen=True, slots=True)
class AnalysisRequest:
    """What is to be analyzed. `earlier`: the positions before this one, for repetitions."""

    rules: Rules
    position: Position
    limits: Limits
    lines: int
    earlier: Sequence[Position]


def report_analysis(report: Callable[[Analysis], None], request: AnalysisRequest) -> None:
    """Report what each depth finds, and at last the whole analysis."""
    rules, position, lines, earlier = request.rules, request.position, request.lines, request.earlier
    report(analyse(rules, position, request.limits, lines=lines, memory=MEMORY, history=earlier, on_progress=report))
