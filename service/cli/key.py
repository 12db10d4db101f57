"""``inkeek key``: the club's key, which signs what others check."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from inkeek.service.maintenance.signatures import new_key, public_text, read_key
from inkeek.service.settings import Settings

from .options import FileName, as_json, emit_or_echo, with_settings


def key_file(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command ``--key``, the file of the private key."""
    return click.option("--key", "file", type=FileName(), help="Private key. [key.pem in the folder]")(
        with_settings(command)
    )


@click.group()
def key() -> None:
    """Make and show the club's key, which signs checkpoints and proofs."""


@key.command()
@key_file
@as_json("one object: `file`, `public`")
def new(file: Path | None, settings: Settings, as_json: bool) -> None:
    """Make a private key, and print the public key. Publish that one; keep the private key to yourself. Machines that
    share a database need copies of one key: make none on the others."""
    path = file or settings.key_file
    _print(path, public_text(new_key(path)), as_json)


@key.command()
@key_file
@as_json("one object: `file`, `public`")
def show(file: Path | None, settings: Settings, as_json: bool) -> None:
    """Print where the private key is, and the public key."""
    path = file or settings.key_file
    _print(path, public_text(read_key(path)), as_json)


def _print(path: Path, public: str, as_json: bool) -> None:
    text = f"private key: {path}\npublic key:  {public}"
    emit_or_echo(as_json, {"file": str(path), "public": public}, text)
