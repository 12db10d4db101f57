"""`inkeek db`: the database."""

from __future__ import annotations

import os

import click

from ..app import build_parts
from ..settings import read_settings
from ..storage import shown_url


@click.group()
def db() -> None:
    """The database."""


@db.command()
@click.option("--data", type=click.Path(file_okay=False), help="Folder of the database. [the user's data folder]")
def upgrade(data: str | None) -> None:
    """Make the tables, or bring those of an earlier version up to date. `serve` does it by itself."""
    settings = read_settings(os.environ, {"data": data})
    store = build_parts(settings).store
    try:
        before, needed = store.revisions()
        store.upgrade()
    finally:
        store.close()
    done = "is up to date" if before == needed else f"went from revision {before or 'none'} to {needed}"
    click.echo(f"{shown_url(settings.database_url)} {done}.")
