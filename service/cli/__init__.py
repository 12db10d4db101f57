"""The command line, `inkeek`. Exit status: 0 success, 1 bad input or a failure, 2 wrong usage."""

from __future__ import annotations

import errno
import os
from concurrent.futures import BrokenExecutor
from pkgutil import resolve_name
from typing import Any

from inkeek.drivers.errors import DriverError
from inkeek.records import RecordsError
from inkeek.records.version import __version__
from inkeek.service.errors import ServiceError, SettingError
from inkeek.service.room import RoomCommand
from inkeek.service.terminal import show_escapes

NOT_INSTALLED = 'The command line needs what the service needs. Install it: pip install "inkeek[service]"'

try:
    import click
except ModuleNotFoundError as error:
    raise SystemExit(NOT_INSTALLED) from error

# Color: click is not to strip the escapes of a text, which are shown.
CONTEXT = {"help_option_names": ["-h", "--help"], "color": True}

# Every command but those of rooms, with the module that holds it, which is imported when the command is used, and its
# line in the help.
COMMANDS = {
    "rulesets": ("records", "List the games, their options and sources."),
    "rules": ("records", "Add local rule sets."),
    "play": ("records", "Play moves and explain each turn."),
    "legal": ("records", "List the legal moves of a position."),
    "perft": ("records", "Count the sequences of turns from a position."),
    "validate": ("records", "Check game records."),
    "fmt": ("records", "Write game records in canonical form."),
    "replay": ("records", "Print every position of game records."),
    "compare": ("records", "Say where records part from other rules."),
    "finding": ("findings", "Find what happened in a turn."),
    "analyse": ("analysis", "Search the best turns of a position."),
    "solve": ("analysis", "Prove what a position is worth."),
    "annotate": ("annotate", "Judge the turns of games: values, glyphs, best lines."),
    "tables": ("tables", "Build, list and check endgame tables."),
    "bench": ("bench", "Measure speed on this machine."),
    "serve": ("serve", "Serve the pages and the API, and read the boards."),
    "board": ("boards.board", "Work with boards: list, watch, record, calibrate, simulate."),
    "db": ("database", "Upgrade, check, export, import or copy the database."),
    "key": ("key", "Make and show the club's key, which signs checkpoints and proofs."),
    "token": ("tokens", "Make, list and revoke tokens and sign-in links."),
}


def _room_commands(group: str = "") -> dict[str, RoomCommand]:
    """The commands of rooms in a group, "" for the outermost. Of two with one name, the first counts."""
    from inkeek.service.rooms import chosen_rooms
    from inkeek.service.settings import read_settings

    try:
        rooms = chosen_rooms(read_settings(os.environ).left_out)
    except SettingError:  # a command that needs the settings says what is wrong with them
        rooms = chosen_rooms()
    found = {
        name: RoomCommand(room.full_name(command.target), command.line)
        for room in reversed(rooms)
        for name, command in room.commands.items()
    }
    return {name.split()[-1]: command for name, command in found.items() if name.rpartition(" ")[0] == group}


def _resolved(target: str) -> click.Command:
    """A command, by the name of its object: it is imported when it is used."""
    try:
        command: click.Command = resolve_name(target)
    except ModuleNotFoundError as error:
        raise click.ClickException(f"{error}. {NOT_INSTALLED}") from error
    return command


class RoomGroup(click.Group):
    """A group of commands to which rooms add some. Its own come first."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*self.commands, *_room_commands(self.name or "")})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        own, room = self.commands.get(cmd_name), _room_commands(self.name or "").get(cmd_name)
        return _resolved(room.target) if own is None and room is not None else own


class Inkeek(click.Group):
    """The group of all commands. It imports a command when it is used, and prints expected errors as one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS, *_room_commands()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in COMMANDS:
            return _resolved(f"{__name__}.{COMMANDS[cmd_name][0]}:{cmd_name}")
        room = _room_commands().get(cmd_name)
        return None if room is None else _resolved(room.target)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            rooms = [(name, command.line) for name, command in _room_commands().items()]
            formatter.write_dl([*((name, line) for name, (_, line) in COMMANDS.items()), *rooms])

    def main(self, *args: Any, **kwargs: Any) -> Any:
        show_escapes()
        return super().main(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.exceptions.Exit:
            raise
        except (ServiceError, RecordsError, DriverError) as error:
            kind = click.UsageError if isinstance(error, SettingError) else click.ClickException
            raise kind(str(error)) from error
        except OSError as error:
            if error.errno == errno.EPIPE:  # whoever read the output has enough
                raise
            message = error.strerror if error.filename is None else f"cannot use {error.filename!r}: {error.strerror}"
            is_forbidden = isinstance(error, PermissionError)
            advice = ". Run this as the user who owns it, or as root" if is_forbidden else ""
            raise click.ClickException(f"{message or error}{advice}") from error
        except BrokenExecutor as error:
            raise click.ClickException("a process of this command was ended, perhaps for want of memory") from error
        except MemoryError as error:
            raise click.ClickException("the system does not give as much memory as this takes") from error


def _print_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(f"inkeek, version {__version__}")
        context.exit()


@click.group(cls=Inkeek, invoke_without_command=True, context_settings=CONTEXT)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Show the version."
)
@click.pass_context
def main(context: click.Context) -> None:
    """Notation, records, boards and rulings for traditional two-row mancala. Without a command: serve, and open the
    first page in a browser."""
    if context.invoked_subcommand is None:
        from .serve import start

        start()
