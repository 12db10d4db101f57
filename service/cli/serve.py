"""``inkeek serve``."""

from __future__ import annotations

import os
import sys
import webbrowser
from dataclasses import replace

import click

from inkeek.service.http.access.keys import open_keys
from inkeek.service.http.addresses import sign_in_url
from inkeek.service.processes import supervisor
from inkeek.service.processes.announcement import first_link, owners_link
from inkeek.service.processes.listening import free_or_any
from inkeek.service.processes.logs import set_up
from inkeek.service.processes.run_file import find_running
from inkeek.service.settings import Settings, read_settings

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
    if check:
        supervisor.check_certificate(settings)
        supervisor.check_validity(settings)
        return
    set_up(settings, "serve")
    sys.exit(supervisor.serve(settings, exit_with_parent=exit_with_parent))


def start() -> None:
    """Serve on this machine, as the environment says, and open the first page in a browser, until Ctrl-C. If the
    service runs already, open that of the running one."""
    keep_private()
    settings = read_settings(os.environ)
    running = find_running(settings.data_folder)
    if running is not None:
        _lead_in(settings, running.address)
        return
    if settings.is_local and not settings.phones:
        settings = replace(settings, phones=str(settings.data_folder / "phones"))
    settings = replace(settings, port=free_or_any(settings.port))
    set_up(settings, "serve")
    sys.exit(supervisor.serve(settings, exit_with_parent=False, browser=True))


def _lead_in(settings: Settings, address: str) -> None:
    """Say where the service runs, and sign in whoever started it again."""
    with open_keys(settings) as keys:
        link = sign_in_url(address, first_link(keys, settings))
    click.echo(f"Inkeek already runs at {address} with the games in {settings.data_folder.absolute()}")
    click.echo("Stop it with Ctrl-C in its own window.")
    click.echo(owners_link(settings, link))
    webbrowser.open(link)
