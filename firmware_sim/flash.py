"""`python -m inkeek.firmware_sim.flash`: put the firmware on a Raspberry Pi Pico with `mpremote` (docs/board.md)."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

from .errors import SimulatorError
from .pico import wiring

ROOT = Path(__file__).parent
FOLDERS = ("firmware", "pico")
START = f"from {ROOT.name}.pico.main import run\nrun()\n"  # main.py
LEAST = (1, 24)  # MicroPython
TIMEOUT = 180  # seconds for one call of mpremote
ASK = "import sys; print('inkeek', sys.platform, *sys.implementation.version[:2])"
MAKE_FOLDERS = """
import os
for path in {paths!r}:
    try:
        os.mkdir(path)
    except OSError:
        pass
"""


class FlashError(SimulatorError):
    """The firmware is not on the board."""


@click.command()
@click.option("--port", default="auto", help="Port of the Pico.  [the only one]")
@click.option("--row", type=int, help=f"Pits per row.  [{wiring.ROW}]")
@click.option("--stores/--no-stores", default=None, help="Whether the stores are weighed.  [stores]")
@click.option("--serial", help="Serial number of the board.  [the microcontroller's own]")
@click.option("--cell-grams", type=float, help=f"Capacity of a load cell.  [{wiring.CELL_GRAMS}]")
@click.option(
    "--cell-mv-per-v", type=float, help=f"Its output at that load, from its data sheet.  [{wiring.CELL_MV_PER_V}]"
)
@click.option(
    "--seed-grams", type=float, help=f"About what a seed weighs; the calibration measures it.  [{wiring.SEED_GRAMS}]"
)
@click.option("--clock", type=int, help=f"The first of three pins: PD_SCK, SH/LD, CLK.  [{wiring.CLOCK}]")
@click.option("--data", type=int, help=f"Pin of the first register's QH.  [{wiring.DATA}]")
@click.option("--pixels", type=int, help=f"Pin of the lamps.  [{wiring.PIXELS}]")
def main(port: str, **options: object) -> None:
    """Put the firmware on a Raspberry Pi Pico that runs MicroPython.

    Without options the board keeps its configuration; with options they are all of it. The calibration stays.
    """
    config = {key: value for key, value in options.items() if value is not None}
    try:
        for key, value in config.items():
            wiring.check(key, value)
    except ValueError as error:
        raise click.UsageError(f"--{str(error).removeprefix(f'{wiring.CONFIG}: ').replace('_', '-')}") from error
    try:
        flash(port, config)
    except FlashError as error:
        raise click.ClickException(str(error)) from error
    click.echo("The board runs the firmware. Next: inkeek board test PORT, then inkeek board calibrate PORT.")


def files() -> list[Path]:
    """Return the files of the firmware, as they are called on the board."""
    return [Path("__init__.py"), *(path.relative_to(ROOT) for folder in FOLDERS for path in _sources(folder))]


def flash(port: str, config: dict[str, object]) -> None:
    """Copy the firmware, the configuration if there is any, and `main.py`; then restart the board.

    :raises FlashError: there is no mpremote, no Pico, or it failed; says what to do.
    """
    if importlib.util.find_spec("mpremote") is None:
        raise FlashError("mpremote is not installed. Install it: pip install 'inkeek[flash]', or pip install mpremote.")
    _check_board(port)
    paths = [ROOT.name, *(f"{ROOT.name}/{folder}" for folder in FOLDERS)]
    command = ["exec", MAKE_FOLDERS.format(paths=paths)]
    for file in files():
        command += ["+", "cp", str(ROOT / file), f":{ROOT.name}/{file.as_posix()}"]
    with tempfile.TemporaryDirectory() as folder:
        texts = {"main.py": START} | ({wiring.CONFIG: json.dumps(config)} if config else {})
        for name, text in texts.items():
            path = Path(folder) / name
            path.write_text(text, encoding="utf-8")
            command += ["+", "cp", str(path), f":{name}"]
        _mpremote(port, [*command, "+", "reset"])


def _sources(folder: str) -> list[Path]:
    return sorted((ROOT / folder).glob("*.py"))


def _check_board(port: str) -> None:
    """:raises FlashError: what is on the port is no Pico, or its MicroPython is too old."""
    words = _mpremote(port, ["exec", ASK]).split()
    if words[:1] != ["inkeek"] or len(words) != 4:
        raise FlashError(f"Port {port}: expected MicroPython, but it answers {' '.join(words)[:80]!r}.")
    platform, version = words[1], (int(words[2]), int(words[3]))
    if platform != "rp2":
        raise FlashError(f"Port {port}: the device is {platform!r}, no Raspberry Pi Pico (rp2). Choose it with --port.")
    if version < LEAST:
        found, least = (".".join(map(str, each)) for each in (version, LEAST))
        raise FlashError(f"Port {port}: MicroPython {found} is too old. Install {least} or later on the Pico.")


def _mpremote(port: str, command: Sequence[str]) -> str:
    """Run mpremote and return its output.

    :raises FlashError: it failed or took too long.
    """
    call = [sys.executable, "-m", "mpremote", "connect", port, *command]
    try:
        done = subprocess.run(call, capture_output=True, text=True, errors="replace", timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired as error:
        raise FlashError(f"Port {port}: mpremote did not finish within {TIMEOUT} seconds. {HINT}") from error
    if done.returncode:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        raise FlashError(f"Port {port}: mpremote failed: {lines[-1] if lines else 'it says nothing'}. {HINT}")
    return done.stdout


HINT = (
    "Is the Pico plugged in, with MicroPython on it, and its port free? If it already runs a board, hold both trial "
    "buttons down while you plug it in."
)

if __name__ == "__main__":
    main()
