"""``inkeek bench``: how fast this machine is at the project's work."""

from __future__ import annotations

import time

import click

from records import ruleset, ruleset_ids
from records.kernel.loader import MODES

from .records import as_json, emit


@click.group("bench")
def bench() -> None:
    """Measure speed on this machine."""


@bench.command("sow")
@click.option("--seconds", type=click.FloatRange(0.05, 60), default=1.0, show_default=True, help="Time for each line.")
@as_json
def sow(seconds: float, as_json: bool) -> None:
    """Turns a second that the kernel sows from the start of each game, compiled and interpreted."""
    if not as_json:
        click.echo(f"{'rule set':20} {'compiled':>14} {'interpreted':>14} {'ratio':>8}   turns a second")
    for id in ruleset_ids():
        speed: dict[str, float | None] = {}
        for mode in MODES:
            try:
                speed[mode] = turns_a_second(id, mode, seconds)
            except ImportError:
                speed[mode] = None
        compiled, interpreted = speed["compiled"], speed["interpreted"]
        if as_json:
            emit({"game": id, **speed})
        else:
            ratio = f"{compiled / interpreted:.0f}" if compiled and interpreted else "-"
            told = f"{compiled:14,.0f}" if compiled else f"{'not built':>14}"
            click.echo(f"{id:20} {told} {interpreted:14,.0f} {ratio:>8}")


def turns_a_second(id: str, mode: str, seconds: float) -> float:
    """Turns sown for perft from the start, deeper and deeper, until `seconds` are over.

    :raises ImportError: this mode of the kernel was not built.
    """
    rules = ruleset(id, kernel=mode)
    start = rules.start()
    began = time.perf_counter()
    turns, depth = 0, 1
    # The turns sown for a depth are those of all the depths above it too.
    above = 0
    while (passed := time.perf_counter() - began) < seconds:
        count = rules.perft(start, depth)
        above += count
        turns += above
        depth += 1
    return turns / passed


commands = [bench]
