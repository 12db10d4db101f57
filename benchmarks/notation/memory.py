"""The memory that reading needs: ``python -m benchmarks.notation.memory --size 1000``.

Makes a temporary file of records with that many million characters, by repeating games with a clock beside every move.
Another process reads it; the output is its peak memory and the time. ``--with validate`` runs the command, which also
replays every game.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .. import corpus

READ = "import sys; from records import read_games; print(sum(1 for _ in read_games(sys.argv[1])))"


def main() -> None:
    parser = argparse.ArgumentParser(description="The memory that reading takes.")
    parser.add_argument("--size", type=float, default=1000, help="millions of characters")
    parser.add_argument("--with", dest="way", choices=("read", "validate"), default="read")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.pmn"
        made = corpus.make(Path(folder), 300, "clocks", "enkeshui")
        text = made.pmn.read_text("utf-8")
        times = max(1, round(options.size * 1e6 / len(text)))
        with path.open("w", encoding="utf-8") as file:
            for _ in range(times):
                file.write(text)
        command = ["-c", READ] if options.way == "read" else ["-m", "service.cli", "validate"]
        began = time.perf_counter()
        text = subprocess.run([sys.executable, *command, str(path)], check=True, capture_output=True, text=True).stdout
        seconds = time.perf_counter() - began
        size = path.stat().st_size / 1e6
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / (1024 if sys.platform == "linux" else 1024**2)
        plies = times * made.plies
        print(f"{options.way}: {size:,.0f} MB, {times * made.games:,} games, {plies:,} plies; text: {text.strip()}")
        print(f"{seconds:,.1f} s, {size / seconds:.1f} MB/s, {plies / seconds:,.0f} plies/s")
        print(f"most memory: {most:.0f} MB")


if __name__ == "__main__":
    main()
