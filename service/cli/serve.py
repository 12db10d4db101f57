"""`inkeek serve` and `inkeek demo`."""

from __future__ import annotations

import os
import sys

import click

from service.demo.demo import Demo, DemoFailed
from service.processes.logs import set_up as set_up_logs
from service.processes.supervisor import serve as run_service
from service.settings import read_settings
from service.storage import shown_url

from .options import config_option, data_option


@click.command()
@click.option("--host", help="Address to serve on; any but loopback gives nothing without a token. [127.0.0.1]")
@click.option("--port", type=int, help="TCP port. [8000]")
@config_option
@data_option
@click.option("--workers", type=int, help="Web processes. [1]")
@click.option("--threads", type=int, help="Threads of a web process; a live stream holds one. [16]")
@click.option("--leash", is_flag=True, hidden=True, help="Stop when standard input closes.")
def serve(leash: bool, **flags: str | int | None) -> None:
    """Serve the pages and the API, and read the boards, until Ctrl-C."""
    settings = read_settings(os.environ, flags)
    set_up_logs(settings, "serve")

    def ready(url: str, link: str | None) -> None:
        click.echo(f"Inkeek is at {url} (games in {shown_url(settings.database_url)}); Ctrl-C stops it.")
        if link is not None:
            click.echo(f"Once, and soon, this link signs a browser in: {link}")

    sys.exit(run_service(settings, on_leash=leash, ready=ready))


@click.command()
@click.option("--speed", envvar="DEMO_SPEED", default="1", show_default=True, help="1, another factor, or max.")
@click.option(
    "--exit", "leave", envvar="DEMO_EXIT", is_flag=True, help="Check the record and end when the game is over."
)
@click.option("--port", type=int, help="TCP port. [8000 if it is free, else any]")
@click.option("--data", type=click.Path(file_okay=False), help="Folder of the database. [a temporary one]")
@click.option("--mistake", default="4:skip", show_default=True, help="PLY:KIND of a mistake the hands make; none: no.")
def demo(speed: str, leave: bool, port: int | None, data: str | None, mistake: str) -> None:
    """Watch a simulated board play a game of Enkeshui from beginning to end."""
    try:
        Demo(speed=speed, port=port, data=data, mistake=None if mistake == "none" else mistake, say=click.echo).run(
            leave
        )
    except DemoFailed as error:
        raise click.ClickException(str(error)) from error
    except KeyboardInterrupt:
        click.echo("\nStopped.")
