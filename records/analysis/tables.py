"""Endgame tables: exact values of all positions with few seeds in ordinary pits (`docs/tables.md`).

tables = records.analysis.tables.open(folder)
tables.value(rules, position)
"""

from __future__ import annotations

import hashlib
import mmap
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from queue import SimpleQueue
from typing import Annotated, Any

import msgspec

from inkeek.records.errors import RecordsError
from inkeek.records.kernel.codes import MOST_PITS, NORTHS_AT, NOT_IN_TABLE, STORE_AT
from inkeek.records.kernel.endgame import Retrograde, TableSet, positions_of, unpack
from inkeek.records.kernel.loader import Kernels
from inkeek.records.kernel.sowing import Kernel
from inkeek.records.position import NORTHS, SOUTHS, Position
from inkeek.records.rules.play import Rules
from inkeek.records.rules.ruleset import load_ruleset
from inkeek.records.rules.table import OWN_CODE, Family
from inkeek.records.structs import decode_json
from inkeek.records.version import __version__

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


class TableError(RecordsError):
    """A table that cannot be built, or files that are damaged or not a table."""


# Which positions a table holds: under which rules, with which special and closed pits, and with how many seeds.
#
# A pattern's key has a bit for each special or closed pit, the side to move first, then a bit for each of these that is
# the opponent's (`records.kernel.endgame`). A table is closed: each turn from a position in it leads to another one. A
# turn that makes a pit special takes its seeds out of play, so that with each further special pit fewer seeds are left:
#
# * Enkeshui: a bull takes 4 seeds, a pair of bulls 7. Two bulls of a pair stand side by side, or with `skip_origin`
#   also one pit apart.
# * Layli Goobalay: two uur, opposite each other, take 4.

MAX_SEEDS = 100  # in ordinary pits
MAX_PATTERNS = 50_000
MAX_POSITIONS = 1 << 40

# Options that change no value: what happens before the first turns, in a match, or when positions repeat.
_NO_MATTER = frozenset(
    [
        "setup",
        "seeds",
        "first_move",
        "bulls_on_first_move",
        "rearrangement",
        "rearrange_into_bulls",
        "race",
        "race_keeps_position",
        "race_won",
        "repetition",
        "match",
        "starter",
        "round_starter",
        "closing",
    ]
)


@dataclass(frozen=True)
class TableRules:
    """The rules that the values of a table depend on; games that agree in these share their tables.

    `rest_counts`: whether seeds in ordinary pits count at the end. `repeats_at_zero`: whether a repetition ends the
    game and nobody gets these; then no value depends on the game before. `win_at`: the store that ends the game, 0 if
    none does; `total`: all seeds of the game if the values depend on them, else 0.
    """

    family: str
    options: dict[str, bool | int | str]
    rest_counts: bool
    repeats_at_zero: bool = False
    win_at: int = 0
    total: int = 0

    @property
    def row(self) -> int:
        return int(self.options["pits"])

    @cached_property
    def facts(self) -> Family:
        """What is true of the game."""
        info = load_ruleset(self.family)
        return info.family_under({**info.resolve({}, laid_out=False), **self.options})

    @classmethod
    def of(cls, rules: Rules) -> TableRules:
        """The rules of a game, as its tables need them.

        :raises TableError: no table can hold the values of this game.
        """
        if rules.options.get("rearrangement") == "any-turn":
            raise TableError(
                f"{rules.id} with rearrangement=any-turn: tables hold sowing turns only. Build with "
                "rearrangement=initial or rearrangement=none"
            )
        if not rules.info.family:
            raise TableError(f"{rules.id} is only a table of rules: endgame tables hold {', '.join(OWN_CODE)}")
        if 2 * rules.row > MOST_PITS:
            raise TableError(f"{rules.row} pits in a row: tables hold boards of up to {MOST_PITS // 2}")
        options = {name: value for name, value in sorted(rules.options.items()) if name not in _NO_MATTER}
        rest_counts = rules.info.remaining_seeds != "nobody"
        majority = bool(rules.options.get("majority_end"))
        return cls(
            rules.info.family,
            options,
            rest_counts,
            not rest_counts and rules.options["repetition"] != 0,
            rules.info.seeds_on_board(rules.options) // 2 + 1 if majority else 0,
            rules.seeds if majority else 0,
        )

    def kernel_options(self) -> dict[str, Any]:
        """The options of a kernel that solves or looks up."""
        return {**self.options, "bulls_on_first_move": True}


def pattern_of(position: Position) -> int:
    """The key of a position's special and closed pits."""
    row = position.row
    key = 0
    for pit, mark in enumerate(position.marks):
        at = (pit - row * position.to_move) % (2 * row)
        if mark:
            key |= 1 << at
        if mark == (NORTHS, SOUTHS)[position.to_move]:
            key |= 1 << NORTHS_AT + at
    return key


def closing_patterns(row: int) -> list[int]:
    """The keys of all ways to close pits that leave each side one."""
    whole = (1 << row) - 1
    return [mine | theirs << row for mine in range(whole) for theirs in range(whole)]


def special_patterns(row: int, most: int) -> list[int]:
    """The keys of all ways to have up to `most` special pits.

    :raises TableError: there are too many.
    """
    found = layer = {0}
    for _ in range(most):
        layer = {
            key | 1 << pit | owner << NORTHS_AT + pit
            for key in layer
            for pit in range(2 * row)
            if not key >> pit & 1
            for owner in (0, 1)
        }
        found = found | layer
        _verify_patterns(len(found))
    return sorted(found)


def verify_roots(rules: TableRules, roots: Iterable[int]) -> None:
    """:raises TableError: a pattern is not possible in this game."""
    whole = (1 << 2 * rules.row) - 1
    half = (1 << rules.row) - 1
    for key in roots:
        marked, theirs = key & (1 << NORTHS_AT) - 1, key >> NORTHS_AT
        fits = key >= 0 and marked <= whole and not theirs & ~marked
        if load_ruleset(rules.family).closes_pits:
            fits = fits and not theirs and marked & half != half and marked >> rules.row != half
        elif not rules.facts.specials:
            fits = key == 0
        if not fits:
            raise TableError(f"pattern {key:#x}: no position of {rules.family} has such special or closed pits")


def layers_of(rules: TableRules, seeds: int, roots: Iterable[int]) -> list[list[int]]:
    """The keys of the patterns of each layer, for all numbers of seeds up to `seeds`.

    `roots` are the patterns that may have all of them; more follow from these.
    :raises TableError: there are too many patterns or positions, or a root is not possible.
    """
    roots = list(roots)
    if not 0 <= seeds <= MAX_SEEDS:
        raise TableError(f"{seeds} seeds: expected 0 to {MAX_SEEDS}")
    if rules.total and seeds > rules.total:
        raise TableError(f"{seeds} seeds: the game has {rules.total}")
    verify_roots(rules, roots)
    most: dict[int, int] = {}
    waiting = [(key, seeds) for key in roots]
    while waiting:
        key, left = waiting.pop()
        if left <= most.get(key, -1):
            continue
        most[key] = left
        _verify_patterns(len(most))
        waiting.append((_swap_sides(rules, key), left))
        waiting += [(after, left - taken) for after, taken in _next_patterns(rules, key) if taken <= left]
    layers: list[list[int]] = []
    total = 0
    for count in range(seeds + 1):
        keys = sorted(key for key, left in most.items() if left >= count)
        if rules.win_at:
            first = max(0, rules.total - count - rules.win_at + 1)
            stores = range(first, min(rules.win_at - 1, rules.total - count) + 1)
            keys = sorted(key | store << STORE_AT for key in keys for store in stores)
        layers.append(keys)
        total += sum(positions_of(2 * rules.row - (key & (1 << NORTHS_AT) - 1).bit_count(), count) for key in keys)
        if total > MAX_POSITIONS:
            raise TableError(f"more than {MAX_POSITIONS:,} positions of up to {seeds} seeds: ask for fewer seeds")
    return layers


def _swap_sides(rules: TableRules, key: int) -> int:
    row = rules.row
    marked, theirs = key & (1 << NORTHS_AT) - 1, key >> NORTHS_AT
    if rules.facts.specials:
        theirs = marked & ~theirs
    return _rotate_bits(marked, row) | _rotate_bits(theirs, row) << NORTHS_AT


def _rotate_bits(bits: int, row: int) -> int:
    return (bits >> row | bits << row) & (1 << 2 * row) - 1


def _next_patterns(rules: TableRules, key: int) -> Iterator[tuple[int, int]]:
    """The patterns that a turn can make of this one, and the seeds that it takes out of play at least."""
    size = 2 * rules.row
    free = [pit for pit in range(size) if not key >> pit & 1]
    specials = rules.facts.specials
    if specials == "opposite":
        for pit in free:
            if pit < rules.row and not key >> (size - 1 - pit) & 1:
                yield key | 1 << pit | 1 << size - 1 - pit, 4
    elif specials == "fours":
        for pit in free:
            yield key | 1 << pit, 4
            for apart in (1, 2) if rules.options["skip_origin"] else (1,):
                other = (pit + apart) % size
                if not key >> other & 1:
                    yield key | 1 << pit | 1 << other, 7


def _verify_patterns(count: int) -> None:
    if count > MAX_PATTERNS:
        raise TableError(
            f"more than {MAX_PATTERNS:,} patterns of special pits: ask for fewer seeds or special pits, or give a "
            "position whose special pits the table starts from"
        )


# A table's header: which rules and positions it is for, and where the values of each number of seeds lie.
#
# A table is a folder with `table.json` and `values.bin`. The header holds a checksum of itself and one of each layer. A
# hostile header must do no harm: what can be computed is not read but compared, and every number has bounds.

HEADER = "table.json"
VALUES = "values.bin"
FORMAT = 1
MAX_HEADER = 1 << 24  # bytes
MAX_NAME = 100  # characters

_Text = Annotated[str, msgspec.Meta(max_length=MAX_NAME)]
_Sum = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
_Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 50)]
_Seeds = Annotated[int, msgspec.Meta(ge=0, le=1024)]


class TableLayer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The positions with one number of seeds in ordinary pits.

    `start`: where they begin in the file; `width`: bytes of each. With one byte, `codes` are the bounds that each
    stands for; with two, the bytes are the bounds plus 128. `differing`: positions whose value depends on repetition.
    `unsettled`: turns refused because they neither ended nor repeated in time. `sweeps`: until no bound changed.
    """

    seeds: Annotated[int, msgspec.Meta(ge=0, le=MAX_SEEDS)]
    positions: _Count
    patterns: _Count
    start: _Count
    width: Annotated[int, msgspec.Meta(ge=1, le=2)]
    codes: Annotated[list[tuple[int, int]], msgspec.Meta(max_length=256)]
    differing: _Count
    unsettled: _Count
    sweeps: _Count
    keys: _Sum
    sha256: _Sum

    @property
    def size(self) -> int:
        """Bytes of its values."""
        return self.positions * self.width


class TableHeader(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a table is for, and the layers that are finished. `seeds`: those it is to have in the end."""

    format: int
    game: _Text
    family: _Text
    options: Annotated[dict[_Text, bool | int | _Text], msgspec.Meta(max_length=50)]
    rest_counts: bool
    repeats_at_zero: bool
    win_at: _Seeds
    total: _Seeds
    seeds: Annotated[int, msgspec.Meta(ge=0, le=MAX_SEEDS)]
    roots: list[Annotated[int, msgspec.Meta(ge=0, lt=1 << 52)]]
    version: _Text
    layers: Annotated[list[TableLayer], msgspec.Meta(max_length=MAX_SEEDS + 1)] = []

    @property
    def rules(self) -> TableRules:
        """The rules that the values depend on."""
        return TableRules(self.family, self.options, self.rest_counts, self.repeats_at_zero, self.win_at, self.total)

    @property
    def covered(self) -> int:
        """The most seeds of a finished layer, -1 if none is."""
        return len(self.layers) - 1

    @property
    def positions(self) -> int:
        """Positions with values."""
        return sum(layer.positions for layer in self.layers)

    @property
    def size(self) -> int:
        """Bytes of all values."""
        return sum(layer.size for layer in self.layers)


class _Sealed(msgspec.Struct, forbid_unknown_fields=True):
    sha256: str
    header: msgspec.Raw


def keys_sum(keys: list[int]) -> str:
    """A checksum of the patterns of a layer, in order."""
    return hashlib.sha256(b"".join(key.to_bytes(8, "little") for key in keys)).hexdigest()


def write_header(folder: Path, header: TableHeader) -> None:
    """Replace the header in one step: whoever reads it finds the old one or this one."""
    text = msgspec.json.encode(header)
    sealed = msgspec.json.encode(_Sealed(hashlib.sha256(text).hexdigest(), msgspec.Raw(text)))
    temporary = folder / f"{HEADER}.new"
    with temporary.open("wb") as file:
        file.write(sealed)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, folder / HEADER)


def read_header(folder: Path) -> TableHeader:
    """Read a table's header and check all that can be checked without its values.

    :raises TableError: it is damaged, or not a header; says what is wrong and where.
    :raises FileNotFoundError: the folder holds no table.
    """
    path = folder / HEADER
    with path.open("rb") as file:
        text = file.read(MAX_HEADER + 1)
    if len(text) > MAX_HEADER:
        raise TableError(f"{path}: larger than {MAX_HEADER} bytes: not a table's header")
    try:
        sealed = decode_json(text, _Sealed)
        header = decode_json(sealed.header, TableHeader)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise TableError(f"{path}: not a table's header: {error}") from error
    if hashlib.sha256(bytes(sealed.header)).hexdigest() != sealed.sha256:
        raise TableError(f"{path}: its checksum differs: the file is damaged. Build the table again")
    if header.format != FORMAT:
        raise TableError(f"{path}: format {header.format}: this version reads format {FORMAT}")
    return header


def table_set(folder: Path, header: TableHeader) -> tuple[TableSet, list[list[int]]]:
    """The index of a header's table, without values, and the patterns of its layers.

    :raises TableError: the header contradicts itself.
    """
    where = folder / HEADER
    row = header.options.get("pits")
    if isinstance(row, bool) or not isinstance(row, int) or not 1 <= row <= 13:
        raise TableError(f"{where}: pits is {row!r}: expected 1 to 13")
    rules = header.rules
    keys = layers_of(rules, header.seeds, header.roots)
    found = TableSet(row, keys, rules.win_at, rules.total)
    start = 0
    for seeds, layer in enumerate(header.layers):
        expected: dict[str, Any] = {
            "seeds": seeds,
            "positions": found.positions(seeds) if seeds < len(keys) else -1,
            "patterns": len(keys[seeds]) if seeds < len(keys) else -1,
            "start": start,
            "keys": keys_sum(keys[seeds]) if seeds < len(keys) else "",
        }
        for name, value in expected.items():
            if getattr(layer, name) != value:
                raise TableError(f"{where}: layer {seeds}: {name} is {getattr(layer, name)!r}: expected {value!r}")
        if any(not -seeds <= low <= high <= seeds for low, high in layer.codes):
            raise TableError(f"{where}: layer {seeds}: a code is no pair of bounds within {seeds} seeds")
        start += layer.size
    return found, keys


MAX_TABLES = 1000  # in one folder


class Table:
    """One table, open for reading: its values are mapped into memory, not read.

    :raises TableError: its files are damaged, or not a table.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.header: TableHeader = read_header(folder)
        self.set: TableSet
        self.set, self.keys = table_set(folder, self.header)
        attach_values(folder, self.header, self.set)
        options, seeds = self.header.rules.kernel_options(), 2 * max(self.header.win_at - 1, 0)
        self._kernels = Kernels(lambda: Kernel(self.header.rules.facts, options, seeds))

    def bounds(self, position: Position) -> tuple[int, int] | None:
        """The least and the greatest value, for the side to move, that any rule of repetition can give; None if the
        table does not have the position."""
        if position.row != self.header.rules.row:
            return None
        kernel = self._kernels.kernel
        kernel.load(*position)
        packed = self.set.bounds_of(kernel)
        if packed == NOT_IN_TABLE:
            return None
        low, high = unpack(packed)
        lead = position.stores[position.to_move] - position.stores[1 - position.to_move]
        return low + lead, high + lead


class Tables:
    """All tables of a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._found: dict[str, list[Table]] = {}
        for table in table_folders(folder):
            opened = Table(table)
            self._found.setdefault(repr(opened.header.rules), []).append(opened)

    def tables_for(self, rules: Rules) -> list[Table]:
        """The tables of a game, the largest first."""
        try:
            found = self._found.get(repr(TableRules.of(rules)), [])
        except TableError:
            return []
        return sorted(found, key=lambda table: -table.header.positions)

    def set_for(self, rules: Rules, any_repetition: bool = False) -> TableSet | None:
        """The largest table of a game, for a search to probe; None if there is none, or if its values shall hold under
        any rule of repetition and do not."""
        found = self.tables_for(rules)
        if not found or (any_repetition and found[0].header.repeats_at_zero):
            return None
        return found[0].set

    def bounds(self, rules: Rules, position: Position) -> tuple[int, int] | None:
        """The least and the greatest difference of seeds at the end of the game, the side to move less the other, that
        best play can lead to; None if no table has the position. They differ where the value depends on repetition."""
        if not rules.options.get("bulls_on_first_move", True) and position.ply < 2:
            return None
        if rules.options.get("first_move") == "right-end" and position.ply == 0:
            return None
        for table in self.tables_for(rules):
            if 0 < table.header.win_at <= max(position.stores):
                score = rules.final_score(position)
                return (score[position.to_move] - score[1 - position.to_move],) * 2
            found = table.bounds(position)
            if found is not None:
                return found
        return None

    def value(self, rules: Rules, position: Position) -> int | None:
        """The difference of seeds at the end of the game under best play, the side to move less the other.

        None if no table has the position, or its value depends on repetition. It holds under any rule of repetition in
        a game in which no position since the last capture has come up before.
        """
        found = self.bounds(rules, position)
        return found[0] if found is not None and found[0] == found[1] else None


def open(folder: Path) -> Tables:
    """All tables of a folder; none if there is no such folder.

    :raises TableError: one of them is damaged.
    """
    return Tables(folder)


def table_folders(folder: Path) -> Iterator[Path]:
    """The folders of all tables in a folder, by name."""
    if folder.is_dir():
        found = sorted(path.parent for path in folder.glob(f"*/{HEADER}"))
        if len(found) > MAX_TABLES:
            raise TableError(f"{folder}: {len(found)} tables: expected at most {MAX_TABLES}")
        yield from found


def attach_values(folder: Path, header: TableHeader, tables: TableSet) -> None:
    """Map the values of a table's finished layers into memory.

    :raises TableError: there are fewer of them than the header says.
    """
    path = folder / VALUES
    layers = [(layer.start, layer.width, layer.codes) for layer in header.layers]
    if not layers:
        return
    try:
        with path.open("rb") as file:
            values = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise TableError(f"{path}: {error}") from error
    if len(values) < header.size:
        raise TableError(f"{path}: {len(values)} bytes: expected {header.size}. Build the table again")
    tables.attach(values, layers)


# Building and checking tables. A build that was stopped goes on after the last layer it had finished.

# Solving a layer of a table: sweeps over its positions, in several threads, until no bound changes.

CHUNK = 1 << 15  # positions that a thread works out at once
MEMORY = 1 << 30  # bytes

Chunk = tuple[int, int]
Report = Callable[[int, int, int, int], None]
"""Called with the seeds of the layer, the number of the sweep, positions looked at in it and positions of the layer."""


@dataclass
class SolvedLayer:
    """The bounds of a layer's positions, and what they took: see `TableLayer`."""

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

    `roots`: the patterns of special and closed pits that it starts from (`pattern_of`). Layers that are there
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
