"""Options that several commands have."""

from __future__ import annotations

import click

config_option = click.option("--config", type=click.Path(dir_okay=False), help="File of settings, TOML. [none]")
data_option = click.option(
    "--data", type=click.Path(file_okay=False), help="Folder of the database. [the user's data folder]"
)
