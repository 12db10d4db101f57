"""``python -m tests.faults``: plays sessions of every kind; prints what happened in them, and how to repeat failures.

Exit status 1: a wrong turn was recorded, a turn was lost without a logged gap, or a game did not go on.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

import click

from tests.faults.sessions import KINDS, Outcome, play_chunk

CHUNK = 50  # sessions that share a database


@click.command()
@click.option(
    "--sessions",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="Number of sessions; the kinds take turns.",
)
@click.option(
    "--seed",
    type=int,
    default=1,
    show_default=True,
    help="Seed of all random draws: the same seed plays the same sessions.",
)
@click.option("--fault", "kinds", type=click.Choice(tuple(KINDS)), multiple=True, help="Only these kinds.  [all]")
@click.option("--only", type=click.IntRange(0), help="Play only session number N, as the report of a failure says.")
@click.option("--jobs", type=click.IntRange(1, 64), default=2, show_default=True, help="Processes.")
def main(sessions: int, seed: int, kinds: tuple[str, ...], only: int | None, jobs: int) -> None:
    """Play games with faults through the whole chain in virtual time, and check the records."""
    began = time.monotonic()
    kinds = kinds or tuple(KINDS)
    wanted = [(number, kinds[number % len(kinds)]) for number in range(sessions)]
    if only is not None:
        wanted = [(only, kind) for kind in kinds]
    figures = {kind: Counter[str]() for kind in kinds}
    failed = 0
    for number, outcome in _all(wanted, seed, jobs):
        figures[outcome.kind] += outcome.figures
        if outcome.faults:
            failed += 1
            figures[outcome.kind]["failed"] += 1
            click.echo(f"session {number}, {outcome.kind}:")
            for fault in outcome.faults:
                click.echo(f"  {fault}")
            click.echo(f"  repeat with: python -m tests.faults --seed {seed} --fault {outcome.kind} --only {number}")
    for kind, counts in figures.items():
        click.echo(f"{kind}: {', '.join(f'{count} {name}' for name, count in counts.items())}")
    done = sum(count["sessions"] for count in figures.values())
    click.echo(f"{done} sessions in {time.monotonic() - began:.0f} s, {failed} failed")
    if failed:
        raise SystemExit(1)


def _all(wanted: list[tuple[int, str]], seed: int, jobs: int) -> Iterator[tuple[int, Outcome]]:
    """Yield the outcomes as they come."""
    chunks = [wanted[at : at + CHUNK] for at in range(0, len(wanted), CHUNK)]
    if jobs == 1 or len(chunks) == 1:
        for chunk in chunks:
            yield from play_chunk(chunk, seed)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        for future in as_completed([pool.submit(play_chunk, chunk, seed) for chunk in chunks]):
            yield from future.result()


if __name__ == "__main__":
    main()
