"""What storing is measured against: the same rows, stored by `sqlite3` alone."""

from __future__ import annotations

import sqlite3
import time
from operator import itemgetter
from pathlib import Path

BATCH = 1000  # games that are stored together


def plain(folder: Path, filled: Path, batch: int = BATCH) -> float:
    """Seconds that `sqlite3` takes for the rows of `filled`, so many games in each commit, in a new file with the same
    tables."""
    source = sqlite3.connect(filled)
    target = sqlite3.connect(folder / f"plain-{batch}.sqlite3", isolation_level=None)
    target.execute("PRAGMA journal_mode = WAL")
    target.execute("PRAGMA synchronous = FULL")
    for (statement,) in source.execute(
        "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
    ):
        target.execute(statement)
    seconds = 0.0
    last = source.execute("SELECT max(number) FROM games").fetchone()[0]
    for first in range(1, last + 1, batch):
        between = f"BETWEEN {first} AND {first + batch - 1}"
        rows = [
            (table, source.execute(f"SELECT * FROM {table} WHERE {where}").fetchall())
            for table, where in (
                ("games", f"number {between}"),
                ("events", f"number {between}"),
                ("players", f"number {between}"),
                ("positions", f"number {between}"),
            )
        ]
        began = time.perf_counter()
        target.execute("BEGIN IMMEDIATE")
        for table, values in filter(itemgetter(1), rows):
            marks = ", ".join("?" * len(values[0]))
            target.executemany(f"INSERT INTO {table} VALUES ({marks})", values)
        target.execute("COMMIT")
        seconds += time.perf_counter() - began
    source.close()
    target.close()
    return seconds
