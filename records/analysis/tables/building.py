"""Building and checking tables. A build that was stopped goes on after the last layer it had finished."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from inkeek.records.kernel.endgame import TableSet
from inkeek.records.rules.play import Rules
from inkeek.records.version import __version__

from . import Table, attach_values
from .coverage import TableRules, layers_of
from .errors import TableError
from .header import FORMAT, HEADER, VALUES, TableHeader, TableLayer, keys_sum, read_header, table_set, write_header
from .layers import MEMORY, LayerSolver, Report

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

LOCK = "lock"  # a file: where there is no `fcntl`, nobody else could read what is locked
READ = 1 << 20  # bytes at once


def _silent(seeds: int, sweep: int, done: int, positions: int) -> None:
    pass


def _unheard(layer: TableLayer) -> None:
    pass


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
    report: Report = _silent,
    finished: Callable[[TableLayer], None] = _unheard,
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


def check_table(folder: Path, workers: int = 1, report: Report = _silent) -> TableHeader:
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
