"""Building and checking tables. A build that was stopped goes on after the last layer it had finished."""

from __future__ import annotations

import hashlib
import mmap
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import msgspec

from inkeek.records.kernel.endgame import Retrograde, TableSet
from inkeek.records.kernel.sowing import Kernel
from inkeek.records.rules.play import Rules
from inkeek.records.version import __version__

from . import (
    FORMAT,
    HEADER,
    VALUES,
    Table,
    TableError,
    TableHeader,
    TableLayer,
    TableRules,
    attach_values,
    keys_sum,
    layers_of,
    read_header,
    table_set,
    write_header,
)

# Solving a layer of a table: sweeps over its positions, in several threads, until no bound changes.

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
        self.kernels = [Kernel(rules.facts, options, seeds) for _ in range(workers)]

    def solve(self, seeds: int, report: Report) -> SolvedLayer:
        """Bring the bounds of a layer as close as they come; all layers below must be in the tables."""
        layer = self._room(seeds)
        solvers = self._solvers(seeds, layer)
        chunks = _chunks(layer.positions)
        list(self._map(solvers, lambda solver, chunk: solver.fill(*chunk), chunks))
        work: list[_Work] = [_Work(chunk) for chunk in chunks]
        room = self.memory
        while work:
            layer.sweeps += 1
            keep = room > 0 and layer.sweeps == 1
            changed = layer.differing = unsettled = done = 0
            still: list[_Work] = []
            run = partial(_sweep, keep=keep)
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
            list(self._map(solvers, lambda solver, chunk: solver.level(*chunk), chunks))
        missing = sum(solver.strays() for solver in solvers)
        assert not missing, f"{missing} turns led out of the table from the layer of {seeds} seeds"
        return layer

    def check(self, seeds: int, report: Report) -> int:
        """Work out every position of a layer that the tables have once more; returns how many have other bounds."""
        layer = self._room(seeds)
        solvers = self._solvers(seeds, layer)
        chunks = _chunks(layer.positions)
        list(self._map(solvers, lambda solver, chunk: solver.read(*chunk), chunks))
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


def _sweep(solver: Retrograde, work: _Work, keep: bool) -> tuple[int, int, int, tuple[Any, ...] | None]:
    if keep:
        return solver.sweep_keeping(*work.chunk)
    counts = solver.sweep(*work.chunk) if work.graph is None else solver.relax(*work.graph)
    return (*counts, None)


def _chunks(positions: int) -> list[Chunk]:
    return [(first, min(first + CHUNK, positions)) for first in range(0, positions, CHUNK)]


try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

LOCK = "lock"  # a file: where there is no `fcntl`, nobody else could read what is locked
READ = 1 << 20  # bytes at once


def table_name(rules: Rules, roots: Iterable[int] = (0,)) -> str:
    """The name of the folder for a table: the game, its pits, and a checksum of all that the values depend on."""
    needed = TableRules.of(rules)
    text = msgspec.json.encode([needed, sorted(roots)], order="deterministic")
    return f"{rules.id}-{needed.row}-{hashlib.sha256(text).hexdigest()[:8]}"


def build_table(
    folder: Path,
    rules: Rules,
    seeds: int,
    roots: Iterable[int] = (0,),
    workers: int = 1,
    memory: int = MEMORY,
    report: Report = lambda seeds, sweep, done, positions: None,
    finished: Callable[[TableLayer], None] = lambda layer: None,
) -> TableHeader:
    """Build the table of all positions with up to `seeds` seeds in ordinary pits, in `folder`, or finish it.

    `roots`: the patterns of special and closed pits that it starts from (`coverage.pattern_of`). Layers that are there
    already are checked and kept. `workers`: threads; `memory`: see `LayerSolver`. `finished` is called with each layer
    when it is stored.
    :raises TableError: there can be no such table, or another process is building it.
    """
    needed = TableRules.of(rules)
    roots = sorted(set(roots))
    keys = layers_of(needed, seeds, roots)
    folder.mkdir(parents=True, exist_ok=True)
    with _lock(folder), (folder / VALUES).open("ab+") as file:
        header = _begun(folder, needed, seeds, roots, keys, rules.id)
        if header.covered >= seeds:
            return header
        file.truncate(header.size)
        tables = TableSet(needed.row, keys, needed.win_at, needed.total)
        attach_values(folder, header, tables)
        solver = LayerSolver(needed, tables, workers, memory)
        for count in range(len(header.layers), seeds + 1):
            solved = solver.solve(count, report)
            width, codes, values = solver.encode(count, solved)
            checksum = hashlib.sha256()
            start = file.seek(0, os.SEEK_END)
            for part in values:
                file.write(part)
                checksum.update(part)
            file.flush()
            os.fsync(file.fileno())
            layer = TableLayer(
                seeds=count,
                positions=solved.positions,
                patterns=len(keys[count]),
                start=start,
                width=width,
                codes=codes,
                differing=solved.differing,
                unsettled=solved.unsettled,
                sweeps=solved.sweeps,
                keys=keys_sum(keys[count]),
                sha256=checksum.hexdigest(),
            )
            header = msgspec.structs.replace(header, layers=[*header.layers, layer])
            write_header(folder, header)
            attach_values(folder, header, tables)
            finished(layer)
    return header


def check_table(
    folder: Path, workers: int = 1, report: Report = lambda seeds, sweep, done, positions: None
) -> TableHeader:
    """Check a table: the checksum of each layer, and that each position follows in one step from those it leads to.

    :raises TableError: a layer is damaged or wrong; says which.
    """
    table = Table(folder)
    solver = LayerSolver(table.header.rules, table.set, workers)
    for layer in table.header.layers:
        _verify_layer(folder, layer)
        wrong = solver.check(layer.seeds, report)
        if wrong:
            raise TableError(
                f"{folder / VALUES}: {wrong} of the {layer.positions} positions with {layer.seeds} seeds do not follow "
                "from the positions that their turns lead to. Delete the table and build it again"
            )
    return table.header


def _begun(
    folder: Path, rules: TableRules, seeds: int, roots: list[int], keys: list[list[int]], game: str
) -> TableHeader:
    """The header to go on from: with the layers that are in the folder, and whole, and the same in this table."""
    fresh = TableHeader(
        format=FORMAT,
        game=game,
        family=rules.family,
        options=rules.options,
        rest_counts=rules.rest_counts,
        repeats_at_zero=rules.repeats_at_zero,
        win_at=rules.win_at,
        total=rules.total,
        seeds=seeds,
        roots=roots,
        version=__version__,
    )
    if not (folder / HEADER).exists():
        return fresh
    found = read_header(folder)
    table_set(folder, found)
    if found.rules != rules or found.roots != roots:
        raise TableError(f"{folder / HEADER}: a table for other rules or special pits. Choose another folder")
    kept: list[TableLayer] = []
    for layer in found.layers:
        if layer.seeds <= seeds and layer.keys != keys_sum(keys[layer.seeds]):
            break  # with more seeds there are more patterns
        try:
            _verify_layer(folder, layer)
        except TableError:
            break  # it is built again
        kept.append(layer)
    if len(kept) == len(found.layers) > seeds:
        return found  # it has more than is asked for
    return msgspec.structs.replace(fresh, layers=kept)


def _verify_layer(folder: Path, layer: TableLayer) -> None:
    """:raises TableError: the layer's values are not those that its checksum was made of."""
    checksum = hashlib.sha256()
    left = layer.size
    with (folder / VALUES).open("rb") as file:
        file.seek(layer.start)
        while left > 0 and (part := file.read(min(left, READ))):
            checksum.update(part)
            left -= len(part)
    if left or checksum.hexdigest() != layer.sha256:
        raise TableError(
            f"{folder / VALUES}: the values of the positions with {layer.seeds} seeds are damaged: their checksum "
            "differs. Build the table again: it keeps what is whole"
        )


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """Hold the table for the block.

    :raises TableError: another process holds it.
    """
    with (folder / (LOCK if fcntl is None else VALUES)).open("ab") as file:
        try:
            if fcntl is None:
                import msvcrt

                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError) as error:
            raise TableError(f"{folder}: another process is building this table. Wait until it is done") from error
        yield
