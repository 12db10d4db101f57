"""`inkeek board`: list ports, watch, record, play back and calibrate boards, connect one to a service on another
machine, and run the simulated one."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import click
from platformdirs import user_state_path

from inkeek.drivers import registry
from inkeek.drivers.base import Connection
from inkeek.drivers.errors import DriverError
from inkeek.drivers.events import Connected, Event, Numbered
from inkeek.drivers.recording.file import MAX_SIZE, MIN_SIZE, Header, Recording, RecordingWriter
from inkeek.drivers.recording.json_form import event_json
from inkeek.drivers.recording.recorder import record as record_session
from inkeek.records import __version__
from inkeek.records.errors import MAX_SECONDS
from inkeek.service.boards.ports import known_ports
from inkeek.service.boards.remote.client import one_line
from inkeek.service.boards.remote.process import Plan, run
from inkeek.service.cli.options import (
    NewFile,
    Number,
    as_json,
    ca_file,
    keep_private,
    read_token,
    to_service,
    token_file,
)
from inkeek.service.processes.child_process import SIMULATOR
from inkeek.service.processes.system import set_on_signals
from inkeek.service.settings import read_settings
from inkeek.service.storage.clock import stamp, utc_now

from .check import check
from .steps import POLL, calibrate, driver_option, event_text, find_driver, self_test

take_option = click.option(
    "--take", is_flag=True, help="Acknowledge events: the board forgets them, and no service gets them."
)
seconds_option = click.option("--seconds", type=Number(), help="Stop after this many seconds.  [at Ctrl-C]")


@click.group()
def board() -> None:
    """Work with boards: list, watch, record, calibrate, simulate."""


board.add_command(calibrate)
board.add_command(self_test)
board.add_command(check)


@board.command()
@as_json(
    'one object per line: `{"port": {"url", "title"}}` or `{"driver": {"name", "title", "distribution", "version", '
    '"error"}}`'
)
def ports(as_json: bool) -> None:
    """List the serial ports of this machine and the installed drivers."""
    found, drivers = known_ports(), registry.drivers(loads=True)
    if as_json:
        for port in found:
            click.echo(json.dumps({"port": asdict(port)}))
        for driver in drivers:
            click.echo(json.dumps({"driver": asdict(driver)}))
        return
    for port in found:
        click.echo(f"{port.url}  {port.title}")
    if not found:
        click.echo("No serial ports were found. Boards on the network have ports like socket://host:port.")
    for driver in drivers:
        problem = "" if driver.error is None else f"  cannot be used: {driver.error}"
        click.echo(f"driver {driver.name}: {driver.title}{problem}")


@board.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False, "help_option_names": []}
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def sim(context: click.Context, arguments: tuple[str, ...]) -> None:
    """Run the simulated board. Its options: `inkeek board sim --help`."""
    # A program of its own: board and host share nothing but the protocol. It takes the place of this one, so that a
    # signal ends it.
    program = f"from {SIMULATOR}.cli import main; main(prog_name={context.command_path!r})"
    os.execv(sys.executable, [sys.executable, "-c", program, *arguments])


@board.command()
@click.argument("port")
@driver_option
@take_option
@seconds_option
@as_json("one object per event: `t` (seconds), `event` (its kind) and its fields")
def watch(port: str, driver_name: str, take: bool, seconds: float | None, as_json: bool) -> None:
    """Print what a board reports, one line per event.

    The board keeps its events, so that the service can still read them, unless --take is given.
    """
    with closing(find_driver(driver_name, port).open(port)) as connection:
        for _ in _printed(connection, seconds, take, as_json):
            pass


@board.command()
@click.argument("file", type=NewFile())
@click.option("--port", required=True, help="Port of the board, a URL.")
@driver_option
@take_option
@seconds_option
@click.option("--size", type=click.IntRange(MIN_SIZE, MAX_SIZE), default=MAX_SIZE, help="Limit in bytes.  [67108864]")
@as_json("one object per event, as `watch --json` prints it")
def record(
    file: Path, port: str, driver_name: str, take: bool, seconds: float | None, size: int, as_json: bool
) -> None:
    """Record a session with a board in a new file: every byte in both directions, with its time.

    To record a game while a service plays it, use the setting `recordings`: two programs cannot use one port.
    """
    driver = find_driver(driver_name, port)
    header = Header(driver.name, port, stamp(utc_now()), f"inkeek {__version__}")
    with closing(record_session(driver, port, None, lambda: RecordingWriter(file, header, size))) as connection:
        for _ in _printed(connection, seconds, take, as_json):
            if connection.stopped is not None:
                raise click.ClickException(f"the recording {file} ends here: {connection.stopped}")


@board.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--speed", type=Number(0.001), help="Times as fast as recorded.  [without waiting]")
@as_json(
    'one object per event, then `{"end": {"differences", "first", "cut"}}`: the number of '
    "differences, the first one, and where the file is cut off (null if it is complete)"
)
def playback(file: Path, speed: float | None, as_json: bool) -> None:
    """Play a recorded session again and print its events.

    Exit with status 1 if the host now sends other data than it did then.
    """
    with closing(Recording(file)) as recording:
        header = recording.header
        wait = None if speed is None else lambda seconds: time.sleep(min(seconds / speed, MAX_SECONDS))
        playing = registry.playback(recording, wait)
        if not as_json:
            click.echo(f"{header.port} ({header.driver}), recorded at {header.started} by {header.host}")
        row = 0
        for at, event in playing.events():
            if isinstance(event, Connected):
                row = event.row
            _print_event(at, event, row, as_json)
    if as_json:
        result = {"differences": playing.count, "first": playing.differences[:1], "cut": recording.cut}
        click.echo(json.dumps({"end": result}))
    elif recording.cut is not None:
        click.echo(f"The recording is incomplete: {recording.cut}.", err=True)
    if playing.count and not as_json:
        more = f" (and {playing.count - 1} more)" if playing.count > 1 else ""
        click.echo(f"The host now sends other data: {playing.differences[0]}{more}", err=True)
    sys.exit(1 if playing.count else 0)


def _printed(connection: Connection, seconds: float | None, take: bool, as_json: bool) -> Iterator[None]:
    """Print the events until time is up or Ctrl-C; yield after each look for some."""
    start, row = time.monotonic(), 0
    try:
        while seconds is None or time.monotonic() - start < seconds:
            events = connection.poll(POLL)
            at = time.monotonic() - start
            for event in events:
                if isinstance(event, Connected):
                    row = event.row
                _print_event(at, event, row, as_json)
            numbered = [event for event in events if isinstance(event, Numbered)]
            if numbered and take:
                connection.acknowledge(numbered[-1])
            yield
    except KeyboardInterrupt:
        return


def _print_event(at: float, event: Event, row: int, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"t": round(at, 6), **event_json(event)}))
    else:
        click.echo(f"{at:10.3f}  {event_text(event, row)}")


@board.command()
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
    click.echo(f"{datetime.now():%H:%M:%S}  {one_line(message)}")
