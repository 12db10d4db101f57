"""The command line, `inkeek`. Exit status: 0 fine, 1 the input is bad or the service failed, 2 wrong usage."""

from __future__ import annotations

from typing import Any

import click

from drivers.errors import DriverError
from records import RecordsError
from service.errors import ServiceError, SettingError

from . import bench, board, database, matches, tokens, validate
from . import serve as serving
from .records import commands as record_commands


class Inkeek(click.Group):
    """The group: errors that are told to people stand on one line of standard error."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except SettingError as error:
            raise click.UsageError(str(error)) from error
        except (ServiceError, RecordsError, DriverError) as error:
            raise click.ClickException(str(error)) from error


@click.group(cls=Inkeek, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="inkeek")
def main() -> None:
    """Notation, records, boards and rulings for traditional two-row mancala."""


for command in (
    *record_commands,
    validate.validate_command,
    *matches.commands,
    *bench.commands,
    serving.serve,
    serving.demo,
    board.board,
    database.db,
    tokens.token,
):
    main.add_command(command)
