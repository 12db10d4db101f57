"""The kernel against plain C loops, each written for one game: perft from the start, with default options.

    python -m benchmarks.rules.kernel [--game oware] [--depth 9] [--rounds 5]

Both run in turn, A B A B …, and must count the same; the ratio is of the medians of processor time.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from inkeek.records import ruleset, ruleset_ids
from inkeek.records.notation.tags import format_options
from inkeek.records.rules.ruleset import Value

# The game, the options that are not defaults, its name in loops.c, and a depth that takes about a second
GAMES: list[tuple[str, dict[str, Value], str, int]] = [
    ("enkeshui", {"pits": 8, "direction_choice": "none"}, "SMALL_ENKESHUI", 9),
    ("enkeshui", {}, "ENKESHUI", 7),
    ("enkeshui-wikipedia", {}, "ENKESHUI_WIKIPEDIA", 8),
    ("anywoli", {}, "ANYWOLI", 6),
    ("layli-goobalay", {}, "LAYLI_GOOBALAY", 7),
    ("bof", {}, "BOF", 12),
    ("oware", {}, "OWARE", 9),
    ("kalah", {}, "KALAH", 10),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=ruleset_ids())
    parser.add_argument("--depth", type=int)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    print("| rule set | options | perft | kernel, turns/s | C loop, turns/s | ratio |")
    print("|---|---|--:|--:|--:|--:|")
    for id, options, name, depth in GAMES:
        if id == (given.game or id):
            figures = compare(id, options, name, given.depth or depth, given.rounds)
            print(f"| {id} | {format_options(options)} | {figures} |", flush=True)


def compare(id: str, options: dict[str, Value], name: str, depth: int, rounds: int) -> str:
    """Return the count, the turns per second of both, and their ratio."""
    rules = ruleset(id, kernel="compiled", **options)
    turns = sum(rules.perft(rules.start(), depth) for depth in range(1, depth + 1))
    ours: list[float] = []
    theirs: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "loop"
        source = Path(__file__).with_name("loops.c")
        subprocess.run(["cc", "-O3", f"-DGAME={name}", "-o", program, source], check=True)
        for _ in range(rounds):
            began = time.thread_time()
            count = rules.perft(rules.start(), depth)
            ours.append(time.thread_time() - began)
            answer = subprocess.run([program, str(depth)], check=True, capture_output=True, text=True).stdout
            other, seconds = answer.split()
            theirs.append(float(seconds))
            assert count == int(other), f"the kernel counts {count}, the C loop {other}"
    kernel, plain = statistics.median(ours), statistics.median(theirs)
    return f"perft({depth}) = {count:,} | {turns / kernel:,.0f} | {turns / plain:,.0f} | {plain / kernel:.2f}"


if __name__ == "__main__":
    main()
