"""Analyses of single positions in child processes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from records import Position, Rules
from records.analysis import Analysis, Limits, analyse

from .calculator import CalculatorChild, Report

GRACE = 10.0  # seconds that one may take besides its own limit, such as to start the child
MEMORY = 64  # MiB for the transposition table


@dataclass(frozen=True, slots=True)
class AnalysisRequest:
    """What is to be analyzed. `earlier`: the positions before this one, for repetitions."""

    rules: Rules
    position: Position
    limits: Limits
    lines: int
    earlier: Sequence[Position]


def analyse_in(
    child: CalculatorChild,
    question: AnalysisRequest,
    *,
    on_progress: Callable[[Analysis], None] | None = None,
    is_wanted: Callable[[], bool],
) -> Analysis:
    """Analyze in a child, until a limit or until `is_wanted` is false. `question.limits` has `seconds`.

    :raises TookTooLong: the child does not answer. :raises RecordsError: the question does not fit the rules.
    """
    deadline = time.monotonic() + (question.limits.seconds or 0.0) + GRACE
    found: Analysis = child.call(_analyse, question, deadline=deadline, on_part=on_progress, is_wanted=is_wanted)
    return found


def _analyse(report: Report, stop: threading.Event, question: AnalysisRequest) -> Analysis:
    return analyse(
        question.rules,
        question.position,
        question.limits,
        lines=question.lines,
        memory=MEMORY,
        history=question.earlier,
        stop=stop,
        on_progress=report,
    )
