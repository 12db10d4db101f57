"""What several commands share: options, output of JSON, a progress bar."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial, wraps
from pathlib import Path
from typing import IO, Any, TypeVar

import click

from inkeek.records import OptionError, Position, RecordsError, Rules, ruleset_ids
from inkeek.records.errors import MAX_SECONDS, MAX_WHOLE, message_of
from inkeek.records.rules.ruleset import MAX_FILE, OTHER_ID, RuleSet, load_ruleset, read_ruleset
from inkeek.records.text import decode_utf8
from inkeek.service.files import STANDARD, read_bounded
from inkeek.service.games.rulesets import find_in_folder
from inkeek.service.http.shape import to_builtins
from inkeek.service.settings import NAMES, TOKEN_VARIABLE, read_settings
from inkeek.service.terminal import terminal

T = TypeVar("T")
Command = TypeVar("Command", bound=Callable[..., Any])
MAX_TOKEN_FILE = 1000  # bytes

to_service = click.option("--to", "url", required=True, help="Address of the service, like https://games.example.org.")
tables_option = click.option(
    "--tables", type=click.Path(file_okay=False), help="Folder of the endgame tables. [setting tables]"
)
token_file = click.option(
    "--token-file",
    type=click.Path(exists=True, dir_okay=False),
    help="File that contains only the token. [INKEEK_TOKEN]",
)
ca_file = click.option("--ca", type=click.Path(exists=True, dir_okay=False), help="More certificates to trust (PEM).")
position_option = click.option("--position", metavar="P", help="Start from this position instead of the set-up.")


class GivenFile(click.Path):
    """The name of a file that is read; ``-`` is standard input, and ``./-`` a file of that name."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = super().convert(value, param, ctx)
        return path.absolute() if path == STANDARD and str(value) != "-" else path


files = click.argument("files", nargs=-1, type=GivenFile(), metavar="[FILE]...")


class Number(click.FloatRange):
    """A number in a range, without the infinite ones. NaN, which compares with nothing, is in every range of click."""

    def __init__(self, min: float = 0, max: float = MAX_SECONDS, min_open: bool = False) -> None:
        super().__init__(min, max, min_open)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number


class Whole(click.IntRange):
    """A whole number of 64 bits, `min` or more."""

    def __init__(self, min: int) -> None:
        super().__init__(min, MAX_WHOLE)


class FileName(GivenFile):
    """The name of a file; ``-``, standard input or output elsewhere, is none."""

    def __init__(self) -> None:
        super().__init__()
        self.dir_okay = False

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "-":
            self.fail("'-' is no name of a file here: standard output cannot take this.", param, ctx)
        return super().convert(value, param, ctx)


class NewFile(FileName):
    """The name of a file that a command makes, for its owner alone: one that exists is not overwritten. With
    `standard`, ``-`` is standard output."""

    def __init__(self, *, standard: bool = False) -> None:
        super().__init__()
        self._standard = standard

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if self._standard and str(value) == "-":
            return STANDARD
        path = super().convert(value, param, ctx)
        if path.exists():
            self.fail(f"{str(path)!r} exists: give another name, or move the file away first.", param, ctx)
        keep_private()
        return path


output_file = click.argument("file", type=NewFile(standard=True), default="-")


def as_json(shape: str) -> Callable[[Command], Command]:
    """Give a command ``--json``; `shape` says what it then prints."""
    return click.option("--json", "as_json", is_flag=True, help=f"Print JSON: {shape}.")


def keep_private() -> None:
    """Have only the owner use what this command creates, folders and files, whatever the umask; also its children."""
    click.get_current_context().call_on_close(partial(os.umask, os.umask(0o077)))


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command ``--config`` and ``--data``, and turn its options that are settings into one `settings`. What it
    creates is private."""

    @click.option("--config", type=click.Path(dir_okay=False), help="TOML file of settings. [none]")
    @click.option("--data", type=click.Path(file_okay=False), help="Database folder. [the user's data folder]")
    @wraps(command)
    def run(**values: object) -> None:
        keep_private()
        flags = {name: values.pop(name) for name in NAMES if name in values}
        command(settings=read_settings(os.environ, flags), **values)

    return run


option_option = click.option(
    "-o", "--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the game; may be repeated."
)


class RuleSetType(click.ParamType[RuleSet]):
    """A rule set: one of ours by its id, a local one, or a file."""

    name = "game"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> RuleSet:
        if isinstance(value, RuleSet):
            return value
        try:
            if value.endswith(".toml"):
                return read_ruleset(decode_utf8(read_bounded(value, 4 * MAX_FILE)))
            if not OTHER_ID.fullmatch(value):
                return load_ruleset(value)
            folder = read_settings(os.environ, {}).rules_folder
            if info := find_in_folder(folder, value):
                return info
            self.fail(f"There are no rules {value!r} in {folder}. Add them: inkeek rules add FILE", param, ctx)
        except (RecordsError, OSError) as error:
            self.fail(f"{value}: {message_of(error)}" if value.endswith(".toml") else str(error), param, ctx)


GAME = f"The rule set: one of {', '.join(ruleset_ids())}; the id of a local one, or a TOML file."


def with_rules(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command ``--game`` and ``-o``, and turn them into its `rules`."""

    @click.option("--game", required=True, type=RuleSetType(), metavar="GAME", help=GAME)
    @option_option
    @wraps(command)
    def run(game: RuleSet, options: tuple[str, ...], **values: object) -> None:
        command(rules=_rules_from(game, options), **values)

    return run


def with_position(command: Callable[..., None]) -> Callable[..., None]:
    """As `with_rules`, with ``--position`` too: a `position` of these rules, by default the set-up."""

    @with_rules
    @position_option
    @wraps(command)
    def run(rules: Rules, position: str | None, **values: object) -> None:
        start = rules.start()
        if position is not None:
            start = Position.parse(position)
            rules.verify_position(start)
        command(rules=rules, position=start, **values)

    return run


def _rules_from(info: RuleSet, options: tuple[str, ...]) -> Rules:
    """The rules that ``--game`` and ``-o`` name.

    :raises click.UsageError: an option is not of the form key=value, or the game does not allow it.
    """
    given = read_options(options)
    try:
        return Rules(info, info.resolve(given))
    except OptionError as error:
        raise click.UsageError(str(error)) from error


def read_options(options: tuple[str, ...]) -> dict[str, str]:
    """What ``-o`` names.

    :raises click.UsageError: one is not of the form key=value.
    """
    given: dict[str, str] = {}
    for option in options:
        key, equals, value = option.partition("=")
        if not equals:
            raise click.UsageError(f"-o {option!r} is not of the form key=value")
        given[key] = value
    return given


def read_token(path: str | None) -> str:
    """The token. There is no option for it: other users of the machine can read the command line."""
    if path is None:
        token = os.environ.get(TOKEN_VARIABLE, "").strip()
        if not (token.isascii() and token.isprintable()):
            raise click.UsageError(f"{TOKEN_VARIABLE} is no token: it has characters that no token has")
        return token
    with open(path, "rb") as file:
        words = file.read(MAX_TOKEN_FILE).split()
    if len(words) != 1 or not words[0].isascii() or not words[0].decode().isprintable():
        raise click.UsageError(f"--token-file {path} holds {len(words)} words: expected one token")
    return words[0].decode("ascii")


def read_text(file: IO[str], most: int) -> str:
    """The beginning of a text file, so many characters.

    :raises UsageError: it is not UTF-8.
    """
    try:
        return file.read(most)
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{getattr(file, 'name', '-')}: {error.reason}: save the file as UTF-8") from error


def emit(value: object) -> None:
    """Print one JSON object on a line."""
    click.echo(json.dumps(value, ensure_ascii=False, default=to_builtins))


def emit_or_echo(as_json: bool, value: object, text: object) -> None:
    """Print one JSON object on a line, or, without ``--json``, a text for people."""
    click.echo(json.dumps(value, ensure_ascii=False, default=to_builtins) if as_json else text)


def progress(items: Iterable[T], label: str, length: int | None = None) -> Iterator[T]:
    """Yield the items; on a terminal, draw a progress bar on standard error meanwhile."""
    file = terminal(sys.stderr)
    with click.progressbar(items, label=label, length=length, file=file, hidden=not file.isatty()) as bar:
        yield from bar
