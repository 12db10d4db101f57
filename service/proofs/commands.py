"""``inkeek db proof`` writes a proof, ``inkeek verify`` checks one, without the service."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click

from inkeek.service.cli.database import MAX_CHECKPOINT, current_store, on_database
from inkeek.service.cli.options import Whole, as_json, emit, output_file
from inkeek.service.errors import Invalid
from inkeek.service.files import write_output
from inkeek.service.maintenance.checkpoint import Checkpoint, read
from inkeek.service.maintenance.signatures import PREFIX, read_key, read_public
from inkeek.service.settings import Settings
from inkeek.service.storage.clock import stamp, utc_now

from .check import CHECKS, ProofReport, check_proof
from .file import MAX_BYTES
from .making import make_proof

MAX_KEY = 200  # characters of a file with a public key
FILE = click.Path(exists=True, dir_okay=False, allow_dash=True)


@click.command()
@click.argument("file", type=FILE)
@click.option(
    "--key", "keys", required=True, multiple=True, metavar="KEY", help="Public key that must have signed it, or a file."
)
@click.option("--checkpoint", "kept", multiple=True, type=FILE, help="Compare the ledger with a checkpoint you kept.")
@as_json(
    "one object: `file`, `ok`, `game`, `dispute` (the number of its event, or null), `key`, `checked` "
    "(what each check looked at), `faults` (`check`, `message`)"
)
def verify(file: str, keys: tuple[str, ...], kept: tuple[str, ...], as_json: bool) -> None:
    """Check a proof of a game or a dispute, which the service or `inkeek db proof` wrote.

    Needs neither the service nor a network. Exit with status 1 if anything in the proof is wrong.
    """
    public = [_public(key) for key in keys]
    checkpoints = {name: _read_checkpoint(name, public) for name in kept}
    report = check_proof(_read(file, MAX_BYTES + 1), public, checkpoints)
    if as_json:
        fields = {name: getattr(report, name) for name in ("ok", "game", "dispute", "key", "checked")}
        emit({"file": file, **fields, "faults": [asdict(fault) for fault in report.faults]})
        sys.exit(not report.ok)
    for line in _lines(file, report):
        click.echo("".join(character if character.isprintable() else ascii(character)[1:-1] for character in line))
    sys.exit(not report.ok)


@click.command()
@click.argument("game")
@output_file
@click.option("--dispute", type=Whole(1), help="Prove this dispute: the number of the event that opened it.")
@click.option("--key", "key_file", type=click.Path(dir_okay=False, path_type=Path), help="Private key to sign with.")
@on_database
def proof(game: str, file: Path, dispute: int | None, key_file: Path | None, settings: Settings) -> None:
    """Write everything about GAME to a new FILE or standard output, signed, so that anybody can check it.

    `inkeek verify` does so, without this database.
    """
    key = read_key(key_file or settings.key_file)
    with current_store(settings) as store:
        write_output(file, [make_proof(store, game, key, stamp(utc_now()), dispute)])


def _lines(name: str, report: ProofReport) -> Iterator[str]:
    """What is printed for people. It quotes the file, so it can hold any character."""
    what = f"game {report.game}" if report.dispute is None else f"dispute {report.game}-{report.dispute}"
    yield f"{name}: {what if report.game else 'not a proof'}"
    for check in CHECKS:
        found = [fault.message for fault in report.faults if fault.check == check]
        state = "not checked" if check not in report.checked else "wrong" if found else "ok"
        looked_at = report.checked.get(check)
        yield f"  {check:<11} {state}{f': {looked_at}' if looked_at and not found else ''}"
        yield from (f"    {message}" for message in found)
    yield "The proof holds." if report.ok else "The proof does not hold."


def _public(text: str) -> str:
    """The public key that an option gives, as text or as the file that holds it.

    :raises UsageError: it is not a public key.
    """
    name = text
    try:
        if not text.startswith(PREFIX):
            with Path(name).open(encoding="utf-8") as file:
                text = file.read(MAX_KEY).strip()
            if not text.startswith(PREFIX):  # it may be the private key: nothing of it is shown
                raise click.UsageError(f"--key: {name} holds no public key, which `inkeek key show` prints ({PREFIX}…)")
        read_public(text)
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(
            f"--key {text!r} is no public key ({PREFIX}…), and no file that can be read: {error}"
        ) from error
    except Invalid as error:
        raise click.UsageError(f"--key: {error.message}") from error
    return text


def _read(name: str, limit: int) -> bytes:
    with click.open_file(name, "rb") as file:
        data: bytes = file.read(limit)
    return data


def _read_checkpoint(name: str, keys: list[str]) -> Checkpoint:
    """The checkpoint in a file.

    :raises Invalid: it is not a checkpoint, or not signed with one of the keys.
    """
    try:
        checkpoint, key = read(_read(name, MAX_CHECKPOINT).decode())
    except UnicodeDecodeError as error:
        raise Invalid(f"{name} is no checkpoint: {error}") from error
    if key not in keys:
        by = "not signed" if key is None else f"signed with {key}"
        raise Invalid(f"{name} is {by}: expected {' or '.join(keys)}")
    return checkpoint
