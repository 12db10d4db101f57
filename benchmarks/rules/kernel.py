"""The kernel against a plain C loop of the same rules: perft of Enkeshui on 2×8 without choice of direction.

    python -m benchmarks.rules.kernel [--depth 9] [--rounds 5]

Both run in turn, A B A B …, and must count the same; the ratio is of the medians of processor time.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from records import ruleset


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--depth", type=int, default=9)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    rules = ruleset("enkeshui", pits=8, direction_choice="none", kernel="compiled")
    turns = sum(rules.perft(rules.start(), depth) for depth in range(1, options.depth + 1))
    ours: list[float] = []
    theirs: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "enkeshui"
        subprocess.run(["cc", "-O3", "-o", program, Path(__file__).with_name("enkeshui.c")], check=True)
        for _ in range(options.rounds):
            began = time.thread_time()
            count = rules.perft(rules.start(), options.depth)
            ours.append(time.thread_time() - began)
            answer = subprocess.run([program, str(options.depth)], check=True, capture_output=True, text=True).stdout
            other, seconds = answer.split()
            theirs.append(float(seconds))
            assert count == int(other), f"the kernel counts {count}, the C loop {other}"
    kernel, plain = statistics.median(ours), statistics.median(theirs)
    print(f"perft({options.depth}) = {count}, {turns:,} turns sown")
    print(f"kernel  {turns / kernel:14,.0f} turns/s")
    print(f"C loop  {turns / plain:14,.0f} turns/s")
    print(f"ratio   {plain / kernel:14.2f}")


if __name__ == "__main__":
    main()
