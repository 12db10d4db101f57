"""``inkeek demo``."""

from __future__ import annotations

import click

from inkeek.service.cli.options import keep_private

from .client import DemoFailed
from .demo import Demo


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
    keep_private()
    given = None if mistake == "none" else mistake
    try:
        Demo(speed=speed, port=port, data=data, mistake=given, say=click.echo).run(leave)
    except DemoFailed as error:
        raise click.ClickException(str(error)) from error
    except KeyboardInterrupt:
        click.echo("\nStopped.")
