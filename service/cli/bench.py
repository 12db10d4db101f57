"""``inkeek bench``: measure speed on this machine."""

from __future__ import annotations

import time

import click

from inkeek.records import ruleset, ruleset_ids
from inkeek.records.kernel.loader import MODES

from .options import Number, as_json, emit


@click.group()
def bench() -> None:
    """Measure speed on this machine."""


@bench.command()
@click.option("--seconds", type=Number(0.05, 60), default=1.0, show_default=True, help="Time per figure.")
@as_json("one object per game: `game`, `compiled`, `interpreted` (null if it was not built)")
def sow(seconds: float, as_json: bool) -> None:
    """Measure how many turns per second the kernel sows, compiled and interpreted."""
    if not as_json:
        click.echo(f"{'rule set':20} {'compiled':>14} {'interpreted':>14} {'ratio':>8}   turns per second")
    for id in ruleset_ids():
        speed: dict[str, float | None] = {}
        for mode in MODES:
            try:
                speed[mode] = turns_per_second(id, mode, seconds)
            except ImportError:
                speed[mode] = None
        compiled, interpreted = speed["compiled"], speed["interpreted"]
        if as_json:
            emit({"game": id, **speed})
        else:
            ratio = f"{compiled / interpreted:.0f}" if compiled and interpreted else "-"
            built = f"{compiled:14,.0f}" if compiled else f"{'not built':>14}"
            click.echo(f"{id:20} {built} {interpreted:14,.0f} {ratio:>8}")


def turns_per_second(id: str, mode: str, seconds: float) -> float:
    """Run perft from the start, deeper and deeper, for `seconds`; return turns sown per second.

    :raises ImportError: this mode of the kernel was not built.
    """
    rules = ruleset(id, kernel=mode)
    start = rules.start()
    began = time.perf_counter()
    turns, depth = 0, 1
    shallower = 0  # perft to one depth also sows the turns of all shallower depths
    while (passed := time.perf_counter() - began) < seconds:
        shallower += rules.perft(start, depth)
        turns += shallower
        depth += 1
    return turns / passed
