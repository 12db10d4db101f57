"""Iterative deepening: the best lines of a position, deeper and deeper until a limit."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from records.kernel.search.codes import DEEPEST, HORIZON, UNIT
from records.kernel.searcher import TranspositionTable
from records.position import Position
from records.rules.play import Rules

from .results import Analysis, Limits, Line
from .tables import Tables
from .weights import Weights
from .workers import (
    RawMove,
    aspirate,
    count_nodes,
    left_out,
    name_moves,
    named_flags,
    new_searcher,
    table_memory,
    watch,
)

DEFAULT_MEMORY = 64  # MiB


class RawLine(NamedTuple):
    """A line as the searcher has it: its value in units, relative to the stores."""

    value: int
    flags: int
    moves: list[RawMove]


class Deepened(NamedTuple):
    """All lines of one depth."""

    depth: int
    lines: list[RawLine]


def analyse(
    rules: Rules,
    position: Position,
    limits: Limits,
    *,
    lines: int = 1,
    threads: int = 1,
    memory: int = DEFAULT_MEMORY,
    history: Sequence[Position] = (),
    weights: Weights | None = None,
    tables: Tables | None = None,
    stop: threading.Event | None = None,
    on_progress: Callable[[Analysis], None] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Analysis:
    """Search the best lines of a position, each with another first turn.

    `memory`: MiB for the transposition table at most. `history`: the positions before this one, for repetitions.
    `weights`: of the estimate, those of the rule set by default. `tables`: endgame tables, whose values are exact; a
    line ends where it comes to one. `stop`: ends the search early, within milliseconds. `on_progress`: called after
    each depth. The search runs in threads of its own; with one, and a limit of depth or nodes, it always finds the
    same.
    :raises PositionError: the position is not of this game.
    :raises ValueError: `lines`, `threads` or `memory` is below 1.
    """
    if min(lines, threads, memory) < 1:
        raise ValueError(f"lines={lines}, threads={threads}, memory={memory}: expected 1 or more of each")
    rules.verify_position(position)
    table = TranspositionTable(table_memory(memory, threads, limits.nodes))
    endgame = tables.set_for(rules) if tables else None
    searchers = [new_searcher(rules, table, weights, endgame) for _ in range(threads)]
    for searcher in searchers:
        turns = searcher.set_root(position, list(history))
    ahead, estimate, ended = searchers[0].standing()
    began = clock()

    def analysis(found: Deepened) -> Analysis:
        return Analysis(
            tuple(_line(rules, position, line, ahead) for line in sorted(found.lines, key=_by_value)),
            found.depth,
            count_nodes(searchers),
            clock() - began,
            left_out(rules, position),
        )

    if not turns:
        return analysis(Deepened(0, [RawLine(ended, 0, [])]))
    best = Deepened(0, [RawLine(estimate, HORIZON, [turn]) for turn in turns[:lines]])
    deepest = min(limits.depth or DEEPEST, DEEPEST)
    if threads == 1 and limits.nodes is not None:
        searchers[0].limit(limits.nodes)
    jobs = [
        _deepening(searcher, range(1 + number % 2, deepest + 1), min(lines, len(turns)), estimate)
        for number, searcher in enumerate(searchers)
    ]
    for best in watch(searchers, jobs, limits, stop, clock):
        if on_progress is not None:
            on_progress(analysis(best))
    return analysis(best)


def _deepening(searcher: Any, depths: range, lines: int, guess: int) -> Callable[[Callable[[Deepened], None]], None]:
    """A job for `watch`: search the root to each of these depths, until nothing lies beyond the horizon."""

    def run(report: Callable[[Deepened], None]) -> None:
        guesses = [guess] * lines
        for depth in depths:
            found: list[RawLine] = []
            chosen: list[int] = []
            for number in range(lines):
                searcher.exclude(chosen)
                value, flags, best = aspirate(searcher, depth, guesses[number])
                if searcher.was_stopped():
                    return
                found.append(RawLine(value, flags, searcher.line()))
                guesses[number] = value
                chosen.append(best)
            report(Deepened(depth, found))
            if not any(line.flags & HORIZON for line in found):
                return

    return run


def _by_value(line: RawLine) -> int:
    return -line.value


def _line(rules: Rules, position: Position, line: RawLine, ahead: int) -> Line:
    depends_on = named_flags(line.flags)
    value = line.value / UNIT + ahead
    return Line(value if depends_on else round(value), name_moves(rules, position, line.moves), depends_on)
