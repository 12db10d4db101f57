"""`inkeek board calibrate`: scales are tared and learn what seeds weigh."""

from __future__ import annotations

from time import monotonic as clock

import click

from drivers.calibration import Calibrator
from drivers.errors import DriverError
from drivers.limits import MAX_SEEDS_LAID
from drivers.transport import Transport


@click.command()
@click.argument("port")
@click.option("--seeds", type=click.IntRange(1, MAX_SEEDS_LAID), default=10, help="Seeds laid into each pit.  [10]")
@click.option("--pit", "pits", type=click.IntRange(0), multiple=True, help="This pit only; can be repeated.")
@click.option("--look", is_flag=True, help="Calibrate nothing: print what lies in each pit.")
def calibrate(port: str, seeds: int, pits: tuple[int, ...], look: bool) -> None:
    """Calibrate the scales of the board on PORT, one after the other."""
    try:
        transport = Transport.open(port)
        try:
            _calibrate(Calibrator(transport, clock), seeds, pits, look)
        finally:
            transport.close()
    except DriverError as error:
        raise click.ClickException(str(error)) from error


def _calibrate(calibrator: Calibrator, seeds: int, pits: tuple[int, ...], look: bool) -> None:
    sensors, row = calibrator.board.sensors, calibrator.board.row
    for pit in pits:
        if pit >= sensors:
            raise click.UsageError(f"--pit {pit}: the board has scales 0 to {sensors - 1}")
    if look:
        snapshot = calibrator.look()
        for pit, (count, confidence) in enumerate(zip(snapshot.counts, snapshot.confidence, strict=True)):
            click.echo(f"{pit:2}  {_name(pit, row):<14} {count / 100:6.2f}  confidence {confidence:x}")
        return
    click.prompt("Take every seed off the board, then press Enter", default="", show_default=False)
    failed = calibrator.tare()
    click.echo(f"Tared: {sensors - len(failed)} of {sensors} scales")
    for pit in failed:
        click.echo(f"  scale {pit} ({_name(pit, row)}) moves or is broken")
    for pit in pits or range(sensors):
        _weigh(calibrator, pit, seeds)


def _weigh(calibrator: Calibrator, pit: int, seeds: int) -> None:
    """Ask until the scale has learnt it, or is to be skipped."""
    name = _name(pit, calibrator.board.row)
    question = f"{seeds} seeds into {name} (scale {pit}), then Enter; s to skip"
    while click.prompt(question, default="", show_default=False).strip() != "s":
        if calibrator.weigh(pit, seeds):
            click.echo("  done")
            return
        click.echo("  failed: the scale moves, is broken, or too little lies there")


def _name(pit: int, row: int) -> str:
    if pit >= 2 * row:
        return ("South's store", "North's store")[pit - 2 * row]
    return f"{'South' if pit < row else 'North'}'s pit {pit % row + 1}"
