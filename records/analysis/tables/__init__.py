"""Endgame tables: exact values of all positions with few seeds in ordinary pits (`docs/tables.md`).

tables = records.analysis.tables.open(folder)
tables.value(rules, position)
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path

from inkeek.records.kernel.codes import NOT_IN_TABLE
from inkeek.records.kernel.endgame import TableSet, unpack
from inkeek.records.kernel.loader import Kernels
from inkeek.records.kernel.sowing import Kernel
from inkeek.records.position import Position
from inkeek.records.rules.families import FAMILIES
from inkeek.records.rules.play import Rules

from .coverage import TableRules
from .errors import TableError
from .header import HEADER, VALUES, TableHeader, read_header, table_set

__all__ = ["Table", "TableError", "Tables", "open", "table_folders"]

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
        self._kernels = Kernels(lambda: Kernel(FAMILIES[self.header.family], options, seeds))

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
