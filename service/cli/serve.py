"""``inkeek serve`` and ``inkeek demo``."""

from __future__ import annotations

import os
import sys
from dataclasses import replace

import click

from service.settings import Settings, read_settings

from .options import keep_private, with_settings


@click.command()
@click.option("--host", help="Address to serve on. Unless it is loopback, every request needs a token. [127.0.0.1]")
@click.option("--port", type=int, help="TCP port. [8000]")
@click.option("--workers", type=int, help="Web processes. [1]")
@click.option("--threads", type=int, help="Requests that each web process handles at once. [16]")
@click.option("--check", is_flag=True, help="Only check the settings and the certificate.")
@click.option("--exit-with-parent", is_flag=True, hidden=True, help="Stop when standard input closes.")
@with_settings
def serve(check: bool, exit_with_parent: bool, settings: Settings) -> None:
    """Serve the pages and the API, and read the boards, until Ctrl-C or SIGTERM."""
    # Imported as late as possible, here and in what these import: the service is to be ready within a second.
    from service.processes.logs import collect
    from service.processes.supervisor import check_certificate, check_validity
    from service.processes.supervisor import serve as run

    if check:
        check_certificate(settings)
        check_validity(settings)
        return
    collect(settings, "serve")
    sys.exit(run(settings, exit_with_parent=exit_with_parent))


def start() -> None:
    """Serve on this machine, as the environment says, and open the first page in a browser, until Ctrl-C. If the
    service runs already, open that of the running one."""
    from service.processes.listening import free_or_any
    from service.processes.logs import collect
    from service.processes.run_file import find_running
    from service.processes.supervisor import serve as run

    keep_private()
    settings = read_settings(os.environ)
    running = find_running(settings.data_folder)
    if running is not None:
        _lead_in(settings, running.address)
        return
    if settings.is_local and not settings.phones:
        settings = replace(settings, phones=str(settings.data_folder / "phones"))
    settings = replace(settings, port=free_or_any(settings.port))
    collect(settings, "serve")
    sys.exit(run(settings, exit_with_parent=False, browser=True))


def _lead_in(settings: Settings, address: str) -> None:
    """Say where the service runs, and sign in whoever started it again."""
    import webbrowser

    from service.http.access.keys import open_keys
    from service.http.addresses import sign_in_url
    from service.processes.announcement import first_link, owners_link

    with open_keys(settings) as keys:
        link = sign_in_url(address, first_link(keys, settings))
    click.echo(f"Inkeek already runs at {address} with the games in {settings.data_folder.absolute()}")
    click.echo("Stop it with Ctrl-C in its own window.")
    click.echo(owners_link(settings, link))
    webbrowser.open(link)


@click.command()
@click.option("--speed", envvar="DEMO_SPEED", default="1", show_default=True, help="Times as fast as a person, or max.")
@click.option(
    "--exit",
    "leave",
    envvar="DEMO_EXIT",
    is_flag=True,
    help="Exit after the game. Status 0: it was stored as it was played.",
)
@click.option("--port", type=int, help="TCP port. [8000 if it is free, else any]")
@click.option("--data", type=click.Path(file_okay=False), help="Database folder. [a temporary one]")
@click.option("--mistake", default="4:skip", show_default=True, help="Turn and kind of a mistake as PLY:KIND, or none.")
def demo(speed: str, leave: bool, port: int | None, data: str | None, mistake: str) -> None:
    """Watch a simulated board play a game of Enkeshui from beginning to end."""
    from service.demo.client import DemoFailed
    from service.demo.demo import Demo

    keep_private()
    given = None if mistake == "none" else mistake
    try:
        Demo(speed=speed, port=port, data=data, mistake=given, say=click.echo).run(leave)
    except DemoFailed as error:
        raise click.ClickException(str(error)) from error
    except KeyboardInterrupt:
        click.echo("\nStopped.")
