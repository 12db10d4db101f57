"""`inkeek board`: ports, and the simulated board."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict

import click

from ..boards import known_drivers, known_ports
from .attach import attach


@click.group()
def board() -> None:
    """Boards on serial ports."""


board.add_command(attach)


@board.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def ports(as_json: bool) -> None:
    """List the serial ports of this machine and the drivers that are installed."""
    found, drivers = known_ports(), known_drivers()
    if as_json:
        for port in found:
            click.echo(json.dumps({"port": asdict(port)}))
        for driver in drivers:
            click.echo(json.dumps({"driver": asdict(driver)}))
        return
    for port in found:
        click.echo(f"{port.url}  {port.title}")
    if not found:
        click.echo("No serial ports were found. A network port can be given all the same, as socket://host:port.")
    for driver in drivers:
        problem = "" if driver.error is None else f"  cannot be used: {driver.error}"
        click.echo(f"driver {driver.name}: {driver.title}{problem}")


@board.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False, "help_option_names": []}
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def sim(arguments: tuple[str, ...]) -> None:
    """Run the simulated board; it has options of its own, which `inkeek board sim --help` tells."""
    # A process of its own: board and host meet only at the protocol.
    sys.exit(subprocess.call([sys.executable, "-m", "firmware_sim", *arguments]))
