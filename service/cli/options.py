"""What several commands share: options, output of JSON, a progress bar."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from pathlib import Path
from typing import TypeVar

import click

from service.http.answers.shape import to_builtins
from service.settings import NAMES, TOKEN_VARIABLE, read_settings

T = TypeVar("T")
MAX_TOKEN_FILE = 1000  # bytes

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON, one object per line.")
to_service = click.option("--to", "url", required=True, help="Address of the service, like https://games.example.org.")
tables_option = click.option("--tables", type=click.Path(file_okay=False), help="Folder of the endgame tables.")
token_file = click.option(
    "--token-file", type=click.Path(exists=True, dir_okay=False), help="File with the token. [INKEEK_TOKEN]"
)
ca_file = click.option("--ca", type=click.Path(exists=True, dir_okay=False), help="More certificates to trust (PEM).")
files = click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE]...")


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command ``--config`` and ``--data``, and turn its options that are settings into one `settings`."""

    @click.option("--config", type=click.Path(dir_okay=False), help="TOML file of settings. [none]")
    @click.option("--data", type=click.Path(file_okay=False), help="Database folder. [the user's data folder]")
    @wraps(command)
    def run(**values: object) -> None:
        flags = {name: values.pop(name) for name in NAMES if name in values}
        command(settings=read_settings(os.environ, flags), **values)

    return run


def read_token(path: str | None) -> str:
    """The token. There is no option for it: other users of the machine can read the command line."""
    if path is None:
        return os.environ.get(TOKEN_VARIABLE, "").strip()
    with open(path, "rb") as file:
        words = file.read(MAX_TOKEN_FILE).split()
    if len(words) != 1 or not words[0].isascii():
        raise click.UsageError(f"--token-file {path} holds {len(words)} words: expected one token")
    return words[0].decode("ascii")


def emit(value: object) -> None:
    """Print one JSON object on a line."""
    click.echo(json.dumps(value, ensure_ascii=False, default=to_builtins))


def progress(items: Iterable[T], label: str, length: int | None = None) -> Iterator[T]:
    """Yield the items; on a terminal, draw a progress bar on standard error meanwhile."""
    with click.progressbar(items, label=label, length=length, file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:
        yield from bar
