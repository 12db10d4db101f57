"""`inkeek board attach`: a board's desk far from the service."""

from __future__ import annotations

import os
import signal
import socket
import threading
from datetime import datetime
from pathlib import Path

import click
from platformdirs import user_state_path

from drivers import registry
from drivers.errors import DriverError
from service.boards.remote.agent import Plan, RemoteAgent
from service.settings import TOKEN_VARIABLE

MAX_TOKEN_FILE = 1000  # bytes


@click.command()
@click.argument("port")
@click.option("--to", "url", required=True, help="Address of the service, as https://games.example.org.")
@click.option("--game", required=True, help="Id of the game that is played on the board.")
@click.option("--driver", "driver_name", default="inkeek", show_default=True, help="Driver of the board.")
@click.option(
    "--token-file",
    type=click.Path(exists=True, dir_okay=False),
    help="File with a token that has the scope board. [INKEEK_TOKEN]",
)
@click.option("--ca", type=click.Path(exists=True, dir_okay=False), help="Certificates to trust besides the system's.")
@click.option("--spool", type=click.Path(file_okay=False), help="Folder of spools. [the user's state folder]")
@click.option("--name", help="What the service calls this desk. [the name of this machine]")
@click.option("--take-over", is_flag=True, help="Even if the board is attached from elsewhere.")
def attach(
    port: str,
    url: str,
    game: str,
    driver_name: str,
    token_file: str | None,
    ca: str | None,
    spool: str | None,
    name: str | None,
    take_over: bool,
) -> None:
    """Play a game of a service elsewhere on the board at PORT, through any loss of the network, until Ctrl-C."""
    try:
        driver = registry.driver(driver_name)
    except DriverError as error:
        raise click.UsageError(str(error)) from error
    folder = Path(spool) if spool else user_state_path("inkeek") / "spool"
    desk = " ".join((name or socket.gethostname()).split())[:60] or "desk"
    plan = Plan(port, driver, url, game, _token(token_file), ca, desk, folder, take_over)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    RemoteAgent(plan, _say).run(stop)


def _token(path: str | None) -> str:
    """The token, which is never given on the command line: other users of the machine can read that."""
    if path is None:
        return os.environ.get(TOKEN_VARIABLE, "").strip()
    with open(path, "rb") as file:
        words = file.read(MAX_TOKEN_FILE).split()
    if len(words) != 1 or not words[0].isascii():
        raise click.UsageError(f"--token-file {path} holds {len(words)} words: expected a token alone")
    return words[0].decode("ascii")


def _say(message: str) -> None:
    click.echo(f"{datetime.now():%H:%M:%S}  {message}")
