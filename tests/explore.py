"""Run the properties of the quick tier with new examples each time: ``python -m tests.explore --minutes 10``.

The tests use the same examples in every run. What this finds becomes an `@example` of its test.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time

import click


@click.command()
@click.option("--minutes", type=float, default=10.0, show_default=True, help="Begin no further run after them.")
@click.option("--seed", type=int, help="Of the first run; each further run has the next. Drawn if it is missing.")
def main(minutes: float, seed: int | None) -> None:
    """Run the properties again and again, and stop at the first failure."""
    seed = random.SystemRandom().randrange(10**9) if seed is None else seed
    until = time.monotonic() + 60 * minutes
    while True:
        click.echo(f"seed {seed}")
        options = ["-n", "auto", "-m", "hypothesis and not slow", "--hypothesis-profile=explore"]
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", *options, f"--hypothesis-seed={seed}"], check=False
        )
        if done.returncode or time.monotonic() > until:
            raise SystemExit(done.returncode)
        seed += 1


if __name__ == "__main__":
    main()
