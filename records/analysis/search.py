"""Iterative deepening: the best lines of a position, deeper and deeper until a limit."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from inkeek.records.errors import expect
from inkeek.records.kernel.codes import DEEPEST, HORIZON, UNIT
from inkeek.records.moves import Move
from inkeek.records.position import SUCH_AS, Position
from inkeek.records.rules.play import Rules

from .results import Analysis, Limits, Line
from .search_table import SearchTable, transposition_table
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
LEAST_NODES = 10_000  # that may go into the rest of exact lines


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
    table: SearchTable | None = None,
    stop: threading.Event | None = None,
    on_progress: Callable[[Analysis], None] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Analysis:
    """Search the best lines of a position, each with another first turn.

    `memory`: MiB for the transposition table at most. `history`: the positions before this one, for repetitions.
    `weights`: of the estimate, those of the rule set by default. `tables`: endgame tables, whose values are exact.
    `table`: a transposition table that earlier searches have filled, instead of a new one. `stop`: ends the search
    early, within milliseconds. `on_progress`: called after each depth. The search runs in threads of its own; with one,
    a limit of depth or nodes, and the same searches before in `table`, it always finds the same.

    Exact lines of the result go to the end of the game, unless a limit comes before, or this takes more positions than
    the search itself.
    :raises PositionError: the position is not of this game.
    :raises ValueError: `lines`, `threads` or `memory` is below 1, or the system does not give as much memory.
    """
    if min(lines, threads, memory) < 1:
        raise ValueError(f"lines={lines}, threads={threads}, memory={memory}: expected 1 or more of each")
    expect(rules, Rules, "board.rules or ruleset('bof')")
    expect(limits, Limits, "Limits(seconds=1)")
    began = clock()
    rules.verify_known()
    rules.verify_position(position)
    for before in history:
        expect(before, Position, SUCH_AS)
    endgame = tables.set_for(rules) if tables else None
    if table is None:
        entries = transposition_table(table_memory(memory, threads, limits.nodes))
    else:
        table.prepare(rules, position, history, weights, tables)
        entries = table.open()
    searchers = [new_searcher(rules, entries, weights, endgame) for _ in range(threads)]
    for searcher in searchers:
        turns = searcher.set_root(position, list(history))
    ahead, estimate, ended = searchers[0].standing()

    def analysis(found: Deepened) -> Analysis:
        return Analysis(
            tuple(_line(rules, position, line, ahead) for line in sorted(found.lines, key=_by_value)),
            found.depth,
            count_nodes(searchers),
            clock() - began,
            left_out(rules, position),
        )

    def deepen(searcher: Any) -> Iterator[Deepened]:
        """Search the searcher's root alone, within what is left of the limits."""
        job = _deepening(searcher, range(1, DEEPEST + 1), 1, searcher.standing()[1])
        return watch([searcher], [job], limits, stop, clock, began)

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
    for best in watch(searchers, jobs, limits, stop, clock, began):
        if on_progress is not None:
            on_progress(analysis(best))
    found = analysis(best)
    most = max(found.nodes, LEAST_NODES)
    if limits.nodes is not None:
        most = min(most, limits.nodes - found.nodes)
    finisher = _Finisher(rules, [*history, position], searchers[0], most, deepen)
    lines_to_end = tuple(finisher.finish(line) for line in found.lines)
    return replace(found, lines=lines_to_end, seconds=clock() - began)


class _Finisher:
    """Continues exact lines to the end of the game, by searches from where they stop: there the best turn was in the
    transposition table, which has values but no lines. `most`: the positions to search for that."""

    def __init__(
        self,
        rules: Rules,
        path: Sequence[Position],
        searcher: Any,
        most: int,
        deepen: Callable[[Any], Iterator[Deepened]],
    ) -> None:
        self._rules = rules
        self._path = path
        self._searcher = searcher
        self._most = most
        self._deepen = deepen
        self._searched = 0

    def finish(self, line: Line) -> Line:
        """The line with as many more turns as can be found."""
        path, moves = list(self._path), list(line.moves)
        for move in moves:
            path.append(self._rules.play(path[-1], move).position)
        while line.exact and self._searched < self._most and self._rules.outcome(path[-1]) is None:
            more = self._search(path)
            if not more:
                break
            for move in more:
                moves.append(move)
                path.append(self._rules.play(path[-1], move).position)
        return replace(line, moves=tuple(moves))

    def _search(self, path: Sequence[Position]) -> tuple[Move, ...]:
        """The turns of an exact line from the last position; none if it was not found."""
        self._searcher.set_root(path[-1], path[:-1])
        self._searcher.limit(self._most - self._searched)
        best: list[RawLine] = []
        for found in self._deepen(self._searcher):
            best = found.lines
        self._searched += self._searcher.searched()
        if not best or best[0].flags:
            return ()
        return name_moves(self._rules, path[-1], best[0].moves)


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
