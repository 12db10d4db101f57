"""The perft tables: ``python -m tests.records.perft_tables`` counts them again; ``--write --seconds 20`` rewrites them.

`tests/data/perft.json` holds, for every rule set and the boards and options it is played with, how many sequences of
exactly 1, 2, 3 … turns there are from the start and from some positions of its games; `make docs` writes them into
`docs/perft.md`. To add one, write its rule set, options and position into the file, with no counts, and rewrite it.
When rewritten, a table goes as deep as the time allows on this machine: only its depth depends on the machine, not its
numbers.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from inkeek.records import Position, Rules, ruleset
from inkeek.records.notation.tags import format_options
from inkeek.records.rules.ruleset import Value

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data" / "perft.json"
MAX_DEPTH = 60  # of a table: where every sequence ends in a pass, it would never be deep enough


@dataclass(frozen=True)
class Table:
    """`counts[k]` is how many sequences of exactly `k + 1` turns there are from `position`."""

    game: str
    options: dict[str, Value]
    position: str
    counts: tuple[int, ...]

    @property
    def name(self) -> str:
        where = f" from {self.position}" if self.laid_out else ""
        return " ".join([self.game, *format_options(self.options).split()]) + where

    @property
    def laid_out(self) -> bool:
        """Whether it is counted from a position of its own, not from the start."""
        return self.position != str(ruleset(self.game, **self.options).start())

    def start(self, kernel: str | None = None) -> tuple[Rules, Position]:
        """The rules, and the position that is counted from."""
        position = Position.parse(self.position)
        return ruleset(self.game, kernel=kernel, **self.options).starting_from(position), position

    def depth_within(self, sequences: int) -> int:
        """The greatest depth down to which there are, all in all, no more sequences than that."""
        depth = 0
        for count in self.counts:
            sequences -= count
            if sequences < 0:
                break
            depth += 1
        return depth

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Table:
        return cls(data["game"], data["options"], data["position"], tuple(data["counts"]))

    def to_json(self) -> dict[str, Any]:
        return {"game": self.game, "options": self.options, "position": self.position, "counts": list(self.counts)}


def load() -> list[Table]:
    """The tables as they were counted and stored."""
    return [Table.from_json(data) for data in json.loads(DATA.read_text("utf-8"))["tables"]]


def stored(tables: list[Table]) -> str:
    """What `tests/data/perft.json` holds: a table a line."""
    lines = ",\n".join("  " + json.dumps(table.to_json(), ensure_ascii=False) for table in tables)
    return f'{{"tables": [\n{lines}\n]}}\n'


def _count_deeper(table: Table, counts: Connection) -> None:
    rules, position = table.start()
    for depth in range(1, MAX_DEPTH + 1):
        counts.send(rules.perft(position, depth))


def counted(table: Table, seconds: float) -> Table:
    """The table as deep as it can be counted in so long; it ends at the first depth of which there is no sequence."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    worker = multiprocessing.Process(target=_count_deeper, args=(table, theirs), daemon=True)
    worker.start()
    counts: list[int] = []
    until = time.monotonic() + seconds
    while len(counts) < MAX_DEPTH and (not counts or counts[-1]):
        left = until - time.monotonic()
        if left <= 0 or not ours.poll(left):
            break
        counts.append(ours.recv())
    worker.kill()  # it cannot be interrupted while it counts
    worker.join()
    return Table(table.game, table.options, table.position, tuple(counts))


def main() -> int:
    parser = argparse.ArgumentParser(description="Count the perft tables again, or rewrite them.")
    parser.add_argument("--write", action="store_true", help="rewrite them")
    parser.add_argument("--seconds", type=float, default=20, help="time for each rewritten table")
    options = parser.parse_args()
    if options.write:
        tables = []
        for table in load():
            tables.append(counted(table, options.seconds))
            print(f"{tables[-1].name}: {len(tables[-1].counts)} turns deep", file=sys.stderr)
        DATA.write_text(stored(tables), "utf-8")
        return 0
    wrong = 0
    for table in load():
        rules, position = table.start()
        for depth, count in enumerate(table.counts, 1):
            if (got := rules.perft(position, depth)) != count:
                print(f"{table.name}: {got:,} sequences of {depth} turns, not {count:,}")
                wrong += 1
                break
        else:
            print(f"{table.name}: {len(table.counts)} turns deep, as stored")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
