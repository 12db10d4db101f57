"""Solving a layer of a table: sweeps over its positions, in several threads, until no bound changes."""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from inkeek.records.kernel.endgame import Retrograde, TableSet
from inkeek.records.kernel.sowing import Kernel
from inkeek.records.rules.families import FAMILIES

from .coverage import TableRules

CHUNK = 1 << 15  # positions that a thread works out at once
MEMORY = 1 << 30  # bytes

Chunk = tuple[int, int]
Report = Callable[[int, int, int, int], None]
"""Called with the seeds of the layer, the number of the sweep, positions looked at in it and positions of the layer."""


@dataclass
class SolvedLayer:
    """The bounds of a layer's positions, and what they took: see `header.TableLayer`."""

    positions: int
    low: memoryview
    high: memoryview
    differing: int = 0
    unsettled: int = 0
    sweeps: int = 0


@dataclass
class _Work:
    """A part of a layer. `graph`: its positions whose bounds differ and their turns, for `Retrograde.relax`."""

    chunk: Chunk
    graph: tuple[Any, ...] | None = None


class LayerSolver:
    """Works on one layer at a time.

    It takes two bytes of memory for each position of the layer, and up to `memory` more to keep turns within the layer;
    those for which there is no room are sown again in each sweep.
    """

    def __init__(self, rules: TableRules, tables: TableSet, workers: int, memory: int = MEMORY) -> None:
        self.rules = rules
        self.tables = tables
        self.memory = memory
        options, seeds = rules.kernel_options(), 2 * max(rules.win_at - 1, 0)
        self.kernels = [Kernel(FAMILIES[rules.family], options, seeds) for _ in range(workers)]

    def solve(self, seeds: int, report: Report) -> SolvedLayer:
        """Bring the bounds of a layer as close as they come; all layers below must be in the tables."""
        layer = self._room(seeds)
        solvers = self._solvers(seeds, layer)
        chunks = _chunks(layer.positions)
        for _ in self._map(solvers, lambda solver, chunk: solver.fill(*chunk), chunks):
            pass
        work: list[_Work] = [_Work(chunk) for chunk in chunks]
        room = self.memory
        while work:
            layer.sweeps += 1
            keep = room > 0 and layer.sweeps == 1
            changed = layer.differing = unsettled = done = 0
            still: list[_Work] = []
            run = _sweep_keeping if keep else _sweep
            for item, (moved, differing, refused, graph) in zip(work, self._map(solvers, run, work), strict=True):
                changed += moved
                layer.differing += differing
                unsettled += refused
                if graph is not None and room > 0:
                    item.graph = graph
                    room -= sum(part.itemsize * len(part) for part in graph)
                if differing:
                    still.append(item)
                done += item.chunk[1] - item.chunk[0]
                report(seeds, layer.sweeps, done, layer.positions)
            if layer.sweeps == 1:  # the only one that looks at every turn
                layer.unsettled = unsettled
            work = still if changed else []
        if self.rules.repeats_at_zero:
            layer.differing = 0
            for _ in self._map(solvers, lambda solver, chunk: solver.level(*chunk), chunks):
                pass
        missing = sum(solver.fault()[0] for solver in solvers)
        assert not missing, f"{missing} turns led out of the table from the layer of {seeds} seeds"
        return layer

    def check(self, seeds: int, report: Report) -> int:
        """Work out every position of a layer that the tables have once more; returns how many have other bounds."""
        layer = self._room(seeds)
        solvers = self._solvers(seeds, layer)
        chunks = _chunks(layer.positions)
        for _ in self._map(solvers, lambda solver, chunk: solver.read(*chunk), chunks):
            pass
        wrong = done = 0
        results = self._map(solvers, lambda solver, chunk: solver.sweep(chunk[0], chunk[1], True), chunks)
        for chunk, (changed, _, _) in zip(chunks, results, strict=True):
            wrong += changed
            done += chunk[1] - chunk[0]
            report(seeds, 1, done, layer.positions)
        return wrong

    def encode(self, seeds: int, layer: SolvedLayer) -> tuple[int, list[tuple[int, int]], Iterator[memoryview]]:
        """A layer as the table holds it: bytes for a position, the bounds that each code stands for, and the bytes."""
        solver = self._solvers(seeds, layer)[0]
        seen = bytearray(1 << 16)
        solver.survey(0, layer.positions, seen)
        pairs = [pair for pair in range(1 << 16) if seen[pair]]
        width = 1 if len(pairs) <= 256 else 2
        codes = bytearray(1 << 16)
        if width == 1:
            for code, pair in enumerate(pairs):
                codes[pair] = code
        bounds = [((pair >> 8) - 128, (pair & 255) - 128) for pair in pairs] if width == 1 else []

        def values() -> Iterator[memoryview]:
            out = bytearray(CHUNK * width)
            for first, last in _chunks(layer.positions):
                solver.encode(first, last, width, codes, out)
                yield memoryview(out)[: (last - first) * width]

        return width, bounds, values()

    def _room(self, seeds: int) -> SolvedLayer:
        positions = self.tables.positions(seeds)
        low, high = (memoryview(mmap.mmap(-1, max(positions, 1))).cast("b") for _ in range(2))
        return SolvedLayer(positions, low, high)

    def _solvers(self, seeds: int, layer: SolvedLayer) -> list[Retrograde]:
        rest = self.rules.rest_counts
        return [Retrograde(kernel, self.tables, seeds, layer.low, layer.high, rest) for kernel in self.kernels]

    def _map(
        self, solvers: Sequence[Retrograde], work: Callable[[Retrograde, Any], Any], chunks: Sequence[Any]
    ) -> Iterator[Any]:
        """Yield what `work` returns for each chunk, in order; each solver works on one chunk at a time."""
        free: SimpleQueue[Retrograde] = SimpleQueue()
        for solver in solvers:
            free.put(solver)

        def run(chunk: Any) -> Any:
            solver = free.get()
            try:
                return work(solver, chunk)
            finally:
                free.put(solver)

        executor = ThreadPoolExecutor(len(solvers))
        try:
            yield from executor.map(run, chunks)
        finally:
            executor.shutdown(cancel_futures=True)


def _sweep_keeping(solver: Retrograde, work: _Work) -> tuple[int, int, int, tuple[Any, ...] | None]:
    counts: tuple[int, int, int, tuple[Any, ...] | None] = solver.sweep_keeping(*work.chunk)
    return counts


def _sweep(solver: Retrograde, work: _Work) -> tuple[int, int, int, tuple[Any, ...] | None]:
    changed, differing, refused = solver.sweep(*work.chunk) if work.graph is None else solver.relax(*work.graph)
    return changed, differing, refused, None


def _chunks(positions: int) -> list[Chunk]:
    return [(first, min(first + CHUNK, positions)) for first in range(0, positions, CHUNK)]
