"""`inkeek board attach`: connect a board to a service on another machine."""

from __future__ import annotations

import os
import signal
import socket
import threading
from datetime import datetime
from pathlib import Path

import click
from platformdirs import user_state_path

from inkeek.drivers import registry
from inkeek.drivers.errors import DriverError
from inkeek.service.boards.remote.process import Plan, run
from inkeek.service.cli.options import ca_file, keep_private, read_token, to_service, token_file
from inkeek.service.processes.system import set_on_signals
from inkeek.service.settings import read_settings


@click.command()
@click.argument("port")
@to_service
@click.option("--game", required=True, help="ID of the game.")
@click.option("--driver", "driver_name", default="inkeek", show_default=True, help="Driver of the board.")
@token_file
@ca_file
@click.option(
    "--spool", type=click.Path(file_okay=False), help="Folder for spools and recordings. [the user's state folder]"
)
@click.option("--name", help="Name of this place in the service. [the name of this machine]")
@click.option("--serial", help="Serial number of the board that plays, even if another one is bound. [the first]")
def attach(
    port: str,
    url: str,
    game: str,
    driver_name: str,
    token_file: str | None,
    ca: str | None,
    spool: str | None,
    name: str | None,
    serial: str | None,
) -> None:
    """Connect the board at PORT to a service on another machine, until Ctrl-C.

    While the network is down the board is judged and lit as ever, and what is to be stored waits in a spool on the
    disk.
    """
    try:
        driver = registry.driver(driver_name)
    except DriverError as error:
        raise click.UsageError(str(error)) from error
    keep_private()
    folder = Path(spool) if spool else user_state_path("inkeek") / "spool"
    place = " ".join((name or socket.gethostname()).split())[:60] or "desk"
    plan = Plan(port, driver, url, game, read_token(token_file), ca, place, folder, serial)
    stop = threading.Event()
    set_on_signals(stop, signal.SIGTERM, signal.SIGINT)
    run(plan, _notify, stop, read_settings(os.environ))


def _notify(message: str) -> None:
    click.echo(f"{datetime.now():%H:%M:%S}  {message}")
