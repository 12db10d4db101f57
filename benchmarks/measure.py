"""Run a benchmark and store what it prints: ``python -m benchmarks.measure service.throughput --seconds 5``.

The result, `results/throughput.json`, says the command, the day, the machine, how busy it was, the commit, and the
figures: tables as columns and rows, other output as lines. ``make docs`` writes them into docs/benchmarks.md. To keep
several results of one benchmark, give ``--as NAME`` first.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Result:
    """What a benchmark printed. `figures` are tables (`columns`, `rows`) and other output (`lines`)."""

    command: str
    date: str
    machine: str
    load: str
    commit: str
    figures: list[dict[str, Any]]


def read_result(name: str) -> Result:
    """Return a stored result."""
    return Result(**json.loads((RESULTS / f"{name}.json").read_text("utf-8")))


def write_result(name: str, result: Result) -> None:
    """Store a result, with each row of a table on a line of its own."""
    text = json.dumps(asdict(result), ensure_ascii=False, indent=2)
    text = re.sub(r"\[\s+(\"[^\[\]]*?\")\s+\]", lambda match: "[" + re.sub(r"\s*\n\s*", " ", match[1]) + "]", text)
    (RESULTS / f"{name}.json").write_text(text + "\n", "utf-8")


def figures_of(output: str) -> Iterator[dict[str, Any]]:
    """Yield the tables of an output in Markdown, and the lines between them."""
    lines = (line for line in output.splitlines() if line.strip())
    for is_table, group in groupby(lines, key=lambda line: line.startswith("|")):
        if not is_table:
            yield {"lines": list(group)}
            continue
        columns, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in group)
        yield {"columns": columns, "rows": rows}


def main(arguments: list[str]) -> int:
    stored_as = ""
    if arguments[0] == "--as":
        _, stored_as, *arguments = arguments
    benchmark, *options = arguments
    load = os.getloadavg()[0]
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{benchmark}", *options], stdout=subprocess.PIPE, text=True, check=True
    )
    print(done.stdout, end="")
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True).stdout
    result = Result(
        shlex.join(["python", "-m", f"benchmarks.{benchmark}", *options]),
        date.today().isoformat(),
        f"{os.cpu_count()} cores, Python {platform.python_version()}",
        f"{load:.1f} runnable programs before",
        commit.strip(),
        list(figures_of(done.stdout)),
    )
    write_result(stored_as or benchmark.rpartition(".")[2], result)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
